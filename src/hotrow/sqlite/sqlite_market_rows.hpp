#pragma once

#include <string_view>

#include "hotrow/base/result.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/sqlite/sqlite_rows.hpp"

namespace hotrow::sqlite {

/// What the functions below read, in their order; the statement goes on with WHERE.
inline constexpr std::string_view select_wallets =
    "SELECT owner_kind, owner, currency, available, held, version, leading_bids, active_listings, "
    "buyout_minute, buyouts_in_minute "
    "FROM wallet ";
inline constexpr std::string_view select_ledger_lines =
    "SELECT owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note, at "
    "FROM ledger_line ";
inline constexpr std::string_view select_external_ids =
    "SELECT owner_kind, owner, external_id, kind, currency, amount, receiver, n FROM external_id ";
inline constexpr std::string_view select_items =
    "SELECT id, family, attributes, owner_kind, owner, location, listing, events, created_at, "
    "first_owner_kind, first_owner FROM item ";
inline constexpr std::string_view select_listings =
    "SELECT id, terms, status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, "
    "version, "
    "events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside FROM listing ";
inline constexpr std::string_view select_bids = "SELECT listing, n, bidder, amount, placed_at FROM bid ";
inline constexpr std::string_view select_players =
    "SELECT id, trade_blocked, reason, version, events FROM player ";
inline constexpr std::string_view select_policies =
    "SELECT scope, id, limits, reason, version, events FROM policy ";
inline constexpr std::string_view select_market =
    "SELECT paused, paused_at, reason, extension, version, events FROM market ";

WalletRow read_wallet(const Statement& statement);
LedgerLineRow read_ledger_line(const Statement& statement);
ExternalIdRow read_external_id(const Statement& statement);
ItemRow read_item(const Statement& statement);
Result<ListingRow> read_listing(const Statement& statement, TermsCache& terms);
BidRow read_bid(const Statement& statement);
PlayerRow read_player(const Statement& statement);
Result<PolicyRow> read_policy(const Statement& statement);
MarketRow read_market(const Statement& statement);

}  // namespace hotrow::sqlite
