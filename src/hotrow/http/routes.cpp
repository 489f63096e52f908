#include "hotrow/http/routes.hpp"

namespace hotrow::http {
namespace {

constexpr std::array table = {
    Route{Endpoint::enter_promotion, Method::post, "/v1/promotions/{promotion_id}/entries", Role::service,
          "enterPromotion", "Enter a promotion and learn the place"},
    Route{Endpoint::get_entry, Method::get, "/v1/promotions/{promotion_id}/entries/{user_id}", Role::reader,
          "getEntry", "A user's place"},
    Route{Endpoint::get_promotion, Method::get, "/v1/promotions/{promotion_id}", Role::reader, "getPromotion",
          "A promotion with its state, counters and winners"},
    Route{Endpoint::put_promotion, Method::put, "/v1/promotions/{promotion_id}", Role::operator_,
          "putPromotion", "Create a promotion or change its settings"},
    Route{Endpoint::list_promotions, Method::get, "/v1/promotions", Role::reader, "listPromotions",
          "Promotions by id"},
    Route{Endpoint::pause_promotion, Method::post, "/v1/promotions/{promotion_id}/pause", Role::operator_,
          "pausePromotion", "Let nobody new in for a while"},
    Route{Endpoint::resume_promotion, Method::post, "/v1/promotions/{promotion_id}/resume", Role::operator_,
          "resumePromotion", "Let people in again"},
    Route{Endpoint::close_promotion, Method::post, "/v1/promotions/{promotion_id}/close", Role::operator_,
          "closePromotion", "End a promotion for ever"},
    Route{Endpoint::enter_promotion_batch, Method::post, "/v1/promotions/{promotion_id}/entries/batch",
          Role::service, "enterPromotionBatch", "Enter many users in the order given"},
    Route{Endpoint::list_entries, Method::get, "/v1/promotions/{promotion_id}/entries", Role::reader,
          "listEntries", "Entries in ordinal order"},
    Route{Endpoint::list_winners, Method::get, "/v1/promotions/{promotion_id}/winners", Role::reader,
          "listWinners", "Winners in ordinal order"},
    Route{Endpoint::explain_winner, Method::get, "/v1/promotions/{promotion_id}/winners/{ordinal}",
          Role::reader, "explainWinner", "Why that person?"},
    Route{Endpoint::export_entries, Method::get, "/v1/promotions/{promotion_id}/export", Role::operator_,
          "exportEntries", "All entries of one consistent state, streamed in ordinal order"},
    Route{Endpoint::audit_promotion, Method::get, "/v1/promotions/{promotion_id}/audit", Role::reader,
          "auditPromotion", "Prove the promotion from its rows"},
    Route{Endpoint::stream_promotion, Method::get, "/v1/promotions/{promotion_id}/stream", Role::reader,
          "streamPromotion", "Server-Sent Events: snapshot, progress, winner, closed"},
    Route{Endpoint::list_events, Method::get, "/v1/events", Role::service, "listEvents",
          "The feed of committed events"},
    Route{Endpoint::healthz, Method::get, "/healthz", Role::anyone, "getHealth", "The process is alive"},
    Route{Endpoint::readyz, Method::get, "/readyz", Role::anyone, "getReadiness",
          "The store answers and the server is not draining"},
    Route{Endpoint::metrics, Method::get, "/metrics", Role::reader, "getMetrics", "Prometheus metrics"},
    Route{Endpoint::openapi, Method::get, "/openapi.json", Role::anyone, "getOpenApi", "This document"},
    Route{Endpoint::problem_page, Method::get, "/problems/{code}", Role::anyone, "getProblem",
          "What a problem's code means"},
    Route{Endpoint::event_schema, Method::get, "/schemas/{type}/1", Role::anyone, "getEventSchema",
          "JSON Schema of an event's data"},
    Route{Endpoint::root, Method::get, "/", Role::anyone, "getRoot", "A page that names this API"},
};

/// Takes the first segment, without its slashes, off the path.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool matches(std::string_view pattern, std::string_view path, std::array<std::string_view, 2>& captures) {
  std::size_t captured = 0;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view expected = take_segment(pattern);
    const std::string_view segment = take_segment(path);
    if (expected.starts_with('{')) {
      captures[captured++] = segment;
    } else if (expected != segment) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

Method method_from_string(std::string_view name) {
  if (name == "GET" || name == "HEAD") return Method::get;
  if (name == "POST") return Method::post;
  if (name == "PUT") return Method::put;
  return Method::other;
}

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::put: return "PUT";
    case Method::post: return "POST";
    case Method::other: break;
  }
  return "OTHER";
}

std::span<const Route> routes() { return table; }

RouteMatch match_route(Method method, std::string_view path) {
  RouteMatch match;
  if (!path.starts_with('/')) return match;
  std::array<std::string_view, 2> captures;
  for (const Route& route : table) {
    if (!matches(route.path, path, captures)) continue;
    if (route.method == method) return {.route = &route, .captures = captures};
    if (!match.allowed.empty()) match.allowed += ", ";
    match.allowed += route.method == Method::get ? "GET, HEAD" : to_string(route.method);
  }
  return match;
}

}  // namespace hotrow::http
