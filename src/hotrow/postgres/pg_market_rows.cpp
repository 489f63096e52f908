#include "hotrow/postgres/pg_market_rows.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

tl::unexpected<Error> unreadable(std::string what) {
  return failure(ErrorKind::fatal, "unreadable", std::move(what));
}

std::string text_or_empty(const PgResult& rows, int row, int column) {
  return rows.is_null(row, column) ? std::string() : rows.string(row, column);
}

}  // namespace

Result<ListingRow> decode_listing(const PgResult& rows, int row, TermsCache& cache) {
  ListingRow listing{.id = rows.string(row, 1)};
  listing.terms = cache.parse(listing.id, rows.text(row, 2));
  const std::optional<ListingStatus> status = listing_status_from_string(rows.text(row, 3));
  if (listing.terms == nullptr || !status) {
    return unreadable("terms or status of listing " + listing.id);
  }
  listing.status = *status;
  if (!rows.is_null(row, 4)) {
    listing.lead = Lead{.bidder = rows.string(row, 4),
                        .amount = rows.bigint(row, 5),
                        .n = rows.bigint(row, 6),
                        .placed_at = {rows.bigint(row, 7)}};
  }
  listing.bids = rows.bigint(row, 8);
  listing.extensions = rows.bigint(row, 9);
  listing.ends_at = {rows.bigint(row, 10)};
  listing.version = rows.bigint(row, 11);
  listing.events = rows.bigint(row, 12);
  listing.decided_at = {rows.bigint(row, 13)};
  if (!rows.is_null(row, 14)) {
    listing.closing = ListingClosing{.at = {rows.bigint(row, 14)},
                                     .by = rows.string(row, 15),
                                     .buyer = text_or_empty(rows, row, 16),
                                     .price = rows.is_null(row, 17) ? 0 : rows.bigint(row, 17),
                                     .reason = rows.string(row, 18)};
  }
  listing.set_aside = text_or_empty(rows, row, 19);
  return listing;
}

Result<ItemRow> decode_item(const PgResult& rows, int row) {
  ItemRow item;
  item.facts = {.id = rows.string(row, 1), .family = rows.string(row, 2), .attributes = rows.string(row, 3)};
  const std::optional<OwnerKind> owner_kind = owner_kind_from_string(rows.text(row, 4));
  const std::optional<ItemLocation> location = item_location_from_string(rows.text(row, 6));
  const std::optional<OwnerKind> first_kind = owner_kind_from_string(rows.text(row, 10));
  if (!owner_kind || !location || !first_kind) {
    return unreadable("owner or location of item " + item.facts.id);
  }
  item.owner = {.kind = *owner_kind, .id = rows.string(row, 5)};
  item.location = *location;
  item.listing = text_or_empty(rows, row, 7);
  item.events = rows.bigint(row, 8);
  item.created_at = {rows.bigint(row, 9)};
  item.created_for = {.kind = *first_kind, .id = rows.string(row, 11)};
  return item;
}

WalletRow decode_wallet(const PgResult& rows, int row, WalletId id) {
  return {.id = std::move(id),
          .available = rows.bigint(row, 1),
          .held = rows.bigint(row, 2),
          .version = rows.bigint(row, 3),
          .leading_bids = rows.bigint(row, 4),
          .active_listings = rows.bigint(row, 5),
          .buyout_minute = {rows.bigint(row, 6)},
          .buyouts_in_minute = rows.bigint(row, 7)};
}

Result<ExternalIdRow> decode_external_id(const PgResult& rows, int row, const Key& key) {
  const std::optional<OwnerKind> owner_kind = owner_kind_from_string(key.first);
  const std::optional<LedgerReason> kind = ledger_reason_from_string(rows.text(row, 1));
  if (!owner_kind || !kind) return unreadable(describe(key));
  return ExternalIdRow{.owner = {.kind = *owner_kind, .id = key.second},
                       .external_id = key.third,
                       .kind = *kind,
                       .currency = rows.string(row, 2),
                       .amount = rows.bigint(row, 3),
                       .to = rows.string(row, 4),
                       .n = rows.bigint(row, 5)};
}

PlayerRow decode_player(const PgResult& rows, int row, std::string id) {
  return {.id = std::move(id),
          .trade_blocked = rows.boolean(row, 1),
          .reason = rows.string(row, 2),
          .version = rows.bigint(row, 3),
          .events = rows.bigint(row, 4)};
}

Result<PolicyRow> decode_policy(const PgResult& rows, int row) {
  PolicyRow policy{.id = {.id = rows.string(row, 2)}};
  const std::optional<PolicyScope> scope = policy_scope_from_string(rows.text(row, 1));
  if (!scope || !decode_limits(rows.text(row, 3), policy)) {
    return unreadable("scope or limits of policy " + policy.id.id);
  }
  policy.id.scope = *scope;
  policy.reason = rows.string(row, 4);
  policy.version = rows.bigint(row, 5);
  policy.events = rows.bigint(row, 6);
  return policy;
}

MarketRow decode_market(const PgResult& rows, int row) {
  return {.paused = rows.boolean(row, 1),
          .paused_at = {rows.bigint(row, 2)},
          .reason = rows.string(row, 3),
          .extension = std::chrono::microseconds(rows.bigint(row, 4)),
          .version = rows.bigint(row, 5),
          .events = rows.bigint(row, 6)};
}

BidRow decode_bid(const PgResult& rows, int row) {
  return {.listing = rows.string(row, 0),
          .n = rows.bigint(row, 1),
          .bidder = rows.string(row, 2),
          .amount = rows.bigint(row, 3),
          .placed_at = {rows.bigint(row, 4)}};
}

Result<LedgerLineRow> decode_ledger_line(const PgResult& rows, int row, const WalletId& wallet) {
  const std::int64_t n = rows.bigint(row, 0);
  const std::optional<LedgerReason> reason = ledger_reason_from_string(rows.text(row, 5));
  if (!reason) return unreadable("reason of ledger line " + entry_id(wallet, n));
  return LedgerLineRow{.wallet = wallet,
                       .n = n,
                       .d_available = rows.bigint(row, 1),
                       .d_held = rows.bigint(row, 2),
                       .available = rows.bigint(row, 3),
                       .held = rows.bigint(row, 4),
                       .reason = *reason,
                       .ref = rows.string(row, 6),
                       .note = rows.string(row, 7),
                       .at = {rows.bigint(row, 8)}};
}

WalletId wallet_of(const Key& key) {
  const std::optional<OwnerKind> kind = owner_kind_from_string(key.first);
  HOTROW_ASSERT(key.kind == KeyKind::wallet && kind);
  return {.owner = {.kind = *kind, .id = key.second}, .currency = key.third};
}

}  // namespace hotrow
