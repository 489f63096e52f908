#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "hotrow/engine/engine.hpp"
#include "hotrow/engine/readers.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// The server's own housekeeping: closes what is past its end, and removes what has served its time.
///
/// Looks for due subjects without locks and submits ordinary commands for them. Every server does so; that
/// several name the same subject is harmless. A failure is logged and tried again at the next turn.
class DueWorker {
 public:
  struct Options {
    std::string server;  ///< This process's name, for the commands' envelopes.
    std::chrono::hours answers_kept{7 * 24};
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds expire_interval{300'000};
  };

  /// All three must outlive the worker.
  DueWorker(Engine& engine, Readers& readers, Store& store, Options options);
  ~DueWorker();  ///< stop()s.
  DueWorker(const DueWorker&) = delete;
  DueWorker& operator=(const DueWorker&) = delete;

  /// Returns when nothing of it runs any more, at once but for a question under way. Harmless to repeat.
  void stop();

 private:
  void run(const std::stop_token& stop);
  void ask();
  void submit_due(Queries& queries);
  void submit(const Key& subject);
  void expire_if_time();
  void report(const Result<void>& result);

  Engine& engine_;
  Readers& readers_;
  Store& store_;
  Options options_;
  SteadyTime expire_at_;
  bool failing_ = false;  ///< An outage is told once, not every second.
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< Last: it uses everything above.
};

}  // namespace hotrow
