#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "hotrow/base/result.hpp"
#include "hotrow/core/listing_row.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/engine/readers.hpp"
#include "hotrow/http/api_keys.hpp"
#include "hotrow/http/observer.hpp"

namespace hotrow::http {

/// What one client may take. Beyond a limit the answer says so (408, 413, 414, 431, 503); nothing is dropped
/// in silence.
struct Limits {
  std::size_t header_bytes_max = 8 * 1024;
  std::size_t body_bytes_max = 64 * 1024;
  std::size_t batch_body_bytes_max = 1024 * 1024;     ///< Of the batch route.
  std::size_t promotion_body_bytes_max = 256 * 1024;  ///< Of PUT promotions: the longest terms, also escaped.
  std::size_t connections_max = 20'000;
  std::size_t pipeline_max = 32;                   ///< Requests taken and not answered yet, per connection.
  std::size_t send_buffer_bytes_max = 256 * 1024;  ///< Above it no further request is read.
  std::chrono::milliseconds idle_timeout{75'000};  ///< Between two requests.
  std::chrono::milliseconds read_timeout{10'000};  ///< From a request's first byte to its last.
  std::chrono::milliseconds send_timeout{30'000};  ///< Without the client taking a byte.
  std::chrono::milliseconds export_time_max{600'000};  ///< Its snapshot must not stay open for ever.
  std::size_t long_polls_max = 1'000;
  std::size_t streams_max = 5'000;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one; see Server::port().
  std::size_t io_threads = 1;
  Limits limits;
  std::chrono::milliseconds command_deadline{10'000};  ///< How long a command is worth an answer.
  std::chrono::milliseconds readiness_interval{1'000};
  std::chrono::milliseconds stop_budget{15'000};  ///< What stop() waits for, at most.
  bool dev = false;         ///< No keys: everybody is the operator "dev". The caller must bind loopback only.
  std::string server_name;  ///< Names this process in winners ("why that person?"). Visible ASCII.
  std::string instance_id;  ///< StoreFacts::instance_id: the `source` of events.
  std::string version;      ///< Of the program, for the OpenAPI document.
  Rates rates;              ///< What the house takes of listings made from now on.
};

/// What the server works with. All of it must outlive the server.
struct ServerParts {
  Engine& engine;
  Readers& readers;       ///< Short questions.
  Readers& slow_readers;  ///< Exports and audits: each may occupy a thread as long as its client listens.
  const ApiKeys& api_keys;
  HttpObserver& observer;
  std::function<std::string()> metrics_text;  ///< Prometheus text; called on an io thread.
  std::function<bool()> ready = nullptr;      ///< Anything beyond the store's own answer; must not block.
};

/// The HTTP/1.1 front (docs/openapi.json is its contract).
///
/// An io thread owns its connections whole, so that nothing in them is locked; answers from lanes and readers
/// come through one inbox a thread. Requests on one connection may overlap (pipelining); their answers keep
/// the order. Public members are safe from all threads.
class Server {
 public:
  /// Listens and serves when this returns. Errors: fatal (address in use, not an address, no rights).
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const ServerParts& parts);
  ~Server();  ///< stop()s.

  /// The port it listens on.
  std::uint16_t port() const;

  /// From now on /readyz says 503 and answers close their connections, so that clients move on. Everything
  /// is still served.
  void begin_drain();

  /// Takes nothing new, answers what was taken, ends streams, closes. Returns when that is done or the
  /// stop budget is spent. The engine must still be running. Harmless to repeat.
  void stop();

 private:
  class Threads;
  explicit Server(std::unique_ptr<Threads> threads);
  std::unique_ptr<Threads> threads_;
};

}  // namespace hotrow::http
