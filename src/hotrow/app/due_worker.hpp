#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hotrow/app/write_health.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/engine/readers.hpp"
#include "hotrow/store/store.hpp"
#include "hotrow/telemetry/metrics.hpp"

namespace hotrow {

/// The server's own housekeeping: closes promotions and settles listings that are past their end, removes
/// what has served its time, and tries whether writes succeed again when they have failed.
///
/// Looks for due subjects without locks and submits ordinary commands for them, a page at a time; every
/// server does so, and that several name the same subject is harmless. A full page is followed by the next as
/// soon as it is answered, so that a backlog is worked off at the store's pace while no more than one page is
/// ever in flight. A failure is tried again at the next turn; a subject whose command is refused by the store
/// as a bug again and again is set aside, so that it stands in nobody's way.
class DueWorker {
 public:
  /// All of them must outlive the worker.
  struct Parts {
    Engine& engine;
    Readers& readers;
    Store& store;
    Metrics& metrics;
    WriteHealth& write_health;
  };

  struct Options {
    std::string server;  ///< This process's name, for the commands' envelopes.
    std::chrono::hours answers_kept{7 * 24};
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds expire_interval{300'000};
    std::size_t page_max = 500;  ///< Subjects of each kind in flight.
  };

  DueWorker(const Parts& parts, Options options);
  ~DueWorker();  ///< stop()s.
  DueWorker(const DueWorker&) = delete;
  DueWorker& operator=(const DueWorker&) = delete;

  /// Returns when nothing of it runs any more, at once but for a question under way. Harmless to repeat.
  void stop();

 private:
  /// How often a subject's command was refused by the store as a bug, and with which code last.
  struct Failed {
    int times = 0;
    std::string code;
  };
  struct Answered {
    Key subject;
    Result<Reply> reply;
  };
  class Page;

  void run(const std::stop_token& stop);
  bool take_turn(const std::stop_token& stop);
  Keys ask();
  Result<Keys> look(Queries& queries);
  Command command_for(const Key& subject) const;
  bool account(const Answered& answered);
  void note_settled(const Answered& answered);
  void expire_if_time();
  void report(const Result<void>& result);

  Parts parts_;
  Options options_;
  SteadyTime expire_at_;
  std::map<Key, Failed> failed_;
  bool failing_ = false;  ///< An outage is told once, not every second.
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< Last: it uses everything above.
};

}  // namespace hotrow
