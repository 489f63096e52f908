#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "hotrow/base/result.hpp"
#include "hotrow/core/command.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/engine/observer.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// What a command is told.
struct Reply {
  Answer answer;
  bool replayed = false;  ///< Decided by an earlier request under the same idempotency key.
  bool changed = false;   ///< The command wrote something.
};

/// Called exactly once for each submitted command, from a lane's thread or from within submit(); must return
/// quickly and must not throw. Errors, by what the caller may say:
///   overloaded  `busy`: definitely nothing done (queue full, draining, lock or deadline not met); with the
///   code
///               "too_many_undecided" it is this actor's own doing, see core's share_of(); with "queue_max" a
///               policy says how many may wait
///   in_doubt    `outcome_unknown`: a repeat tells what really happened
///   transient   `unavailable`: the store is away, definitely nothing done
///   invalid     `internal_error`: our bug, definitely nothing done
///   fatal       `unavailable`: the store's set-up is wrong
using ReplyFunction = std::function<void(Result<Reply>)>;

struct EngineOptions {
  std::size_t lanes = 4;  ///< Further bounded by Store::writers_max().
  Isolation isolation = Isolation::read_committed;
  std::size_t queue_weight_max = 50'000;  ///< Rows to be written that wait in one lane; more is told `busy`.
  std::size_t batch_weight_max = 4'096;   ///< Rows in one transaction.
  int tries_max = 8;                      ///< Attempts of one batch before `busy`.
  /// Commands for one row that core's gather_time() names wait this long and go by rank; 0: none wait.
  std::chrono::milliseconds gather_window{0};
  std::chrono::milliseconds lock_wait{100};  ///< One attempt's wait for strangers' locks (engine/lane.hpp).
  std::chrono::milliseconds resolve_budget{5'000};  ///< To learn an unanswered COMMIT's fate.
};

/// Combines commands for the same hot keys into batches, and each batch into one transaction.
///
/// Lanes are threads; each has a combiner and a writing session of its own, and a command goes to the lane of
/// its hot key. While one batch commits, the next gathers; a lonely command does not wait. Nobody is answered
/// before the commit. Safe from all threads.
class Engine {
 public:
  /// `store` and `observer` must outlive the engine. Opens the lanes' sessions; fails when the store does.
  static Result<std::unique_ptr<Engine>> start(Store& store, const EngineOptions& options,
                                               Observer& observer);
  ~Engine();  ///< drain()s.

  /// Never blocks. Commands of one thread for the same hot key are decided in the order submitted.
  void submit(Command command, ReplyFunction reply);

  /// Refuses what comes from now on with `busy`, answers everything taken before, then stops the lanes.
  /// Returns when all of that is done. Harmless to repeat.
  void drain();

  /// Commands taken and not answered yet.
  std::size_t in_flight() const;

 private:
  class Lanes;
  explicit Engine(std::unique_ptr<Lanes> lanes);
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace hotrow
