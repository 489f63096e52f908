#include "tests/store/market_sample_rows.hpp"

#include <chrono>

#include "hotrow/core/listing_codec.hpp"
#include "tests/store/sample_rows.hpp"

namespace hotrow::conformance {

using std::chrono::seconds;

Owner player(std::string id) { return {.kind = OwnerKind::player, .id = std::move(id)}; }
Owner guild(std::string id) { return {.kind = OwnerKind::guild, .id = std::move(id)}; }

WalletId purse(std::string player_id, std::string currency) {
  return {.owner = player(std::move(player_id)), .currency = std::move(currency)};
}

WalletRow wallet_row(const WalletId& id, std::int64_t available) {
  return {.id = id, .available = available, .version = 1};
}

LedgerLineRow ledger_line_row(const WalletId& id, std::int64_t n) {
  return {.wallet = id,
          .n = n,
          .d_available = 1,
          .available = n,
          .ref = entry_id(id, n),
          .note = "note",
          .at = start_time() + seconds(n)};
}

HouseLineRow house_line_row(const WalletId& id, std::int64_t n) {
  return {.wallet = id,
          .n = n,
          .account = HouseAccount::house,
          .amount = 1,
          .reason = LedgerReason::sale,
          .ref = entry_id(id, n),
          .at = start_time() + seconds(n)};
}

ExternalIdRow external_id_row(const Owner& owner, std::string external_id) {
  return {.owner = owner, .external_id = std::move(external_id), .currency = "gold", .amount = 1, .n = 1};
}

ItemRow item_row(std::string id, const Owner& owner) {
  return {.facts = {.id = std::move(id), .family = "swords", .attributes = R"({"level":3})"},
          .owner = owner,
          .created_at = start_time(),
          .created_for = owner};
}

ItemRow escrow_row(std::string id, const Owner& owner, std::string listing) {
  ItemRow row = item_row(std::move(id), owner);
  row.location = ItemLocation::escrow;
  row.listing = std::move(listing);
  return row;
}

ListingTerms sample_terms(const std::string& id) {
  return {.seller = "anna",
          .item = {.id = "item-" + id, .family = "swords"},
          .start_price = 100,
          .deposit = 1,
          .first_ends_at = start_time() + std::chrono::hours(1),
          .created_at = start_time()};
}

ListingRow listing_row(std::string id) {
  ListingTerms terms = sample_terms(id);
  return listing_row(std::move(id), std::move(terms));
}

ListingRow listing_row(std::string id, ListingTerms terms) {
  const Timestamp ends_at = terms.first_ends_at;
  return {.id = std::move(id),
          .terms = std::make_shared<const ListingTerms>(std::move(terms)),
          .ends_at = ends_at,
          .version = 1,
          .events = 1,
          .decided_at = start_time()};
}

ListingRow led_listing_row(std::string id, Lead lead) {
  ListingRow row = listing_row(std::move(id));
  row.bids = lead.n;
  row.lead = std::move(lead);
  return row;
}

ListingRow closed_listing_row(std::string id, ListingStatus status, ListingClosing closing) {
  ListingRow row = listing_row(std::move(id));
  row.status = status;
  row.closing = std::move(closing);
  return row;
}

BidRow bid_row(std::string listing, std::int64_t n, std::string bidder, std::int64_t amount) {
  return {.listing = std::move(listing),
          .n = n,
          .bidder = std::move(bidder),
          .amount = amount,
          .placed_at = start_time() + seconds(n)};
}

PlayerRow player_row(std::string id) {
  return {.id = std::move(id), .trade_blocked = true, .reason = "a test", .version = 1, .events = 1};
}

MarketRow market_row() {
  return {.paused = true, .paused_at = start_time(), .reason = "a test", .version = 1, .events = 1};
}

PolicyRow policy_row(PolicyId id) {
  return {.id = std::move(id),
          .players = {.max_leading_bids = 5},
          .pressure = {.queue_max = 100},
          .reason = "a test",
          .version = 1,
          .events = 1};
}

Key key_of_row(const WalletRow& row) { return wallet_key(row.id); }
Key key_of_row(const LedgerLineRow& row) { return ledger_key(row.wallet, row.n); }
Key key_of_row(const HouseLineRow& row) { return house_key(row.wallet, row.n); }
Key key_of_row(const ExternalIdRow& row) { return external_id_key(row.owner, row.external_id); }
Key key_of_row(const ItemRow& row) { return item_key(row.facts.id); }
Key key_of_row(const ListingRow& row) { return listing_key(row.id); }
Key key_of_row(const BidRow& row) { return bid_key(row.listing, row.n); }
Key key_of_row(const PlayerRow& row) { return player_key(row.id); }
Key key_of_row(const MarketRow&) { return market_key(); }
Key key_of_row(const PolicyRow& row) { return policy_key(row.id); }

namespace {

std::string name(const WalletId& id) { return "[" + to_string(id.owner) + "] " + id.currency; }

}  // namespace

void print(std::ostream& out, const WalletRow& row) {
  out << "wallet " << name(row.id) << " available " << row.available << " held " << row.held << " version "
      << row.version << " leads " << row.leading_bids << " listings " << row.active_listings << " buyouts "
      << row.buyouts_in_minute << " in " << row.buyout_minute.micros;
}

void print(std::ostream& out, const LedgerLineRow& row) {
  out << "ledger line " << name(row.wallet) << " #" << row.n << ' ' << row.d_available << ' ' << row.d_held
      << " available " << row.available << " held " << row.held << ' ' << to_string(row.reason) << " ["
      << row.ref << "] [" << row.note << "] at " << row.at.micros;
}

void print(std::ostream& out, const HouseLineRow& row) {
  out << "house line " << name(row.wallet) << " #" << row.n << ' ' << to_string(row.account) << ' '
      << row.amount << ' ' << to_string(row.reason) << " [" << row.ref << "] at " << row.at.micros;
}

void print(std::ostream& out, const ExternalIdRow& row) {
  out << "external id [" << to_string(row.owner) << "] [" << row.external_id << "] " << to_string(row.kind)
      << ' ' << row.currency << ' ' << row.amount << " to [" << row.to << "] #" << row.n;
}

void print(std::ostream& out, const ItemRow& row) {
  out << "item [" << row.facts.id << "] [" << row.facts.family << "] " << row.facts.attributes << " ["
      << to_string(row.owner) << "] " << to_string(row.location) << " [" << row.listing << "] events "
      << row.events << " created " << row.created_at.micros << " for [" << to_string(row.created_for) << ']';
}

void print(std::ostream& out, const ListingRow& row) {
  out << "listing [" << row.id << "] " << encode_terms(*row.terms) << ' ' << to_string(row.status) << " bids "
      << row.bids << " extensions " << row.extensions << " ends " << row.ends_at.micros << " version "
      << row.version << " events " << row.events << " decided " << row.decided_at.micros << " set aside ["
      << row.set_aside << ']';
  if (row.lead) {
    out << " lead [" << row.lead->bidder << "] " << row.lead->amount << " #" << row.lead->n << " at "
        << row.lead->placed_at.micros;
  }
  if (row.closing) {
    out << " closed " << row.closing->at.micros << " [" << row.closing->by << "] [" << row.closing->buyer
        << "] " << row.closing->price << " [" << row.closing->reason << ']';
  }
}

void print(std::ostream& out, const BidRow& row) {
  out << "bid [" << row.listing << "] #" << row.n << " [" << row.bidder << "] " << row.amount << " at "
      << row.placed_at.micros;
}

void print(std::ostream& out, const PlayerRow& row) {
  out << "player [" << row.id << "] " << (row.trade_blocked ? "blocked" : "allowed") << " [" << row.reason
      << "] version " << row.version << " events " << row.events;
}

void print(std::ostream& out, const PolicyRow& row) {
  out << "policy [" << to_string(row.id) << "] " << encode_limits(row) << " [" << row.reason << "] version "
      << row.version << " events " << row.events;
}

void print(std::ostream& out, const MarketRow& row) {
  out << "market " << (row.paused ? "paused" : "open") << " since " << row.paused_at.micros << " ["
      << row.reason << "] extension " << row.extension.count() << " version " << row.version << " events "
      << row.events;
}

}  // namespace hotrow::conformance
