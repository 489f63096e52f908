#include "hotrow/http/socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace hotrow::http {
namespace {

SocketStep failed_step() {
  const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {.state = later ? SocketStep::State::would_block : SocketStep::State::failed};
}

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

socklen_t fill_in(Address& address, const std::string& text, std::uint16_t port) {
  if (inet_pton(AF_INET, text.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    return sizeof(address.v4);
  }
  if (inet_pton(AF_INET6, text.c_str(), &address.v6.sin6_addr) == 1) {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
    return sizeof(address.v6);
  }
  return 0;
}

bool set_flag(const Socket& socket, int level, int name) {
  const int on = 1;
  return setsockopt(socket.descriptor(), level, name, &on, sizeof(on)) == 0;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this == &other) return *this;
  close();
  descriptor_ = other.release();
  return *this;
}

SocketStep Socket::receive(std::span<char> buffer) {
  const ssize_t size = recv(descriptor_, buffer.data(), buffer.size(), 0);
  if (size > 0) return {.state = SocketStep::State::done, .bytes = std::size_t(size)};
  if (size == 0) return {.state = SocketStep::State::finished};
  return failed_step();
}

SocketStep Socket::send(std::string_view bytes) {
  const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size > 0) return {.state = SocketStep::State::done, .bytes = std::size_t(size)};
  return failed_step();
}

bool Socket::finish_sending() { return shutdown(descriptor_, SHUT_WR) == 0; }

void Socket::close() {
  if (const int descriptor = release(); descriptor >= 0) ::close(descriptor);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

Result<Socket> listen_on(const std::string& address, std::uint16_t port) {
  const auto cannot = [&](const char* why) {
    return failure(ErrorKind::fatal, "LISTEN",
                   "cannot listen on " + address + " port " + std::to_string(port) + ": " + why);
  };
  Address to{};
  const socklen_t size = fill_in(to, address, port);
  if (size == 0) return cannot("not a numeric IPv4 or IPv6 address");
  Socket listener(::socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (listener.descriptor() < 0 || !set_flag(listener, SOL_SOCKET, SO_REUSEADDR) ||
      bind(listener.descriptor(), &to.any, size) != 0 || listen(listener.descriptor(), SOMAXCONN) != 0) {
    return cannot(std::strerror(errno));
  }
  return listener;
}

std::uint16_t port_of(const Socket& socket) {
  Address address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket.descriptor(), &address.any, &size) != 0) return 0;
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

Accepted accept_from(Socket& listener) {
  Socket client(accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (client.descriptor() < 0) {
    const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    return {.socket = std::nullopt, .exhausted = exhausted};
  }
  set_flag(client, IPPROTO_TCP, TCP_NODELAY);  // Without it only an economy is lost.
  return {.socket = std::move(client)};
}

}  // namespace hotrow::http
