#include "tests/support/tcp_proxy.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace hotrow {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool send_all(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    count -= std::size_t(sent);
  }
  return true;
}

}  // namespace

TcpProxy::TcpProxy(int server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      ::pipe2(wake_, O_CLOEXEC) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  stopping_ = true;
  ::close(wake_[1]);
  thread_.join();
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.server);
  }
  ::close(wake_[0]);
  ::close(listener_);
}

void TcpProxy::cut_on_answer(std::string bytes) {
  const std::lock_guard lock(mutex_);
  answer_trap_ = std::move(bytes);
}

void TcpProxy::cut_on_request(std::string bytes) {
  const std::lock_guard lock(mutex_);
  request_trap_ = std::move(bytes);
}

void TcpProxy::go_silent() { silent_ = true; }

void TcpProxy::heal() {
  silent_ = false;
  [[maybe_unused]] const ssize_t woken = ::write(wake_[1], "", 1);
}

void TcpProxy::cut_all() {
  cut_all_ = true;
  [[maybe_unused]] const ssize_t woken = ::write(wake_[1], "", 1);
}

void TcpProxy::run() {
  while (!stopping_) {
    if (cut_all_.exchange(false)) {
      for (const Pair& pair : std::exchange(pairs_, {})) {
        ::close(pair.client);
        ::close(pair.server);
      }
    }
    std::vector<pollfd> waiting = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    if (!silent_) {
      for (const Pair& pair : pairs_) {
        waiting.push_back({pair.client, POLLIN, 0});
        waiting.push_back({pair.server, POLLIN, 0});
      }
    }
    // A silence that begins while nothing moves is noticed with the next bytes, which are then not read.
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    char drained[64];
    if (waiting[0].revents != 0 && ::read(wake_[0], drained, sizeof drained) <= 0) return;
    std::vector<Pair> kept;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      bool alive = true;
      const bool watched = waiting.size() > 3 + 2 * i;
      if (watched && !silent_ && waiting[2 + 2 * i].revents != 0) alive = pass(pairs_[i], true);
      if (alive && watched && !silent_ && waiting[3 + 2 * i].revents != 0) alive = pass(pairs_[i], false);
      if (alive) {
        kept.push_back(pairs_[i]);
      } else {
        ::close(pairs_[i].client);
        ::close(pairs_[i].server);
      }
    }
    pairs_ = std::move(kept);
    if (waiting[1].revents != 0) accept_one();
  }
}

void TcpProxy::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  const int on = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  pairs_.push_back({client, server});
}

bool TcpProxy::triggers(std::optional<std::string>& trap, const char* bytes, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (!trap || std::string_view(bytes, count).find(*trap) == std::string_view::npos) return false;
  trap.reset();
  ++cuts_;
  return true;
}

bool TcpProxy::pass(const Pair& pair, bool from_client) {
  std::array<char, 65536> bytes;
  const ssize_t count = ::recv(from_client ? pair.client : pair.server, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  if (triggers(from_client ? request_trap_ : answer_trap_, bytes.data(), std::size_t(count))) return false;
  return send_all(from_client ? pair.server : pair.client, bytes.data(), std::size_t(count));
}

}  // namespace hotrow
