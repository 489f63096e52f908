#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "hotrow/engine/ticket.hpp"

namespace hotrow {

/// Gathers commands for one row during a window and lets them go in order of gather_rank(), equals in order
/// of arrival: of the bids that come within a window the highest is decided first, and who is quicker by some
/// milliseconds gains nothing. A step in front of the combiner; deciding knows nothing of it.
///
/// The first command for a row opens its window (Ticket::gathers); those that come until it closes
/// join it. Windows are this process's own: two servers have two.
///
/// Safe from all threads.
class Windows {
 public:
  /// Gets each closed window's tickets in order, from the windows' thread or from drain(), under no lock.
  using Release = std::function<void(Tickets)>;

  explicit Windows(Release release);
  ~Windows();  ///< drain()s.

  /// Keeps the ticket until its window closes; after drain() it goes at once.
  void hold(std::unique_ptr<Ticket> ticket);

  /// Closes all windows now and keeps nothing any more. Harmless to repeat.
  void drain();

 private:
  struct Window {
    SteadyTime closes;
    Tickets tickets;
  };

  void run(const std::stop_token& stop);
  void let_go(Tickets tickets);

  Release release_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_map<Key, Window, KeyHash> open_;  ///< Guarded by mutex_.
  bool draining_ = false;                          ///< Guarded by mutex_.
  std::jthread thread_;                            ///< Last: starts when everything above is there.
};

}  // namespace hotrow
