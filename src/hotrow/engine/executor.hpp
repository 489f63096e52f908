#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hotrow/core/decide.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/engine/observer.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// The rules as the executor sees them: three pure functions. The program has one machine, core's; the tests
/// of the lock law bring machines whose rows name each other in ways that no rule does yet.
struct Machine {
  KindTraits (*traits)(KeyKind) = hotrow::traits;
  void (*keys_needed)(const Command&, const RowSet&, Keys&) = hotrow::keys_needed;
  Decision (*decide)(const Command&, const RowSet&, Timestamp) = hotrow::decide;
};

/// Everything that one attempt at a batch came to.
struct Attempt {
  AttemptId id;
  /// One reply a command, in order. They are true once `result` holds, or once the attempt is known to have
  /// committed; before that nobody may be told.
  std::vector<Reply> replies;
  Keys locked;    ///< Of locked kinds that the attempt has asked for, whether it got them or not.
  RowSet rows;    ///< As they are once the attempt has committed.
  Timestamp now;  ///< The time everything was decided at.
  BatchReport report;
  Result<void> result;  ///< As of Transaction::commit(); code "lock_restarts" when locking found no order.
};

/// Runs one batch as one transaction: begin, lock, decide, apply, commit. The order of the text below is the
/// order of safety.
///
/// The lock law
/// ------------
/// Which rows a command needs may depend on rows (a listing names its seller), so locking goes in rounds.
/// Each round asks keys_needed() of every command, takes the *lowest* kind still wanted, completely, in one
/// step with sorted keys, and with it those higher kinds that no row of the step could add to
/// (KindTraits::names_from). If a wanted key sorts at or before the highest key already locked, nothing has
/// been written yet: roll back and start again with that key wanted from the first round on. The set of such
/// keys only grows, and after `lock_restarts_max` restarts the attempt gives up.
///
/// So every attempt locks strictly upwards in one global order, whatever keys_needed() returns: two attempts,
/// of any two processes, can never wait for each other in a circle. Guarded kinds take no locks and are
/// exempt; their guards come first by the same order.
///
/// Deciding knows nothing of all this: each command sees the rows as if it ran alone after those before it.
/// Where one creates a row that leads a later one to rows nobody asked for (a listing and a bid on it in one
/// batch), nothing has been written yet either: again from the start, with those rows wanted from the first
/// round on.
///
/// Used by one thread.
class Executor {
 public:
  static constexpr int lock_restarts_max = 4;

  /// `transaction` must outlive the executor.
  explicit Executor(Transaction& transaction, const Machine& machine = {})
      : transaction_(transaction), machine_(machine) {}

  /// `commands` are decided in this order. Never throws; a failed attempt left nothing behind, except that
  /// in_doubt means not knowing.
  Attempt attempt(std::span<const Command* const> commands, const AttemptOptions& options);

 private:
  struct Working;
  Result<void> lock_rows(std::span<const Command* const> commands, const AttemptOptions& options,
                         Working& working);
  Result<bool> lock_round(std::span<const Command* const> commands, Working& working);
  bool decide_all(std::span<const Command* const> commands, Working& working, Attempt& attempt,
                  WriteSet& writes);

  Transaction& transaction_;
  Machine machine_;
};

/// The keys of the next lock step out of all wanted ones (sorted, distinct): the lowest kind, completely, and
/// each higher kind that no row of the kinds before it can add to.
std::span<const Key> next_lock_step(const Machine& machine, std::span<const Key> wanted);

}  // namespace hotrow
