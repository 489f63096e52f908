#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hotrow/base/result.hpp"

namespace hotrow::http {

/// What a read or a write on a socket came to.
struct SocketStep {
  enum class State : std::uint8_t { done, would_block, finished, failed };
  State state = State::failed;
  std::size_t bytes = 0;  ///< Of `done`, at least 1. `finished`: the other side sends nothing any more.
};

/// A TCP socket that never blocks. Owns its descriptor; used by one thread.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  SocketStep receive(std::span<char> buffer);
  SocketStep send(std::string_view bytes);

  /// Tells the other side that nothing more is sent. False when it has gone already.
  bool finish_sending();
  void close();

  int descriptor() const { return descriptor_; }

 private:
  int release();
  int descriptor_ = -1;
};

/// Listens on a numeric address (IPv4 or IPv6); port 0 takes any free one. Errors: fatal.
Result<Socket> listen_on(const std::string& address, std::uint16_t port);

std::uint16_t port_of(const Socket& socket);

/// The next client, ready for use; nullopt when there is none, with `exhausted` saying that there may be and
/// the process or the machine is out of descriptors or memory.
struct Accepted {
  std::optional<Socket> socket;
  bool exhausted = false;
};
Accepted accept_from(Socket& listener);

}  // namespace hotrow::http
