#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>

namespace hotrow::http {

/// Something with a descriptor that the poller watches.
class Watched {
 public:
  virtual ~Watched() = default;
  /// Called from the loop. Level-triggered: what is left unread is told again.
  virtual void on_ready(bool readable, bool writable) = 0;
};

/// What a watched descriptor is waited for; errors and hang-ups are told as readable.
struct Interest {
  bool read = false;
  bool write = false;
  friend bool operator==(const Interest&, const Interest&) = default;
};

/// The kernel's list of watched descriptors (epoll, level-triggered): a socket is entered once, so that a
/// request costs one receive and one send and no call to wait for the next. Used by one thread.
class Poller {
 public:
  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// False when the kernel has no room for it. `target` must stay until its descriptor is closed.
  [[nodiscard]] bool add(int descriptor, Watched& target, Interest interest);
  [[nodiscard]] bool change(int descriptor, Watched& target, Interest interest);

  /// Waits at most `patience` (forever when it is negative) and tells all who are ready. A target may only
  /// close itself while it is told.
  void wait(std::chrono::milliseconds patience);

 private:
  bool control(int operation, int descriptor, Watched& target, Interest interest);

  static constexpr int events_max = 256;
  int epoll_;
  std::array<epoll_event, events_max> events_;
};

}  // namespace hotrow::http
