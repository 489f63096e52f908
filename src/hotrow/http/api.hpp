#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "hotrow/http/commands.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/questions.hpp"
#include "hotrow/http/server.hpp"

namespace hotrow::http {

class EventFeed;
class EventStreams;
class Readiness;

/// What the routes do, without sockets. Safe from all threads.
class Api {
 public:
  Api(const ServerOptions& options, const ServerParts& parts);
  ~Api();

  struct Admission {
    std::size_t body_bytes_max = 0;
    std::optional<Response> refusal = {};
  };
  /// Judges a request by its header: the route, the caller's key, the form of the body. Fills in the
  /// exchange's match, key and query. The body is read whatever comes out, so that the connection can go on.
  Admission admit(Exchange& exchange);

  /// Answers a complete request that was admitted. Nothing: exchange.answer() is called later, exactly once,
  /// from some thread, possibly before this returns.
  std::optional<Response> take(Exchange& exchange);

  /// What goes on by itself: readiness, streams, long polls. Call it about ten times a second from one
  /// thread.
  void tick(SteadyTime now);

  void begin_drain();
  /// Ends streams and answers long polls.
  void end_streams();

 private:
  std::optional<Response> refuse_caller(Exchange& exchange);
  std::optional<Response> take_market(Exchange& exchange);
  Response describe(const Exchange& exchange) const;
  Response readiness() const;
  void check_readiness();

  const ServerOptions options_;
  const ServerParts parts_;
  const CommandDesk desk_;
  const std::shared_ptr<const ApiKey> dev_key_;
  const std::shared_ptr<Readiness> readiness_;
  const std::shared_ptr<EventStreams> streams_;
  const std::shared_ptr<EventFeed> feed_;
  const std::string openapi_;
  Turnstile audits_;
  Turnstile exports_;
  SteadyTime checked_at_;  ///< Of tick() alone.
  const std::shared_ptr<std::atomic<bool>> check_pending_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace hotrow::http
