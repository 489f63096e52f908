#include "hotrow/http/poller.hpp"

#include <unistd.h>

#include "hotrow/base/assert.hpp"

namespace hotrow::http {

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) { HOTROW_ASSERT(epoll_ >= 0); }

Poller::~Poller() { close(epoll_); }

bool Poller::add(int descriptor, Watched& target, Interest interest) {
  return control(EPOLL_CTL_ADD, descriptor, target, interest);
}

bool Poller::change(int descriptor, Watched& target, Interest interest) {
  return control(EPOLL_CTL_MOD, descriptor, target, interest);
}

bool Poller::control(int operation, int descriptor, Watched& target, Interest interest) {
  epoll_event event{};
  if (interest.read) event.events |= EPOLLIN;
  if (interest.write) event.events |= EPOLLOUT;
  event.data.ptr = &target;
  return epoll_ctl(epoll_, operation, descriptor, &event) == 0;
}

void Poller::wait(std::chrono::milliseconds patience) {
  const int ready = epoll_wait(epoll_, events_.data(), events_max, static_cast<int>(patience.count()));
  for (int i = 0; i < ready; ++i) {  // -1 is EINTR.
    const epoll_event& event = events_[std::size_t(i)];
    const bool troubled = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    static_cast<Watched*>(event.data.ptr)
        ->on_ready(troubled || (event.events & EPOLLIN) != 0, (event.events & EPOLLOUT) != 0);
  }
}

}  // namespace hotrow::http
