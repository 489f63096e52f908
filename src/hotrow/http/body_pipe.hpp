#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace hotrow::http {

/// A body that is made while it is sent: bounded, between the thread that makes it and the connection.
/// Safe from all threads.
class BodyPipe {
 public:
  explicit BodyPipe(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Waits while the pipe is full, at most `patience` without the client taking anything. False when nobody
  /// reads any more: stop making.
  [[nodiscard]] bool write(std::string_view text, std::chrono::milliseconds patience);

  /// Never waits. False when the pipe is full or nobody reads any more; then it is ended as by fail().
  [[nodiscard]] bool offer(std::string_view text);

  /// The body is whole.
  void finish();
  /// The same, and the connection takes no further request.
  void finish_and_close();

  /// The body cannot be made whole. The connection is cut, so that the client sees it too.
  void fail();

  struct Taken {
    std::string text;
    bool finished = false;
    bool failed = false;
    bool closes = false;
  };

  /// Everything that is there. Never waits.
  Taken take();

  /// Nobody reads any more.
  void abandon();

  /// `ready` is called, from any thread and outside the lock, when there is something to take after a take()
  /// that found less. Set it once, before the first take().
  void on_ready(std::function<void()> ready);

 private:
  enum class End : std::uint8_t { none, finished, finished_and_closed, failed, abandoned };
  void end(End how);
  void notify(std::unique_lock<std::mutex>& lock);

  const std::size_t bytes_max_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::string text_;
  End end_ = End::none;
  bool notified_ = false;
  std::function<void()> ready_;
};

}  // namespace hotrow::http
