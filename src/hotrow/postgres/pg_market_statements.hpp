#pragma once

#include <cstdint>

#include "hotrow/postgres/pg_connection.hpp"
#include "hotrow/store/market_queries.hpp"

/// The auction's part of pg_statements.hpp; what is said there holds here too.
namespace hotrow::statements {

/// Lock in the array's order; answer (n, row), n counted from 1.
extern const PgStatement lock_listings;
extern const PgStatement lock_items;
extern const PgStatement lock_wallets;  ///< $1 owner kinds, $2 owners, $3 currencies.
/// Take the same parameters; answer the n of what somebody else holds.
extern const PgStatement listings_held_by_others;
extern const PgStatement items_held_by_others;
extern const PgStatement wallets_held_by_others;

/// Guarded: read without a lock; answer (n, row).
extern const PgStatement read_external_ids;  ///< $1 owner kinds, $2 owners, $3 external ids.
extern const PgStatement read_players;
extern const PgStatement read_market;
extern const PgStatement read_policies;  ///< $1 scopes, $2 ids. Answers the ids too.

/// Updates fail with 22012 unless every row is found. They leave alone what never changes.
extern const PgStatement insert_listings;
extern const PgStatement update_listings;
extern const PgStatement insert_items;
extern const PgStatement update_items;
extern const PgStatement insert_wallets;
extern const PgStatement update_wallets;
extern const PgStatement insert_bids;
extern const PgStatement insert_ledger_lines;
extern const PgStatement insert_house_lines;
extern const PgStatement insert_external_ids;
extern const PgStatement insert_players;
extern const PgStatement update_players;
extern const PgStatement insert_policies;
extern const PgStatement update_policies;
extern const PgStatement insert_market;
extern const PgStatement update_market;

// The read port.
extern const PgStatement read_listing;
extern const PgStatement read_listings;
extern const PgStatement list_listings_of;
extern const PgStatement list_due_listings;
extern const PgStatement list_items_of;
extern const PgStatement list_bids;
extern const PgStatement list_bids_of;
extern const PgStatement list_latest_bids_of;
extern const PgStatement read_item;
extern const PgStatement read_wallet;
extern const PgStatement list_ledger;
extern const PgStatement sum_house;
/// For what reads whole tables: the planner may use everything again, in this transaction, but no nested
/// loops, which on tables without statistics it would take for quick.
extern const PgStatement free_planner;

/// How many active listings have these prices: $1 and $2 bounds of the start price, $3 when to stop counting,
/// $4 family.
extern const PgStatement count_active_of_price;
extern const PgStatement count_active_of_family_and_price;

/// The listings that one page is taken from, each kind with indexes of its own.
enum class ListingScope : std::uint8_t {
  active,
  active_of_family,
  active_of_price,
  active_of_family_and_price,
  active_of_seller,
  over,
  over_of_seller
};
inline constexpr std::size_t listing_scopes = 7;
inline constexpr std::size_t listing_sorts = 4;

/// $1 and $2 the sorted value and the id where the page before ended, $3 and $4 bounds of the start price,
/// $5 limit. Then $6 family of all but `active` and `active_of_price` ('': any, but not where the scope names
/// the family); $7 status of those that are over; last the seller, where there is one.
const PgStatement& list_listings(ListingScope scope, ListingSort sort);

}  // namespace hotrow::statements
