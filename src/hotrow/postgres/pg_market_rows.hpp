#pragma once

#include <span>

#include "hotrow/base/result.hpp"
#include "hotrow/core/listing_codec.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/postgres/pg_connection.hpp"
#include "hotrow/postgres/pg_rows.hpp"

/// The auction's rows as pg_market_statements reads and writes them. Decoding a text that is not ours fails
/// with the fatal "unreadable".
namespace hotrow {

/// Columns as in lock_listings, from `id` in column 1 on.
Result<ListingRow> decode_listing(const PgResult& rows, int row, TermsCache& cache);
/// Columns as in lock_items, from `id` in column 1 on.
Result<ItemRow> decode_item(const PgResult& rows, int row);
/// Columns as in lock_wallets, from `available` in column 1 on.
WalletRow decode_wallet(const PgResult& rows, int row, WalletId id);
/// Columns as in read_external_ids, from `kind` in column 1 on; `key` is that of the row.
Result<ExternalIdRow> decode_external_id(const PgResult& rows, int row, const Key& key);
/// Columns as in read_players, from `trade_blocked` in column 1 on.
Result<PolicyRow> decode_policy(const PgResult& rows, int row);
PlayerRow decode_player(const PgResult& rows, int row, std::string id);
/// Columns as in read_market, from `paused` in column 1 on.
MarketRow decode_market(const PgResult& rows, int row);
/// Columns (listing, n, bidder, amount, placed_at).
BidRow decode_bid(const PgResult& rows, int row);
/// Columns as in list_ledger.
Result<LedgerLineRow> decode_ledger_line(const PgResult& rows, int row, const WalletId& wallet);

/// What wallet_key() made of it.
WalletId wallet_of(const Key& key);

/// Queue the statements that write these rows: those of locked kinds, and those that the locks guard.
void queue_locked_market_rows(PgConnection& connection, std::span<const RowWrite> writes);
void queue_guarded_market_rows(PgConnection& connection, std::span<const RowWrite> writes);

}  // namespace hotrow
