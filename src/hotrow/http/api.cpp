#include "hotrow/http/api.hpp"

#include "hotrow/http/commands.hpp"
#include "hotrow/http/documents.hpp"
#include "hotrow/http/event_feed.hpp"
#include "hotrow/http/event_streams.hpp"
#include "hotrow/http/header_values.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/http/market_questions.hpp"
#include "hotrow/http/openapi.hpp"
#include "hotrow/http/query.hpp"
#include "hotrow/http/readiness.hpp"

namespace hotrow::http {
namespace {

std::shared_ptr<const ApiKey> make_dev_key() {
  return std::make_shared<const ApiKey>(ApiKey{.name = "dev", .role = Role::operator_});
}

Response refused(const Exchange& exchange, std::string_view code, std::string detail) {
  return problem_response({.code = code, .detail = std::move(detail)}, exchange.context());
}

Response no_route(const Exchange& exchange) {
  if (exchange.match.allowed.empty())
    return refused(exchange, "not_found", "Nothing is served at this path.");
  Response response = refused(exchange, "method_not_allowed", "This path is not served with this method.");
  response.headers += "Allow: " + exchange.match.allowed + "\r\n";
  return response;
}

std::size_t body_bytes_max(const Limits& limits, const Route* route) {
  if (route == nullptr) return limits.body_bytes_max;
  switch (route->endpoint) {
    case Endpoint::enter_promotion_batch: return limits.batch_body_bytes_max;
    case Endpoint::put_promotion: return limits.promotion_body_bytes_max;
    default: return limits.body_bytes_max;
  }
}

Response status_response(std::string_view status, int code) {
  Response response{.status = code};
  JsonWriter json(response.body);
  json.begin_object().key("status").text(status).end_object();
  return response;
}

}  // namespace

Api::Api(const ServerOptions& options, const ServerParts& parts)
    : options_(options),
      parts_(parts),
      desk_{.engine = parts.engine,
            .readers = parts.readers,
            .server_name = options.server_name,
            .deadline = options.command_deadline,
            .rates = options.rates},
      dev_key_(make_dev_key()),
      readiness_(std::make_shared<Readiness>()),
      streams_(std::make_shared<EventStreams>(parts.readers, parts.api_keys, options.limits.streams_max)),
      feed_(std::make_shared<EventFeed>(parts.readers, options.instance_id, options.limits.long_polls_max)),
      openapi_(openapi_document(options.version)) {}

Api::~Api() = default;

Api::Admission Api::admit(Exchange& exchange) {
  const Request& request = exchange.request;
  const Target target = split_target(request.target);
  exchange.query = target.query;
  exchange.store = options_.instance_id;
  if (is_traceparent(request.value(Header::traceparent))) {
    exchange.traceparent = request.value(Header::traceparent);
  }
  exchange.match = match_route(request.method, target.path);
  const Route* route = exchange.match.route;
  Admission admission{.body_bytes_max = body_bytes_max(options_.limits, route)};
  admission.refusal = route != nullptr ? refuse_caller(exchange) : no_route(exchange);
  if (admission.refusal || route->method == Method::get) return admission;
  if (!is_json(request.value(Header::content_type))) {
    admission.refusal =
        refused(exchange, "unsupported_media_type", "The body must be application/json in UTF-8.");
  } else if (!is_identity(request.value(Header::content_encoding))) {
    admission.refusal = refused(exchange, "unsupported_media_type", "The body must not be encoded.");
  }
  return admission;
}

std::optional<Response> Api::refuse_caller(Exchange& exchange) {
  const Role needed = exchange.match.route->role;
  if (needed == Role::anyone) return std::nullopt;
  if (options_.dev) {
    exchange.key = dev_key_;
    return std::nullopt;
  }
  const auto secret = bearer_secret(exchange.request.value(Header::authorization));
  if (secret) exchange.key = parts_.api_keys.find(*secret);
  if (!exchange.key) {
    return refused(exchange, "unauthorized", "Send Authorization: Bearer with a key that this server knows.");
  }
  if (exchange.key->role >= needed) return std::nullopt;
  return refused(exchange, "forbidden", "This needs the role " + std::string(to_string(needed)) + ".");
}

std::optional<Response> Api::take(Exchange& exchange) {
  const Endpoint endpoint = exchange.match.route->endpoint;
  if (const CommandKind* kind = find_command_kind(endpoint)) return take_command(desk_, *kind, exchange);
  switch (endpoint) {
    case Endpoint::get_promotion: return get_promotion(parts_.readers, exchange);
    case Endpoint::list_promotions: return list_promotions(parts_.readers, exchange);
    case Endpoint::get_entry: return get_entry(parts_.readers, exchange);
    case Endpoint::list_entries: return list_entries(parts_.readers, exchange);
    case Endpoint::list_winners: return list_winners(parts_.readers, exchange);
    case Endpoint::explain_winner: return explain_winner(parts_.readers, exchange, options_.instance_id);
    case Endpoint::audit_promotion: return audit_promotion(parts_.slow_readers, audits_, exchange);
    case Endpoint::export_entries:
      return export_entries(
          parts_.slow_readers, exports_,
          {.patience = options_.limits.send_timeout, .time_max = options_.limits.export_time_max}, exchange);
    case Endpoint::stream_promotion: return streams_->take(promotion_stream(), exchange);
    case Endpoint::list_events: return feed_->take(exchange);
    default: return take_market(exchange);
  }
}

std::optional<Response> Api::take_market(Exchange& exchange) {
  Readers& readers = parts_.readers;
  switch (exchange.match.route->endpoint) {
    case Endpoint::get_player_wallet: return get_wallet(readers, OwnerKind::player, exchange);
    case Endpoint::get_guild_wallet: return get_wallet(readers, OwnerKind::guild, exchange);
    case Endpoint::list_player_ledger: return list_ledger(readers, OwnerKind::player, exchange);
    case Endpoint::list_guild_ledger: return list_ledger(readers, OwnerKind::guild, exchange);
    case Endpoint::get_item: return get_item(readers, exchange);
    case Endpoint::list_player_items: return list_player_items(readers, exchange);
    case Endpoint::list_player_bids: return list_player_bids(readers, exchange);
    case Endpoint::list_player_listings: return list_player_listings(readers, exchange);
    case Endpoint::get_listing: return get_listing(readers, exchange);
    case Endpoint::list_listings: return list_listings(readers, exchange);
    case Endpoint::list_bids: return list_bids(readers, exchange);
    case Endpoint::list_timeline: return list_timeline(readers, exchange, options_.instance_id);
    case Endpoint::stream_listing: return streams_->take(listing_stream(), exchange);
    case Endpoint::quote_listing: return quote_listing(options_.rates, exchange);
    case Endpoint::get_default_policy: return get_policy(readers, PolicyScope::players, exchange);
    case Endpoint::get_player_policy: return get_policy(readers, PolicyScope::player, exchange);
    case Endpoint::get_family_policy: return get_policy(readers, PolicyScope::family, exchange);
    case Endpoint::get_listing_policy: return get_policy(readers, PolicyScope::listing, exchange);
    case Endpoint::get_promotion_policy: return get_policy(readers, PolicyScope::promotion, exchange);
    case Endpoint::get_house: return get_house(readers, exchange);
    case Endpoint::audit_store: return audit_store(parts_.slow_readers, audits_, exchange);
    default: return describe(exchange);
  }
}

/// What the server says of itself, without asking anybody.
Response Api::describe(const Exchange& exchange) const {
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  switch (exchange.match.route->endpoint) {
    case Endpoint::healthz: return status_response("ok", 200);
    case Endpoint::readyz: return readiness();
    case Endpoint::metrics: return {.content_type = media::prometheus, .body = parts_.metrics_text()};
    case Endpoint::openapi: return {.body = openapi_};
    case Endpoint::problem_page: return problem_page(exchange);
    case Endpoint::event_schema: return event_schema(exchange);
    default: return root_page();
  }
}

Response Api::readiness() const {
  if (readiness_->is_draining()) return status_response("draining", 503);
  return readiness_->is_ready() ? status_response("ready", 200) : status_response("store_unreachable", 503);
}

void Api::tick(SteadyTime now) {
  streams_->tick(now);
  feed_->tick(now);
  if (now - checked_at_ < options_.readiness_interval) return;
  checked_at_ = now;
  check_readiness();
}

/// A check that has no answer by the time of the next one counts as a failure.
void Api::check_readiness() {
  const bool late = check_pending_->exchange(true);
  const bool ready = !parts_.ready || parts_.ready();
  if (late || !ready) readiness_->record_failure();
  if (late) return;
  const bool taken =
      parts_.readers.submit([readiness = readiness_, pending = check_pending_, ready](Queries& queries) {
        const bool answered = queries.now().has_value();
        if (answered && ready) readiness->record_success();
        if (!answered && ready) readiness->record_failure();
        pending->store(false);
      });
  if (taken) return;
  check_pending_->store(false);
  if (ready) readiness_->record_failure();
}

void Api::begin_drain() { readiness_->begin_drain(); }

void Api::end_streams() {
  streams_->end();
  feed_->end();
}

}  // namespace hotrow::http
