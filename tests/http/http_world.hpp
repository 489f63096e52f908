#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotrow/base/guarded.hpp"
#include "hotrow/http/server.hpp"
#include "hotrow/store/memory_store.hpp"
#include "tests/http/contract.hpp"
#include "tests/support/http_probe.hpp"

namespace hotrow::test {

/// One connection that sends exactly the bytes it is told to, and reads whole answers off it.
class RawClient {
 public:
  /// How much the client's machine takes without the client reading.
  enum class Window { usual, small };
  explicit RawClient(std::uint16_t port, Window window = Window::usual);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  void send(std::string_view bytes);
  void finish_sending();
  /// Waits for a whole answer; fails the test when none comes within ten seconds.
  ProbeAnswer receive();
  /// Waits until what has come holds `text`; returns all of it. For streams.
  std::string receive_until(std::string_view text);
  /// Everything until the server closes the connection.
  std::string receive_to_the_end();
  /// Waits for the server to close the connection; false when it sends something instead.
  bool is_closed_by_server();

 private:
  bool fill();
  int socket_ = -1;
  std::string received_;
};

/// Remembers what it was told.
class RememberingObserver : public http::HttpObserver {
 public:
  struct Seen {
    std::string route, method, code, request_id, traceparent, api_key;
    int status = 0;
  };
  void request_finished(const http::RequestReport& report) override;
  std::vector<Seen> seen() const;

 private:
  Guarded<std::vector<Seen>> seen_;
};

struct WorldOptions {
  http::ServerOptions server{};
  bool with_keys = false;  ///< "reader-key", "service-key" and "operator-key" instead of dev.
};

/// A server over the memory store on a free loopback port. The store's clock stands at `opening` until moved.
class HttpWorld {
 public:
  explicit HttpWorld(WorldOptions options = {});
  ~HttpWorld();

  std::uint16_t port() const { return server_->port(); }
  http::Server& server() { return *server_; }
  Engine& engine() { return *engine_; }
  RememberingObserver& observer() { return observer_; }
  /// For answers that came on another way than call().
  void expect_described(std::string_view method, std::string_view target, const ProbeAnswer& answer);
  /// What SIGHUP does with a keys file that has these lines.
  void load_keys(std::string_view lines);
  void move_clock(std::chrono::microseconds by);

  /// One request on a connection of its own, with a JSON body unless it is empty. Fails the test when the
  /// answer is not as the server's own OpenAPI document describes it.
  ProbeAnswer call(std::string_view method, std::string_view target, std::string_view body = "",
                   const ProbeHeaders& headers = {});
  ProbeAnswer put_promotion(std::string_view id, std::string_view more_members = "");
  ProbeAnswer enter(std::string_view id, std::string_view user, const ProbeHeaders& headers = {});

 private:
  Guarded<Timestamp> clock_;
  std::unique_ptr<Store> store_;
  Observer engine_observer_;
  RememberingObserver observer_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Readers> readers_;
  std::unique_ptr<Readers> slow_readers_;
  http::ApiKeys keys_;
  std::unique_ptr<http::Server> server_;
  std::optional<Contract> contract_;
};

/// The body as a JSON object; fails the test when it is none.
boost::json::object object_of(const ProbeAnswer& answer);
std::string text_member(const boost::json::object& object, std::string_view name);
std::int64_t integer_member(const boost::json::object& object, std::string_view name);
/// The problem's code; fails the test when the answer is no problem.
std::string problem_code(const ProbeAnswer& answer);
/// The fields named by a problem's errors, joined by blanks.
std::string error_fields(const ProbeAnswer& answer);

}  // namespace hotrow::test
