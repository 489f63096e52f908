#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "hotrow/base/time.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/http/api_keys.hpp"
#include "hotrow/http/response.hpp"
#include "hotrow/http/routes.hpp"
#include "hotrow/http/target.hpp"

namespace hotrow::http {

class Connection;

/// The header fields that some call uses. Each may stand in a request once.
enum class Header : std::uint8_t {
  host,
  authorization,
  content_type,
  content_encoding,
  expect,
  idempotency_key,
  if_match,
  if_none_match,
  accept,
  last_event_id,
  request_id,
  traceparent,
};
inline constexpr std::size_t headers_known = 12;

struct Request {
  Method method = Method::other;
  bool is_head = false;
  bool keeps_alive = true;
  bool is_http_1_0 = false;
  bool has_body = false;  ///< A body was announced, also when it is empty.
  std::string target;
  std::string body;

  bool has(Header header) const { return (present_ >> unsigned(header)) & 1U; }
  /// Empty when absent.
  const std::string& value(Header header) const { return values_[std::size_t(header)]; }
  /// False when the field was there already.
  [[nodiscard]] bool set(Header header, std::string_view value);

 private:
  std::array<std::string, headers_known> values_;
  unsigned present_ = 0;
};

class Exchange;

/// Takes answered exchanges back to the thread that owns their connection.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void take_answered(Exchange& exchange) = 0;
};

/// One request and its answer. Belongs to its connection's io thread; only answer() may come from others.
/// While it waits for an answer it keeps its connection, so that a client who left changes nothing.
class Exchange {
 public:
  Request request;
  RouteMatch match;
  std::string_view query;  ///< Of request.target.
  std::string_view store;  ///< StoreFacts::instance_id.
  std::string request_id;
  std::string_view traceparent;       ///< Of the request, when it is a valid one.
  std::shared_ptr<const ApiKey> key;  ///< nullptr on routes that are open to anyone.
  SteadyTime taken_at;                ///< When the request was complete.
  std::uint32_t jitter = 0;

  AnswerContext context() const { return {.request_id = request_id, .jitter = jitter}; }

  /// Exactly one of these, exactly once, after Api::take() returned nothing; from any thread.
  void answer(Result<Reply> reply);
  void answer(Response response);

 private:
  friend class Connection;
  friend class IoLoop;

  AnswerSink* sink_ = nullptr;
  std::shared_ptr<Connection> holder_;
  std::variant<std::monostate, Result<Reply>, Response> answer_;
  bool answered_ = false;  ///< Known to the connection.
  bool head_sent_ = false;
  std::shared_ptr<BodyPipe> pipe_;
};

}  // namespace hotrow::http
