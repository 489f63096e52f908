#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hotrow/http/api_keys.hpp"

namespace hotrow::http {

enum class Method : std::uint8_t { get, put, post, other };

/// HEAD is a GET whose body is not sent, so it is `get` here.
Method method_from_string(std::string_view name);
std::string_view to_string(Method method);

enum class Endpoint : std::uint8_t {
  put_promotion,
  get_promotion,
  list_promotions,
  pause_promotion,
  resume_promotion,
  close_promotion,
  enter_promotion,
  enter_promotion_batch,
  get_entry,
  list_entries,
  list_winners,
  explain_winner,
  export_entries,
  audit_promotion,
  stream_promotion,
  deposit_to_player,
  withdraw_from_player,
  get_player_wallet,
  list_player_ledger,
  deposit_to_guild,
  withdraw_from_guild,
  get_guild_wallet,
  list_guild_ledger,
  transfer_money,
  put_item,
  get_item,
  withdraw_item,
  list_player_items,
  list_player_bids,
  list_player_listings,
  create_listing,
  get_listing,
  list_listings,
  quote_listing,
  list_bids,
  list_timeline,
  stream_listing,
  place_bid,
  buy_out,
  cancel_listing,
  settle_listing,
  void_listing,
  restrict_player,
  pause_market,
  resume_market,
  put_default_policy,
  get_default_policy,
  put_player_policy,
  get_player_policy,
  put_family_policy,
  get_family_policy,
  put_listing_policy,
  get_listing_policy,
  put_promotion_policy,
  get_promotion_policy,
  get_house,
  audit_store,
  list_events,
  healthz,
  readyz,
  metrics,
  openapi,
  problem_page,
  event_schema,
  root,
};

/// One line of the contract. `operation_id` is the endpoint's name in camelCase.
struct Route {
  Endpoint endpoint;
  Method method;
  std::string_view path;  ///< Segments in braces take anything, percent-encoded.
  Role role;              ///< The smallest that may.
  std::string_view operation_id;
  std::string_view summary;
};

std::span<const Route> routes();

/// What a path and a method come to. Views into the path.
struct RouteMatch {
  const Route* route = nullptr;  ///< nullptr: see allowed.
  std::array<std::string_view, 2> captures = {};
  std::string allowed;  ///< For `Allow`; empty when no route has this path.
};

RouteMatch match_route(Method method, std::string_view path);

}  // namespace hotrow::http
