#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow {

/// Names one attempt to commit, for ever: no two attempts of any two processes have the same one.
struct AttemptId {
  std::string server;       ///< Random, made when the process starts.
  std::int64_t number = 0;  ///< Counts within the process.
  friend bool operator==(const AttemptId&, const AttemptId&) = default;
};

/// "<server>/<number>", the form in which a commit mark is stored.
std::string to_string(const AttemptId& id);

enum class Isolation : std::uint8_t { read_committed, serializable };

struct AttemptOptions {
  AttemptId id;
  /// How long all lock steps of this attempt may wait for strangers, together.
  std::chrono::milliseconds lock_budget{2000};
  Isolation isolation = Isolation::read_committed;
};

/// The answer of one lock step.
struct Locked {
  std::vector<std::optional<Row>> rows;  ///< In the order asked; nullopt where there is none.
  Timestamp now;                         ///< The store's clock, read after the last lock of the step was had.
};

/// One writing session with the store, used for one attempt after the other by one thread at a time.
///
/// An attempt is begin, lock any number of times, then either apply and commit, or rollback:
///
///     transaction.begin(options);                 // sends nothing by itself
///     Locked locked = transaction.lock(keys);     // one round trip a call, whatever the number of keys
///     transaction.apply(writes);                  // sends nothing by itself
///     transaction.commit();                       // one round trip
///
/// After any error the attempt is over and rolled back (but see commit()); call begin() for the next one. A
/// session that lost its connection opens a new one by itself in the next begin() or lock().
class Transaction {
 public:
  virtual ~Transaction() = default;

  /// Starts an attempt; an attempt that was under way is rolled back. A failure shows in the next lock().
  virtual void begin(const AttemptOptions& options) = 0;

  /// Locks and reads rows. `keys` are strictly ascending; every call in one attempt names new keys only, and
  /// keys of locked kinds above those of earlier calls. Guarded kinds (core/key.hpp) are read after all locks
  /// of the same call were had and see every transaction that committed before that.
  ///
  /// Errors: held (not had within the lock budget), conflict, transient, fatal, and invalid: a row is none
  /// that hotrow wrote.
  virtual Result<Locked> lock(std::span<const Key> keys) = 0;

  /// Adds the writes, in lock order, to what commit() will send. The span must live until commit() returns.
  virtual void apply(std::span<const RowWrite> writes) = 0;

  /// Writes everything that was applied, the attempt's commit mark, and commits, durably.
  ///
  /// Every write is checked: an insert must insert and an update must find its row.
  /// Errors: conflict (a key seen as absent was taken meanwhile, or a serialization failure), invalid (a
  /// constraint or a value that can never be stored), held, transient (definitely not committed), and
  /// in_doubt: COMMIT was sent and not answered by its own tag. Then only Store::resolve() knows.
  virtual Result<void> commit() = 0;

  /// Gives up the attempt. Nothing of it stays. Harmless when there is none.
  virtual void rollback() noexcept = 0;

  /// Which of these keys somebody else holds locked right now, found without waiting. Begins and ends an
  /// attempt of its own. A store with one writer for everything returns all keys when it cannot be had.
  virtual Result<Keys> held_by_others(std::span<const Key> keys) = 0;
};

/// What became of an attempt whose COMMIT was not answered.
enum class CommitFate : std::uint8_t { committed, not_committed };

/// A database that hotrow keeps its rows in. Safe from all threads; the sessions it opens are not.
///
/// Correctness never rests on being alone: other processes may write the same rows through their own Store.
class Store {
 public:
  virtual ~Store() = default;

  /// How many writing sessions can usefully work at the same time: 1 where the database has one writer.
  virtual int writers_max() const = 0;

  virtual Result<std::unique_ptr<Transaction>> open_transaction() = 0;

  /// A reading session, never on a writer's connection.
  virtual Result<std::unique_ptr<Queries>> open_queries() = 0;

  /// Finds out what became of an attempt in doubt and *fences* it: after not_committed was returned, that
  /// attempt can never commit any more. Waits at most `budget`; an error means that nothing was learnt.
  virtual Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds budget) = 0;

  /// Removes what has served its time: commit marks, and stored answers decided before `answers_before`.
  /// Works in small steps beside running writers.
  virtual Result<void> expire(Timestamp answers_before) = 0;
};

/// Replaces a store's own clock in tests.
using ClockOverride = std::function<Timestamp()>;

}  // namespace hotrow
