#include "hotrow/postgres/pg_market_statements.hpp"
#include "tests/postgres/pg_plans.hpp"

namespace hotrow {
namespace {

using statements::ListingScope;

const std::string listing_key_scan = "listing_pkey on listing";
const std::string item_key_scan = "item_pkey on item";
const std::string wallet_key_scan = "wallet_pkey on wallet";

/// "ARRAY['x'], ARRAY[1]" for "tn": one array for each letter, of texts or numbers.
std::string arrays(const std::string& kinds) {
  std::string text;
  for (const char kind : kinds) {
    if (!text.empty()) text += ", ";
    text += kind == 't' ? "ARRAY['x','y']" : "ARRAY[1,2]";
  }
  return text;
}

/// Ask about every sort of a scope. A scan that gives no order is named in place of an index of the sort.
struct ListPlans {
  ListingScope scope;
  std::string arguments;           ///< Beyond the first five.
  std::vector<std::string> scans;  ///< By sort; one stands for all.
};

std::vector<ListPlans> lists() {
  return {
      {ListingScope::active, "", {"listing_end", "listing_price", "listing_buyout", "listing_newest"}},
      {ListingScope::active_of_family,
       ", 'f3'",
       {"listing_family_end", "listing_family_price", "listing_family_buyout", "listing_family_newest"}},
      {ListingScope::active_of_price, "", {"listing_price"}},
      {ListingScope::active_of_family_and_price, ", 'f3'", {"listing_family_price"}},
      {ListingScope::active_of_seller, ", '', 's7'", {"listing_selling"}},
      {ListingScope::over, ", '', 'sold'", {"listing_over"}},
      {ListingScope::over_of_seller, ", '', 'sold', 's7'", {"listing_of"}},
  };
}

std::vector<HotStatement> list_statements() {
  std::vector<HotStatement> all;
  for (const ListPlans& plans : lists()) {
    for (std::size_t sort = 0; sort < statements::listing_sorts; ++sort) {
      const bool finds_first = plans.scans.size() == 1;
      const bool walks_over = plans.scope == ListingScope::over && sort == std::size_t(ListingSort::ends_at);
      all.push_back({.statement = statements::list_listings(plans.scope, ListingSort(sort)),
                     .arguments = "5, 'l5', 1, 100000, 50" + plans.arguments,
                     .scans = {plans.scans[finds_first ? 0 : sort] + " on listing"},
                     .sorts = finds_first && !walks_over});
    }
  }
  return all;
}

std::vector<HotStatement> hot_statements() {
  using namespace statements;
  std::vector<HotStatement> hot = {
      {lock_listings, arrays("t"), {listing_key_scan}},
      {lock_items, arrays("t"), {item_key_scan}},
      {lock_wallets, arrays("ttt"), {wallet_key_scan}},
      {listings_held_by_others, arrays("t"), {listing_key_scan, listing_key_scan}},
      {items_held_by_others, arrays("t"), {item_key_scan, item_key_scan}},
      {wallets_held_by_others, arrays("ttt"), {wallet_key_scan, wallet_key_scan}},
      {read_external_ids, arrays("ttt"), {"external_id_pkey on external_id"}},
      {read_players, arrays("t"), {"player_pkey on player"}},
      {read_market, "", {"market_pkey on market"}},
      {update_listings, arrays("ttnnnnnnnnnnttnttt"), {listing_key_scan}},
      {update_items, arrays("ttttnt"), {item_key_scan}},
      {update_wallets, arrays("tttnnnnnnn"), {wallet_key_scan}},
      {update_players, arrays("tntnn"), {"player_pkey on player"}},
      {update_market, "true, 1, 'x', 1, 1, 1", {"market_pkey on market"}},
      {read_listing, "'l5'", {listing_key_scan}},
      {read_listings, arrays("t"), {listing_key_scan}},
      {list_listings_of, "'s7', 'l5', 10", {"listing_of on listing"}},
      {count_active_of_price, "1, 9, 10", {"listing_price on listing"}},
      {count_active_of_family_and_price, "1, 9, 10, 'f3'", {"listing_family_price on listing"}},
      {list_due_listings,
       "5, 10",
       {"market_pkey on market", "market_pkey on market", "listing_end on listing"}},
      {read_item, "'i5'", {item_key_scan}},
      {list_items_of, "'player', 's7', 'i5', 10", {"item_of on item"}},
      {list_bids, "'l5', 1, 10", {"bid_pkey on bid"}},
      {list_bids_of, "'b7', 5, 'l5', 1, 10", {"bid_of on bid"}},
      {list_latest_bids_of, "'b7', 10", {"bid_of on bid"}},
      {read_wallet, "'player', 's7', 'gold'", {wallet_key_scan}},
      {list_ledger, "'player', 's7', 'gold', 1, 10", {"ledger_line_pkey on ledger_line"}},
  };
  for (HotStatement& list : list_statements()) hot.push_back(std::move(list));
  return hot;
}

}  // namespace

PlanCase market_plans() {
  return {.name = "Market",
          .hot = hot_statements(),
          .tables = {"listing", "item", "wallet", "bid", "ledger_line", "external_id", "player", "market"},
          .fill = R"(
      INSERT INTO listing (id, terms, seller, family, item, currency, start_price, buyout_price, deposit, created_at,
                           status, bids, extensions, ends_at, version, events, decided_at, closed_at, closed_by,
                           buyer, price, close_reason)
      SELECT 'l' || n, '{}', 's' || n % 300, 'f' || n % 20, 'i' || n, 'gold', n, n + 1, 1, n,
             CASE WHEN over THEN 'sold' ELSE 'active' END, 0, 0, n % 7000, 1, 1, n, CASE WHEN over THEN n END,
             CASE WHEN over THEN 'buyout' END, CASE WHEN over THEN 'b' END, CASE WHEN over THEN n END,
             CASE WHEN over THEN '' END
      FROM (SELECT n, n % 3 = 0 AS over FROM generate_series(1, 30000) AS n) AS numbers;
      INSERT INTO item (id, family, attributes, owner_kind, owner, location, listing, events, created_at,
                        first_owner_kind, first_owner)
      SELECT 'i' || n, 'f', '{}', 'player', 's' || n % 300, CASE WHEN n % 3 = 0 THEN 'inventory' ELSE 'escrow' END,
             CASE WHEN n % 3 > 0 THEN 'l' || n END, 0, n, 'player', 's' || n % 300
      FROM generate_series(1, 30000) AS n;
      INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings)
      SELECT 'player', 's' || n, 'gold', 1, 0, 1, 0, 0 FROM generate_series(1, 20000) AS n;
      INSERT INTO bid (listing, n, bidder, amount, placed_at)
      SELECT 'l' || n % 100, n, 'b' || n % 500, n, n FROM generate_series(1, 30000) AS n;
      INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note,
                               at)
      SELECT 'player', 's' || n % 50, 'gold', n, 0, 0, 0, 0, 'deposit', 'r', '', n
      FROM generate_series(1, 20000) AS n;
      INSERT INTO external_id (owner_kind, owner, external_id, kind, currency, amount, receiver, n)
      SELECT 'player', 's' || n % 50, 'e' || n, 'deposit', 'gold', 1, '', n FROM generate_series(1, 20000) AS n;
      INSERT INTO player (id, trade_blocked, reason, version, events)
      SELECT 's' || n, false, '', 1, 1 FROM generate_series(1, 5000) AS n;
      INSERT INTO market (only_row, paused, paused_at, reason, extension, version, events)
      VALUES (1, false, 0, '', 0, 1, 1))"};
}

}  // namespace hotrow
