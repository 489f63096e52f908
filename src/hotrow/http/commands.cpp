#include "hotrow/http/commands.hpp"

#include <boost/json/monotonic_resource.hpp>

#include "hotrow/base/utf8.hpp"
#include "hotrow/core/command.hpp"
#include "hotrow/http/header_values.hpp"
#include "hotrow/http/promotion_input.hpp"
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

/// The same request again gives the same bytes, however its body and path are written.
Sha256 fingerprint(const Exchange& exchange, std::string_view promotion, const json::object& body) {
  std::string text(to_string(exchange.match.route->method));
  text += ' ';
  text += exchange.match.route->path;
  text += '\n';
  text += promotion;
  text += '\n';
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

/// Builds one command, stopping at the first thing that is wrong with the request as a whole. `body` lives as
/// long as this.
class CommandBuilder {
 public:
  CommandBuilder(const CommandDesk& desk, Exchange& exchange)
      : exchange_(exchange), command_{.envelope = make_envelope(desk, exchange)} {}

  /// What to answer at once; nothing when command() is ready.
  std::optional<Response> build() {
    std::optional<std::string> id = percent_decode(exchange_.match.captures[0]);
    if (!id || !is_valid_id(*id))
      return refused(exchange_, "invalid_path", "The promotion's id is not valid.");
    promotion_ = std::move(*id);
    if (auto refusal = read_headers()) return refusal;

    tl::expected<json::object, std::string> body = parse_object(exchange_.request.body, &memory_);
    if (!body) return refused(exchange_, "invalid_json", std::move(body.error()));
    if (auto refusal = read_body(*body)) return refusal;
    if (!command_.envelope.idempotency_key.empty()) {
      command_.envelope.fingerprint = fingerprint(exchange_, promotion_, *body);
    }
    return std::nullopt;
  }

  Command take() { return std::move(command_); }
  /// If-Match: * on a call that may create.
  bool must_exist() const { return must_exist_; }

 private:
  std::optional<Response> read_headers() {
    const Request& request = exchange_.request;
    if (request.has(Header::if_match)) {
      const std::optional<IfMatch> match = if_match(request.value(Header::if_match));
      if (!match) return refused(exchange_, "invalid_header", "If-Match is not one entity tag or *.");
      match->any ? void(must_exist_ = true) : void(if_version_ = match->version);
    }
    if (request.method == Method::post && request.has(Header::idempotency_key)) {
      std::optional<std::string> key = idempotency_key(request.value(Header::idempotency_key));
      if (!key) {
        return refused(exchange_, "idempotency_key_invalid",
                       "Idempotency-Key is not 1 to 255 visible ASCII characters.");
      }
      command_.envelope.idempotency_key = std::move(*key);
    }
    return std::nullopt;
  }

  std::optional<Response> read_body(const json::object& body) {
    switch (exchange_.match.route->endpoint) {
      case Endpoint::put_promotion: return read(read_promotion(body), &CommandBuilder::put);
      case Endpoint::enter_promotion: return read(read_user(body), &CommandBuilder::enter);
      case Endpoint::enter_promotion_batch: return read(read_users(body), &CommandBuilder::enter_batch);
      default: return read(read_reason(body), &CommandBuilder::change);
    }
  }

  template <class T>
  std::optional<Response> read(Input<T> input, void (CommandBuilder::*accept)(T)) {
    if (!input) return invalid_members(exchange_, std::move(input.error()));
    (this->*accept)(std::move(*input));
    return std::nullopt;
  }

  void put(PromotionInput input) {
    command_.body = PutPromotion{.promotion = promotion_,
                                 .settings = std::move(input.settings),
                                 .if_version = if_version_,
                                 .reason = std::move(input.reason)};
  }

  void enter(std::string user) {
    command_.envelope.principal = user;
    command_.body = EnterPromotion{.promotion = promotion_, .user = std::move(user)};
  }

  void enter_batch(std::vector<std::string> users) {
    command_.body = EnterPromotionBatch{.promotion = promotion_, .users = std::move(users)};
  }

  void change(std::string reason) {
    PromotionAction action = PromotionAction::pause;
    const Endpoint endpoint = exchange_.match.route->endpoint;
    if (endpoint == Endpoint::resume_promotion) action = PromotionAction::resume;
    if (endpoint == Endpoint::close_promotion) action = PromotionAction::close;
    command_.body = ChangePromotion{
        .promotion = promotion_, .action = action, .if_version = if_version_, .reason = std::move(reason)};
  }

  Exchange& exchange_;
  Command command_;
  std::string promotion_;
  std::optional<std::int64_t> if_version_;
  bool must_exist_ = false;
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

std::optional<Response> take_command(const CommandDesk& desk, Exchange& exchange) {
  CommandBuilder builder(desk, exchange);
  if (std::optional<Response> refusal = builder.build()) return refusal;
  Command command = builder.take();
  if (builder.must_exist() && std::holds_alternative<PutPromotion>(command.body)) {
    return submit_if_exists(desk, std::move(command), exchange);
  }
  submit(desk.engine, std::move(command), exchange);
  return std::nullopt;
}

}  // namespace hotrow::http
