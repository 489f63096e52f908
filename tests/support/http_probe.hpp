#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hotrow::test {

/// An answer as it came off the wire, read by code that shares nothing with the server's.
struct ProbeAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;

  /// Empty when absent.
  std::string header(const std::string& name) const;
  bool closes() const { return header("connection") == "close"; }
};

/// The first complete answer in `bytes`, which it is removed from; nullopt while it is not complete. Knows
/// Content-Length and chunked bodies. Throws std::runtime_error on what is no HTTP answer.
std::optional<ProbeAnswer> take_answer(std::string& bytes);

using ProbeHeaders = std::vector<std::pair<std::string, std::string>>;

/// A request with its head, ready for the wire.
std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         const ProbeHeaders& headers = {});

/// A socket on its way to 127.0.0.1:port, not blocking; -1 when it was refused at once.
int connect_to(std::uint16_t port);

/// One client on one kept connection to 127.0.0.1:port, one request at a time. Used by one thread.
class HttpProbe {
 public:
  explicit HttpProbe(std::uint16_t port) : port_(port) {}
  HttpProbe(const HttpProbe&) = delete;
  HttpProbe& operator=(const HttpProbe&) = delete;
  ~HttpProbe();

  /// nullopt when no answer came: refused, cut, or not within the time-out. Never asks twice by itself.
  std::optional<ProbeAnswer> send(std::string_view method, std::string_view target,
                                  std::string_view body = "", const ProbeHeaders& headers = {},
                                  std::chrono::milliseconds timeout = std::chrono::seconds(30));
  /// Asks a second time on a fresh connection: the server may have closed the kept one.
  std::optional<ProbeAnswer> get(std::string_view target);

 private:
  bool open(std::chrono::steady_clock::time_point deadline);
  void close();

  std::uint16_t port_;
  int socket_ = -1;
  std::string received_;
};

}  // namespace hotrow::test
