#include "hotrow/sqlite/sqlite_market_rows.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow::sqlite {
namespace {

/// A name that the table's own CHECK, or this program alone, has put there.
template <class E>
E known(std::optional<E> value) {
  HOTROW_ASSERT(value.has_value());
  return *value;
}

Owner owner(Columns& columns) {
  return {.kind = known(owner_kind_from_string(columns.view())), .id = columns.text()};
}

WalletId wallet_id(Columns& columns) { return {.owner = owner(columns), .currency = columns.text()}; }

std::optional<Lead> lead(Columns& columns) {
  if (columns.is_null()) {
    columns.skip(4);
    return std::nullopt;
  }
  return Lead{.bidder = columns.text(),
              .amount = columns.integer(),
              .n = columns.integer(),
              .placed_at = columns.time()};
}

std::optional<ListingClosing> closing(Columns& columns) {
  if (columns.is_null()) {
    columns.skip(5);
    return std::nullopt;
  }
  return ListingClosing{.at = columns.time(),
                        .by = columns.text(),
                        .buyer = columns.text(),
                        .price = columns.integer(),
                        .reason = columns.text()};
}

}  // namespace

WalletRow read_wallet(const Statement& statement) {
  Columns columns(statement);
  return {.id = wallet_id(columns),
          .available = columns.integer(),
          .held = columns.integer(),
          .version = columns.integer(),
          .leading_bids = columns.integer(),
          .active_listings = columns.integer(),
          .buyout_minute = columns.time(),
          .buyouts_in_minute = columns.integer()};
}

LedgerLineRow read_ledger_line(const Statement& statement) {
  Columns columns(statement);
  return {.wallet = wallet_id(columns),
          .n = columns.integer(),
          .d_available = columns.integer(),
          .d_held = columns.integer(),
          .available = columns.integer(),
          .held = columns.integer(),
          .reason = known(ledger_reason_from_string(columns.view())),
          .ref = columns.text(),
          .note = columns.text(),
          .at = columns.time()};
}

ExternalIdRow read_external_id(const Statement& statement) {
  Columns columns(statement);
  return {.owner = owner(columns),
          .external_id = columns.text(),
          .kind = known(ledger_reason_from_string(columns.view())),
          .currency = columns.text(),
          .amount = columns.integer(),
          .to = columns.text(),
          .n = columns.integer()};
}

ItemRow read_item(const Statement& statement) {
  Columns columns(statement);
  return {.facts = {.id = columns.text(), .family = columns.text(), .attributes = columns.text()},
          .owner = owner(columns),
          .location = known(item_location_from_string(columns.view())),
          .listing = columns.text(),
          .events = columns.integer(),
          .created_at = columns.time(),
          .created_for = owner(columns)};
}

Result<ListingRow> read_listing(const Statement& statement, TermsCache& terms) {
  Columns columns(statement);
  ListingRow row{.id = columns.text()};
  auto decoded = terms.decode(columns.view());
  if (!decoded) return failure(decoded.error());
  row.terms = std::move(*decoded);
  row.status = known(listing_status_from_string(columns.view()));
  row.lead = lead(columns);
  row.bids = columns.integer();
  row.extensions = columns.integer();
  row.ends_at = columns.time();
  row.version = columns.integer();
  row.events = columns.integer();
  row.decided_at = columns.time();
  row.closing = closing(columns);
  row.set_aside = columns.text();
  return row;
}

BidRow read_bid(const Statement& statement) {
  Columns columns(statement);
  return {.listing = columns.text(),
          .n = columns.integer(),
          .bidder = columns.text(),
          .amount = columns.integer(),
          .placed_at = columns.time()};
}

PlayerRow read_player(const Statement& statement) {
  Columns columns(statement);
  return {.id = columns.text(),
          .trade_blocked = columns.integer() != 0,
          .reason = columns.text(),
          .version = columns.integer(),
          .events = columns.integer()};
}

Result<PolicyRow> read_policy(const Statement& statement) {
  Columns columns(statement);
  const std::optional<PolicyScope> scope = policy_scope_from_string(columns.view());
  HOTROW_ASSERT(scope.has_value());  // The table's own CHECK.
  PolicyRow row{.id = {.scope = *scope, .id = columns.text()}};
  if (!decode_limits(columns.view(), row)) {
    return failure(ErrorKind::fatal, "unreadable", "limits of policy " + to_string(row.id));
  }
  row.reason = columns.text();
  row.version = columns.integer();
  row.events = columns.integer();
  return row;
}

MarketRow read_market(const Statement& statement) {
  Columns columns(statement);
  return {.paused = columns.integer() != 0,
          .paused_at = columns.time(),
          .reason = columns.text(),
          .extension = std::chrono::microseconds(columns.integer()),
          .version = columns.integer(),
          .events = columns.integer()};
}

}  // namespace hotrow::sqlite
