#include "hotrow/engine/windows.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"

namespace hotrow {

Windows::Windows(Release release)
    : release_(std::move(release)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Windows::~Windows() { drain(); }

void Windows::hold(std::unique_ptr<Ticket> ticket) {
  HOTROW_ASSERT(ticket->gathers.count() > 0);
  {
    const std::lock_guard lock(mutex_);
    if (!draining_) {
      const SteadyTime closes = ticket->arrived + ticket->gathers;
      Window& window = open_.try_emplace(ticket->hot_keys.front(), Window{closes, {}}).first->second;
      window.tickets.push_back(std::move(ticket));
      if (window.tickets.size() == 1) changed_.notify_one();
    }
  }
  if (ticket == nullptr) return;
  Tickets alone;
  alone.push_back(std::move(ticket));
  let_go(std::move(alone));
}

void Windows::drain() {
  std::unordered_map<Key, Window, KeyHash> open;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    open.swap(open_);
  }
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  for (auto& [key, window] : open) let_go(std::move(window.tickets));
}

void Windows::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = std::min_element(open_.begin(), open_.end(), [](const auto& a, const auto& b) {
      return a.second.closes < b.second.closes;
    });
    if (first == open_.end()) {
      changed_.wait(lock, stop, [this] { return !open_.empty(); });
    } else if (first->second.closes > std::chrono::steady_clock::now()) {
      const SteadyTime closes = first->second.closes;
      const std::size_t windows = open_.size();
      changed_.wait_until(lock, stop, closes, [&] { return open_.size() != windows; });
    } else {
      Tickets tickets = std::move(first->second.tickets);
      open_.erase(first);
      lock.unlock();
      let_go(std::move(tickets));
      lock.lock();
    }
  }
}

void Windows::let_go(Tickets tickets) {
  std::stable_sort(tickets.begin(), tickets.end(), [](const auto& a, const auto& b) {
    return gather_rank(a->command) > gather_rank(b->command);
  });
  release_(std::move(tickets));
}

}  // namespace hotrow
