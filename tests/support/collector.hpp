#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/engine/engine.hpp"

namespace hotrow::test {

/// Submits commands and keeps their replies by the order of submission. Safe from all threads.
class Collector {
 public:
  explicit Collector(Engine& engine) : engine_(engine) {}

  std::size_t submit(Command command) {
    std::size_t index = 0;
    {
      const std::lock_guard lock(mutex_);
      index = replies_.size();
      replies_.emplace_back();
    }
    engine_.submit(std::move(command), [this, index](Result<Reply> reply) {
      const std::lock_guard lock(mutex_);
      HOTROW_ASSERT(!replies_[index]);  // Answered once.
      replies_[index] = std::move(reply);
      ++answered_;
      changed_.notify_all();  // Under the lock: the collector may be gone right after it.
    });
    return index;
  }

  /// Waits until everything submitted is answered.
  std::vector<Result<Reply>> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_ == replies_.size(); });
    std::vector<Result<Reply>> all;
    for (const auto& reply : replies_) all.push_back(*reply);
    return all;
  }

  /// Submits one command and waits for its reply.
  Result<Reply> ask(Command command) {
    const std::size_t index = submit(std::move(command));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return replies_[index].has_value(); });
    return *replies_[index];
  }

 private:
  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Result<Reply>>> replies_;
  std::size_t answered_ = 0;
};

}  // namespace hotrow::test
