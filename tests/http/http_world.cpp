#include "tests/http/http_world.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <fstream>

#include "hotrow/base/assert.hpp"
#include "tests/support/commands.hpp"

namespace hotrow::test {
namespace {

constexpr int patience_ms = 10'000;

template <class T>
T value_or_abort(Result<T> result) {
  HOTROW_ASSERT(result.has_value());
  return std::move(*result);
}

http::ApiKey key(std::string name, http::Role role, std::string_view secret) {
  return {.name = std::move(name), .role = role, .sha256 = sha256(secret)};
}

std::vector<http::ApiKey> make_keys() {
  return {key("bob", http::Role::reader, "reader-key"), key("shop", http::Role::service, "service-key"),
          key("alice", http::Role::operator_, "operator-key")};
}

}  // namespace

RawClient::RawClient(std::uint16_t port, Window window) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  const int bytes = 4096;
  if (window == Window::small) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

RawClient::~RawClient() { close(socket_); }

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // The server has closed; what it says of that is what the test looks at.
    bytes.remove_prefix(std::size_t(sent));
  }
}

void RawClient::finish_sending() { shutdown(socket_, SHUT_WR); }

bool RawClient::fill() {
  pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, patience_ms) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
  if (size <= 0) return false;
  received_.append(buffer.data(), std::size_t(size));
  return true;
}

ProbeAnswer RawClient::receive() {
  for (;;) {
    if (std::optional<ProbeAnswer> answer = take_answer(received_)) return std::move(*answer);
    if (fill()) continue;
    ADD_FAILURE() << "no whole answer came; so far: " << received_.substr(0, 2000);
    return {};
  }
}

std::string RawClient::receive_until(std::string_view text) {
  std::size_t searched = 0;
  while (received_.find(text, searched) == std::string::npos) {
    searched = received_.size() - std::min(received_.size(), text.size());
    if (fill()) continue;
    ADD_FAILURE() << "\"" << text << "\" did not come; so far: " << received_.substr(0, 4000);
    break;
  }
  return received_;
}

std::string RawClient::receive_to_the_end() {
  while (fill()) {
  }
  return received_;
}

bool RawClient::is_closed_by_server() {
  pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
  if (!received_.empty() || poll(&wait, 1, patience_ms) <= 0) return false;
  char byte = 0;
  return recv(socket_, &byte, 1, 0) <= 0;
}

void RememberingObserver::request_finished(const http::RequestReport& report) {
  seen_.with([&](std::vector<Seen>& seen) {
    seen.push_back({.route = std::string(report.route),
                    .method = std::string(report.method),
                    .code = std::string(report.code),
                    .request_id = std::string(report.request_id),
                    .traceparent = std::string(report.traceparent),
                    .api_key = std::string(report.api_key),
                    .status = report.status});
  });
}

std::vector<RememberingObserver::Seen> RememberingObserver::seen() const {
  return seen_.with([](const std::vector<Seen>& seen) { return seen; });
}

HttpWorld::HttpWorld(WorldOptions options) : clock_(opening), keys_(make_keys()) {
  store_ = open_memory_store([this] { return clock_.with([](Timestamp now) { return now; }); });
  engine_ = value_or_abort(Engine::start(*store_, {}, engine_observer_));
  readers_ = value_or_abort(Readers::start(*store_, {}));
  slow_readers_ = value_or_abort(Readers::start(*store_, {}));
  options.server.port = 0;
  options.server.dev = !options.with_keys;
  options.server.server_name = "server-1";
  if (options.server.instance_id.empty()) options.server.instance_id = "test";
  options.server.version = "0.1.0";
  server_ = value_or_abort(http::Server::start(options.server, {.engine = *engine_,
                                                                .readers = *readers_,
                                                                .slow_readers = *slow_readers_,
                                                                .api_keys = keys_,
                                                                .observer = observer_,
                                                                .metrics_text = [] { return "up 1\n"; }}));
}

HttpWorld::~HttpWorld() {
  server_->stop();
  engine_->drain();
}

void HttpWorld::load_keys(std::string_view lines) {
  const std::string path = testing::TempDir() + "hotrow_keys_" + std::to_string(port());
  std::ofstream(path) << lines;
  EXPECT_TRUE(keys_.load(path).empty()) << lines;
  std::remove(path.c_str());
}

void HttpWorld::move_clock(std::chrono::microseconds by) {
  clock_.with([by](Timestamp& now) { now = now + by; });
}

ProbeAnswer HttpWorld::call(std::string_view method, std::string_view target, std::string_view body,
                            const ProbeHeaders& headers) {
  RawClient client(port());
  client.send(request_text(method, target, body, headers));
  ProbeAnswer answer = client.receive();
  expect_described(method, target, answer);
  return answer;
}

void HttpWorld::expect_described(std::string_view method, std::string_view target,
                                 const ProbeAnswer& answer) {
  if (!contract_) {
    RawClient client(port());
    client.send("GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n");
    contract_.emplace(client.receive().body);
  }
  EXPECT_EQ(contract_->judge(method, target, answer), "") << method << " " << target;
}

ProbeAnswer HttpWorld::put_promotion(std::string_view id, std::string_view more_members) {
  std::string body = R"({"title":"Grand opening","rule":{"kind":"nth","targets":[3]},)"
                     R"("starts_at":"2026-06-01T00:00:00Z")";
  body += more_members;
  return call("PUT", "/v1/promotions/" + std::string(id), body + "}");
}

ProbeAnswer HttpWorld::enter(std::string_view id, std::string_view user, const ProbeHeaders& headers) {
  return call("POST", "/v1/promotions/" + std::string(id) + "/entries",
              R"({"user_id":")" + std::string(user) + "\"}", headers);
}

boost::json::object object_of(const ProbeAnswer& answer) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(answer.body, error);
  EXPECT_FALSE(error) << answer.body;
  EXPECT_TRUE(value.is_object()) << answer.body;
  return value.is_object() ? value.get_object() : boost::json::object();
}

std::string text_member(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  EXPECT_TRUE(value != nullptr && value->is_string()) << name;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t integer_member(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  EXPECT_TRUE(value != nullptr && value->is_int64()) << name;
  return value != nullptr && value->is_int64() ? value->get_int64() : -1;
}

std::string problem_code(const ProbeAnswer& answer) {
  EXPECT_EQ(answer.header("content-type"), "application/problem+json") << answer.body;
  const boost::json::object problem = object_of(answer);
  EXPECT_EQ(integer_member(problem, "status"), answer.status);
  return text_member(problem, "code");
}

std::string error_fields(const ProbeAnswer& answer) {
  std::string fields;
  const boost::json::object problem = object_of(answer);
  const boost::json::value* errors = problem.if_contains("errors");
  if (errors == nullptr) return fields;
  for (const boost::json::value& error : errors->as_array()) {
    if (!fields.empty()) fields += ' ';
    fields += error.at("field").as_string();
  }
  return fields;
}

}  // namespace hotrow::test
