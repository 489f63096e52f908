#include "hotrow/http/listing_reading.hpp"
#include "hotrow/http/market_questions.hpp"
#include "hotrow/http/query.hpp"

namespace hotrow::http {
namespace {

/// What to answer instead when a policy was never set: 404 where nothing it could be set for exists.
Result<std::optional<Response>> subject_refusal(Queries& queries, const Exchange& exchange,
                                                const PolicyId& id) {
  if (id.scope == PolicyScope::listing) {
    Result<std::optional<ListingRow>> listing = queries.listing(id.id);
    if (!listing) return failure(std::move(listing.error()));
    if (!*listing) return listing_not_found_response(id.id, exchange.context());
  }
  if (id.scope == PolicyScope::promotion) {
    Result<std::optional<PromotionRow>> promotion = queries.promotion(id.id);
    if (!promotion) return failure(std::move(promotion.error()));
    if (!*promotion) return promotion_not_found_response(exchange, id.id);
  }
  return std::nullopt;
}

Result<Response> policy_answer(Queries& queries, const Exchange& exchange, const PolicyId& id) {
  Result<std::vector<PolicyRow>> found = queries.policies({id});
  if (!found) return failure(std::move(found.error()));
  if (found->empty()) {
    Result<std::optional<Response>> refusal = subject_refusal(queries, exchange, id);
    if (!refusal) return failure(std::move(refusal.error()));
    if (*refusal) return std::move(**refusal);
  }
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  const PolicyAnswer answer{.policy = found->empty() ? PolicyRow{.id = id} : std::move(found->front()),
                            .server_time = *now};
  Response response{.version = answer.policy.version};
  if (answer.policy.version > 0) response.headers = state_lines(answer.policy.version);
  JsonWriter json(response.body);
  write_policy(json, answer);
  return response;
}

}  // namespace

std::optional<Response> get_policy(Readers& readers, PolicyScope scope, Exchange& exchange) {
  PolicyId policy{.scope = scope};
  if (scope != PolicyScope::players) {
    std::optional<std::string> id = path_id(exchange, 0);
    if (!id) return invalid_path_response(exchange);
    policy.id = std::move(*id);
  }
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange,
             [&exchange, policy](Queries& queries) { return policy_answer(queries, exchange, policy); });
}

}  // namespace hotrow::http
