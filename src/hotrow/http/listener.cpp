#include "hotrow/http/listener.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow::http {
namespace {

/// In one go, before others get their turn.
constexpr int accepted_max = 64;

}  // namespace

Listener::Listener(Socket socket, Poller& poller, Take take)
    : socket_(std::move(socket)), poller_(poller), take_(std::move(take)) {
  HOTROW_ASSERT(poller_.add(socket_.descriptor(), *this, {.read = true}));
}

void Listener::on_ready(bool, bool) {
  for (int i = 0; i < accepted_max; ++i) {
    Accepted accepted = accept_from(socket_);
    if (accepted.exhausted) paused_ = poller_.change(socket_.descriptor(), *this, {});
    if (!accepted.socket) return;
    take_(std::move(*accepted.socket));
  }
}

void Listener::resume() {
  if (paused_) paused_ = !poller_.change(socket_.descriptor(), *this, {.read = true});
}

}  // namespace hotrow::http
