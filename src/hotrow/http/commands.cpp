#include "hotrow/http/commands.hpp"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>

#include "hotrow/http/header_values.hpp"
#include "hotrow/http/questions.hpp"
#include "hotrow/http/strict_json.hpp"

namespace hotrow::http {
namespace {

namespace json = boost::json;

Response refused(const Exchange& exchange, std::string_view code, std::string detail) {
  return problem_response({.code = code, .detail = std::move(detail)}, exchange.context());
}

Response invalid_members(const Exchange& exchange, std::vector<FieldError> errors) {
  return problem_response({.code = "validation_failed",
                           .detail = "The body has members that are not right.",
                           .errors = std::move(errors)},
                          exchange.context());
}

using PathIds = std::array<std::string, 2>;

/// The ids in the path, as many as the route has; nullopt when one of them is none.
std::optional<PathIds> read_path(const Exchange& exchange) {
  PathIds ids;
  const auto count = std::size_t(std::ranges::count(exchange.match.route->path, '{'));
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<std::string> id = path_id(exchange, i);
    if (!id) return std::nullopt;
    ids[i] = std::move(*id);
  }
  return ids;
}

/// The same request again gives the same bytes, however its body and path are written. Ids hold no line ends.
Sha256 fingerprint(const Route& route, const PathIds& path, const json::object& body) {
  std::string text(to_string(route.method));
  text += ' ';
  text += route.path;
  text += '\n';
  for (const std::string& id : path) {
    if (id.empty()) continue;
    text += id;
    text += '\n';
  }
  text += canonical_json(body);
  return sha256(text);
}

Envelope make_envelope(const CommandDesk& desk, const Exchange& exchange) {
  return {.actor = exchange.key->name,
          .request_id = exchange.request_id,
          .traceparent = std::string(exchange.traceparent),
          .server = desk.server_name,
          .arrived_at = wall_clock_now(),
          .deadline = exchange.taken_at + desk.deadline};
}

/// Builds one command, stopping at the first thing that is wrong with the request as a whole.
class CommandBuilder {
 public:
  CommandBuilder(const CommandDesk& desk, const CommandKind& kind, Exchange& exchange)
      : desk_(desk), kind_(kind), exchange_(exchange), command_{.envelope = make_envelope(desk, exchange)} {}

  /// What to answer at once; nothing when command() is ready.
  std::optional<Response> build() {
    std::optional<PathIds> path = read_path(exchange_);
    if (!path) return invalid_path_response(exchange_);
    if (auto refusal = read_headers()) return refusal;
    tl::expected<json::object, std::string> body = parse_body();
    if (!body) return refused(exchange_, "invalid_json", std::move(body.error()));

    Envelope& envelope = command_.envelope;
    if (!envelope.idempotency_key.empty()) {
      envelope.fingerprint = fingerprint(*exchange_.match.route, *path, *body);
    }
    Input<CommandInput> input = kind_.read({.path = std::move(*path),
                                            .body = *body,
                                            .if_version = if_version_,
                                            .only_create = only_create_,
                                            .actor = envelope.actor,
                                            .idempotency_key = envelope.idempotency_key,
                                            .rates = desk_.rates});
    if (!input) return invalid_members(exchange_, std::move(input.error()));
    command_.body = std::move(input->body);
    envelope.principal = std::move(input->principal);
    return std::nullopt;
  }

  Command take() { return std::move(command_); }
  /// If-Match: * on a call that may create.
  bool must_exist() const { return must_exist_; }

 private:
  std::optional<Response> read_headers() {
    const Request& request = exchange_.request;
    if (request.has(Header::if_match)) {
      std::optional<VersionTags> match = if_match(request.value(Header::if_match));
      if (!match)
        return refused(exchange_, "invalid_header", "If-Match is no list of entity tags and not *.");
      match->any ? void(must_exist_ = true) : void(if_version_ = std::move(match->versions));
    }
    if (request.method == Method::put && request.has(Header::if_none_match)) {
      const std::optional<VersionTags> match = if_none_match(request.value(Header::if_none_match));
      only_create_ = match && match->any;
      if (!only_create_)
        return refused(exchange_, "invalid_header", "On a PUT, If-None-Match can only be *.");
    }
    if (kind_.key == KeyUse::ignored) return std::nullopt;
    if (!request.has(Header::idempotency_key)) {
      if (kind_.key == KeyUse::optional) return std::nullopt;
      return refused(exchange_, "idempotency_key_missing", "This call needs an Idempotency-Key.");
    }
    std::optional<std::string> key = idempotency_key(request.value(Header::idempotency_key));
    if (!key) {
      return refused(exchange_, "idempotency_key_invalid",
                     "Idempotency-Key is not 1 to 255 visible ASCII characters.");
    }
    command_.envelope.idempotency_key = std::move(*key);
    return std::nullopt;
  }

  /// The body lives as long as this.
  tl::expected<json::object, std::string> parse_body() {
    const std::string& text = exchange_.request.body;
    if (text.empty() && kind_.body == BodyUse::optional) return json::object(&memory_);
    return parse_object(text, &memory_);
  }

  const CommandDesk& desk_;
  const CommandKind& kind_;
  Exchange& exchange_;
  Command command_;
  VersionMatch if_version_;
  bool must_exist_ = false;
  bool only_create_ = false;
  std::array<unsigned char, 2048> buffer_;
  json::monotonic_resource memory_{buffer_.data(), buffer_.size()};
};

void submit(Engine& engine, Command command, Exchange& exchange) {
  engine.submit(std::move(command), [&exchange](Result<Reply> reply) { exchange.answer(std::move(reply)); });
}

/// Promotions never go away, so that one that exists now still exists when the command is decided.
std::optional<Response> submit_if_exists(const CommandDesk& desk, Command command, Exchange& exchange) {
  auto shared = std::make_shared<Command>(std::move(command));
  const bool taken = desk.readers.submit([shared, &exchange, &engine = desk.engine](Queries& queries) {
    const auto found = queries.promotion(std::get<PutPromotion>(shared->body).promotion);
    if (!found) return exchange.answer(failure_response(found.error(), exchange.context()));
    if (!*found) {
      return exchange.answer(
          refused(exchange, "precondition_failed", "If-Match: * and there is no such promotion."));
    }
    submit(engine, std::move(*shared), exchange);
  });
  if (taken) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

}  // namespace

std::optional<Response> take_command(const CommandDesk& desk, const CommandKind& kind, Exchange& exchange) {
  CommandBuilder builder(desk, kind, exchange);
  if (std::optional<Response> refusal = builder.build()) return refusal;
  Command command = builder.take();
  if (builder.must_exist() && std::holds_alternative<PutPromotion>(command.body)) {
    return submit_if_exists(desk, std::move(command), exchange);
  }
  submit(desk.engine, std::move(command), exchange);
  return std::nullopt;
}

}  // namespace hotrow::http
