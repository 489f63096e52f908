#include "tests/support/http_probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <stdexcept>

namespace hotrow::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

ProbeAnswer parse_head(std::string_view head) {
  ProbeAnswer answer;
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12) {
    throw std::runtime_error("no HTTP answer: " + std::string(head.substr(0, 80)));
  }
  answer.status = std::stoi(std::string(head.substr(9, 3)));
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string_view line = head.substr(begin, at == std::string_view::npos ? at : at - begin);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) throw std::runtime_error("no header: " + std::string(line));
    answer.headers[lower(line.substr(0, colon))] = std::string(trimmed(line.substr(colon + 1)));
  }
  return answer;
}

/// How many bytes of `text` the chunked body takes, its chunks appended to `body`; 0 while not complete.
std::size_t take_chunks(std::string_view text, std::string& body) {
  std::size_t at = 0;
  while (true) {
    const std::size_t line_end = text.find("\r\n", at);
    if (line_end == std::string_view::npos) return 0;
    const std::size_t size = std::stoul(std::string(text.substr(at, line_end - at)), nullptr, 16);
    const std::size_t begin = line_end + 2;
    if (text.size() < begin + size + 2) return 0;
    body.append(text.substr(begin, size));
    at = begin + size + 2;
    if (size == 0) return at;
  }
}

bool wait_for(int socket, short events, Clock::time_point deadline) {
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 && poll(&polled, 1, static_cast<int>(left)) > 0;
}

}  // namespace

std::string ProbeAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<ProbeAnswer> take_answer(std::string& bytes) {
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string::npos) return std::nullopt;
  ProbeAnswer answer = parse_head(std::string_view(bytes).substr(0, head_end));
  const std::size_t begin = head_end + 4;
  std::size_t length = 0;
  if (answer.header("transfer-encoding") == "chunked") {
    length = take_chunks(std::string_view(bytes).substr(begin), answer.body);
    if (length == 0) return std::nullopt;
  } else if (const std::string text = answer.header("content-length"); !text.empty()) {
    length = std::stoul(text);
    if (bytes.size() < begin + length) return std::nullopt;
    answer.body = bytes.substr(begin, length);
  }
  bytes.erase(0, begin + length);
  return answer;
}

std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         const ProbeHeaders& headers) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  for (const auto& [name, value] : headers) text.append(name).append(": ").append(value).append("\r\n");
  if (!body.empty() || method != "GET") {
    text.append("Content-Type: application/json\r\nContent-Length: ");
    text.append(std::to_string(body.size())).append("\r\n");
  }
  return text.append("\r\n").append(body);
}

int connect_to(std::uint16_t port) {
  const int opened = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (opened < 0) throw std::runtime_error("socket: too many open files?");
  const int on = 1;
  setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = connect(opened, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (result == 0 || errno == EINPROGRESS) return opened;
  ::close(opened);
  return -1;
}

HttpProbe::~HttpProbe() { close(); }

void HttpProbe::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  received_.clear();
}

bool HttpProbe::open(Clock::time_point deadline) {
  if (socket_ >= 0) return true;
  socket_ = connect_to(port_);
  int error = 0;
  socklen_t length = sizeof error;
  if (socket_ >= 0 && wait_for(socket_, POLLOUT, deadline) &&
      getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0) {
    return true;
  }
  close();
  return false;
}

std::optional<ProbeAnswer> HttpProbe::get(std::string_view target) {
  std::optional<ProbeAnswer> answer = send("GET", target);
  return answer ? answer : send("GET", target);
}

std::optional<ProbeAnswer> HttpProbe::send(std::string_view method, std::string_view target,
                                           std::string_view body, const ProbeHeaders& headers,
                                           std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  if (!open(deadline)) return std::nullopt;
  std::string rest = request_text(method, target, body, headers);
  while (!rest.empty() && wait_for(socket_, POLLOUT, deadline)) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;
    rest.erase(0, static_cast<std::size_t>(sent));
  }
  std::array<char, 64 * 1024> buffer;
  while (rest.empty() && wait_for(socket_, POLLIN, deadline)) {
    const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    if (std::optional<ProbeAnswer> answer = take_answer(received_)) {
      if (answer->closes()) close();
      return answer;
    }
  }
  close();
  return std::nullopt;
}

}  // namespace hotrow::test
