#include "hotrow/http/routes.hpp"

namespace hotrow::http {
namespace {

// The busiest first.
constexpr std::array table = {
    Route{Endpoint::enter_promotion, Method::post, "/v1/promotions/{promotion_id}/entries", Role::service,
          "enterPromotion", "Enter a promotion and learn the place"},
    Route{Endpoint::place_bid, Method::post, "/v1/listings/{listing_id}/bids", Role::service, "placeBid",
          "Bid; the whole amount is held at once"},
    Route{Endpoint::buy_out, Method::post, "/v1/listings/{listing_id}/buyout", Role::service, "buyOut",
          "Buy at the buyout price"},
    Route{Endpoint::get_listing, Method::get, "/v1/listings/{listing_id}", Role::reader, "getListing",
          "A listing as it stands"},
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
    Route{Endpoint::create_listing, Method::post, "/v1/listings", Role::service, "createListing",
          "Put an item up for sale"},
    Route{Endpoint::list_listings, Method::get, "/v1/listings", Role::reader, "listListings",
          "Listings by filters, sorted"},
    Route{Endpoint::quote_listing, Method::get, "/v1/quotes/listing", Role::reader, "quoteListing",
          "What a listing holds and a sale cuts"},
    Route{Endpoint::list_bids, Method::get, "/v1/listings/{listing_id}/bids", Role::reader, "listBids",
          "Bids in the order they were accepted"},
    Route{Endpoint::list_timeline, Method::get, "/v1/listings/{listing_id}/timeline", Role::reader,
          "listTimeline", "Every event of a listing"},
    Route{Endpoint::stream_listing, Method::get, "/v1/listings/{listing_id}/stream", Role::reader,
          "streamListing", "Server-Sent Events: a snapshot, then every event"},
    Route{Endpoint::cancel_listing, Method::post, "/v1/listings/{listing_id}/cancel", Role::service,
          "cancelListing", "Take a listing back while nobody leads"},
    Route{Endpoint::settle_listing, Method::post, "/v1/listings/{listing_id}/settle", Role::operator_,
          "settleListing", "Do what the end brings"},
    Route{Endpoint::void_listing, Method::post, "/v1/listings/{listing_id}/void", Role::operator_,
          "voidListing", "Give everything back to where it came from"},
    Route{Endpoint::get_player_wallet, Method::get, "/v1/players/{player_id}/wallet", Role::reader,
          "getPlayerWallet", "A player's money in one currency"},
    Route{Endpoint::list_player_ledger, Method::get, "/v1/players/{player_id}/wallet/ledger", Role::reader,
          "listPlayerLedger", "Every change of a player's wallet"},
    Route{Endpoint::deposit_to_player, Method::post, "/v1/players/{player_id}/wallet/deposits", Role::service,
          "depositToPlayer", "Money in from the game"},
    Route{Endpoint::withdraw_from_player, Method::post, "/v1/players/{player_id}/wallet/withdrawals",
          Role::service, "withdrawFromPlayer", "Money out to the game"},
    Route{Endpoint::get_guild_wallet, Method::get, "/v1/guilds/{guild_id}/wallet", Role::reader,
          "getGuildWallet", "A guild's money in one currency"},
    Route{Endpoint::list_guild_ledger, Method::get, "/v1/guilds/{guild_id}/wallet/ledger", Role::reader,
          "listGuildLedger", "Every change of a guild's wallet"},
    Route{Endpoint::deposit_to_guild, Method::post, "/v1/guilds/{guild_id}/wallet/deposits", Role::service,
          "depositToGuild", "Money in from the game"},
    Route{Endpoint::withdraw_from_guild, Method::post, "/v1/guilds/{guild_id}/wallet/withdrawals",
          Role::service, "withdrawFromGuild", "Money out to the game"},
    Route{Endpoint::transfer_money, Method::post, "/v1/transfers", Role::service, "transferMoney",
          "Money from one owner to another"},
    Route{Endpoint::put_item, Method::put, "/v1/items/{item_id}", Role::service, "putItem", "Create an item"},
    Route{Endpoint::get_item, Method::get, "/v1/items/{item_id}", Role::reader, "getItem",
          "An item, its owner and its place"},
    Route{Endpoint::withdraw_item, Method::post, "/v1/items/{item_id}/withdrawals", Role::service,
          "withdrawItem", "Let an item leave for the game"},
    Route{Endpoint::list_player_items, Method::get, "/v1/players/{player_id}/items", Role::reader,
          "listPlayerItems", "A player's items by id"},
    Route{Endpoint::list_player_bids, Method::get, "/v1/players/{player_id}/bids", Role::reader,
          "listPlayerBids", "A player's bids, the latest first"},
    Route{Endpoint::list_player_listings, Method::get, "/v1/players/{player_id}/listings", Role::reader,
          "listPlayerListings", "A player's listings by id, whatever their status"},
    Route{Endpoint::restrict_player, Method::put, "/v1/players/{player_id}/restrictions", Role::operator_,
          "restrictPlayer", "Block a player from trade, or allow it again"},
    Route{Endpoint::pause_market, Method::post, "/v1/market/pause", Role::operator_, "pauseMarket",
          "Stop all trade for a while"},
    Route{Endpoint::resume_market, Method::post, "/v1/market/resume", Role::operator_, "resumeMarket",
          "Let trade go on"},
    // Before the route of one player, whose path it fits, too.
    Route{Endpoint::put_default_policy, Method::put, "/v1/policies/players/default", Role::operator_,
          "putDefaultPolicy", "Limit every player who has no limit of his own"},
    Route{Endpoint::get_default_policy, Method::get, "/v1/policies/players/default", Role::reader,
          "getDefaultPolicy", "Every player's limits"},
    Route{Endpoint::put_player_policy, Method::put, "/v1/policies/players/{player_id}", Role::operator_,
          "putPlayerPolicy", "Limit one player"},
    Route{Endpoint::get_player_policy, Method::get, "/v1/policies/players/{player_id}", Role::reader,
          "getPlayerPolicy", "One player's own limits"},
    Route{Endpoint::put_family_policy, Method::put, "/v1/policies/families/{family}", Role::operator_,
          "putFamilyPolicy", "Take the heat off the listings of a family"},
    Route{Endpoint::get_family_policy, Method::get, "/v1/policies/families/{family}", Role::reader,
          "getFamilyPolicy", "What is set for a family"},
    Route{Endpoint::put_listing_policy, Method::put, "/v1/policies/listings/{listing_id}", Role::operator_,
          "putListingPolicy", "Take the heat off a listing"},
    Route{Endpoint::get_listing_policy, Method::get, "/v1/policies/listings/{listing_id}", Role::reader,
          "getListingPolicy", "What is set for a listing"},
    Route{Endpoint::put_promotion_policy, Method::put, "/v1/policies/promotions/{promotion_id}",
          Role::operator_, "putPromotionPolicy", "Take the heat off a promotion"},
    Route{Endpoint::get_promotion_policy, Method::get, "/v1/policies/promotions/{promotion_id}", Role::reader,
          "getPromotionPolicy", "What is set for a promotion"},
    Route{Endpoint::get_house, Method::get, "/v1/house", Role::operator_, "getHouse",
          "What the house has earned"},
    Route{Endpoint::audit_store, Method::get, "/v1/audit", Role::operator_, "auditStore",
          "Prove the whole store from its rows"},
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
    const std::string_view name = route.method == Method::get ? "GET, HEAD" : to_string(route.method);
    if (match.allowed.find(name) != std::string::npos) continue;  // Of another route with this path.
    if (!match.allowed.empty()) match.allowed += ", ";
    match.allowed += name;
  }
  return match;
}

}  // namespace hotrow::http
