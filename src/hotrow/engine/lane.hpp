#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "hotrow/engine/combiner.hpp"
#include "hotrow/engine/executor.hpp"
#include "hotrow/engine/hot_rows.hpp"
#include "hotrow/engine/observer.hpp"

namespace hotrow {

/// One thread with one writing session: takes a batch, attempts it, answers it, takes the next.
///
/// What an attempt's failure leads to, in one place (settle()):
///
///   conflict   the whole attempt again, rows read again; at once the first time, then after a growing pause,
///              a bounded number of times; then everybody is told `busy`
///   transient  the same, then "the store is away"
///   held       whoever needs a row that a stranger holds is parked until its lock budget ends; the others go
///              on at once
///   invalid    split in halves until the culprit is alone and is told so; the others succeed
///   in_doubt   the store finds out what became of the attempt; if it cannot, everybody is told so
///   fatal      everybody is told so
///
/// A parked batch does not stop the lane: its keys are blocked in the combiner, so that nothing overtakes it
/// there, and other keys go on.
class Lane {
 public:
  struct Options {
    std::size_t index = 0;
    Combiner::Limits limits;
    Isolation isolation = Isolation::read_committed;
    int tries_max = 8;
    /// One attempt's wait for strangers' locks. Short, because the lane waits with it; the command's own
    /// patience (lock_budget) spans several attempts.
    std::chrono::milliseconds lock_wait{100};
    std::chrono::milliseconds resolve_budget{5'000};
  };

  /// Makes ids of attempts that no other lane makes.
  using NextAttempt = std::function<AttemptId()>;

  Lane(Store& store, std::unique_ptr<Transaction> transaction, const Options& options,
       NextAttempt next_attempt, HotRows& hot_rows, Observer& observer);
  ~Lane();  ///< drain()s.

  /// False when the lane's queue is full or draining; `ticket` is then left with the caller. Safe from all
  /// threads.
  bool push(std::unique_ptr<Ticket>& ticket);

  /// Takes nothing new, answers everything taken, ends the thread.
  void drain();

 private:
  /// A batch on its way, with what has happened to it.
  struct Work {
    Tickets tickets;
    int tries = 0;
    SteadyTime not_before{};  ///< While parked.
    Keys blocks;              ///< Hot keys for which later commands wait while this is parked.
    Keys held_by_others{};    ///< Parked because somebody holds these rows; empty: for another reason.
  };

  void run();
  bool next_work(Work& work);
  bool take_ready(Work& work);
  bool take_parked(SteadyTime now, Work& work);
  void process(Work work);
  void attempt(Work work, const Keys& blocked);
  bool still_held(const Work& work);
  void set_lock_deadlines(const Tickets& tickets, SteadyTime now);
  void settle(Work work, Attempt attempt);
  void answer(Work work, Attempt attempt);
  void settle_held(Work work, const Attempt& attempt);
  void settle_in_doubt(Work work, Attempt attempt);
  void split(Work work, const Error& error);
  void retry(Work work, const Error& error);
  void park(Work work, std::chrono::milliseconds pause);
  void refuse(Tickets tickets, const Error& error);
  void refuse_expired(Tickets& tickets, SteadyTime now);

  Store& store_;
  std::unique_ptr<Transaction> transaction_;
  Executor executor_;
  Options options_;
  NextAttempt next_attempt_;
  HotRows& hot_rows_;
  Observer& observer_;

  std::mutex mutex_;
  std::condition_variable wake_;
  Combiner combiner_;         ///< Guarded by mutex_.
  bool draining_ = false;     ///< Guarded by mutex_.
  std::deque<Work> ready_;    ///< To be attempted before anything new; the lane's thread only.
  std::vector<Work> parked_;  ///< In order; the lane's thread only.
  /// Since when a hot key is known to wait for somebody else; the lane's thread only.
  std::unordered_map<Key, SteadyTime, KeyHash> held_since_;
  std::minstd_rand chance_;  ///< For back-off only, never for anything decided.
  std::jthread thread_;      ///< Last: starts when everything above is there.
};

}  // namespace hotrow
