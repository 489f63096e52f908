#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hotrow/base/result.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// One attempt that ended in answers.
struct BatchReport {
  std::size_t commands = 0;
  std::size_t weight = 0;                 ///< Rows, as of core's weight().
  std::size_t writes = 0;                 ///< 0: nothing was changed and nothing flushed.
  std::chrono::microseconds lock_time{};  ///< All lock steps together.
  std::chrono::microseconds decide_time{};
  std::chrono::microseconds commit_time{};
};

/// Told what the engine does, a batch at a time; for metrics and logs. Called from lane threads, so it is
/// safe from all threads; must return quickly and never call back into the engine.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void batch_answered(const BatchReport&) {}
  /// `kind` and `result` are core's command_kind() and answer_result(): a few fixed words each.
  virtual void command_answered(std::string_view /*kind*/, std::string_view /*result*/) {}
  virtual void attempt_failed(const Error&) {}
  virtual void commit_in_doubt(const AttemptId&, const Result<CommitFate>&) {}
  virtual void queue_changed(std::size_t /*lane*/, std::size_t /*waiting*/) {}
};

}  // namespace hotrow
