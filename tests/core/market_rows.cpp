#include "tests/core/market_rows.hpp"

#include "hotrow/core/listing_codec.hpp"

namespace hotrow::test {
namespace {

std::string text(const std::string& value) { return "'" + value + "'"; }
std::string text(std::string_view value) { return std::string(value); }
std::string text(std::int64_t value) { return std::to_string(value); }
std::string text(Timestamp at) { return std::to_string(at.micros); }
std::string text(const Owner& owner) { return text(to_string(owner)); }
std::string text(const WalletId& id) { return text(id.owner) + " " + id.currency; }
std::string text(const ItemFacts& facts) {
  return text(facts.id) + " " + text(facts.family) + " " + text(facts.attributes);
}

template <class... T>
std::string line(const T&... parts) {
  std::string line;
  ((line += text(parts) + " "), ...);
  return line;
}

Key key(const PromotionRow& row) { return promotion_key(row.id); }
Key key(const EntryRow& row) { return entry_key(row.promotion, row.user); }
Key key(const WinnerRow& row) { return winner_key(row.promotion, row.ordinal); }
Key key(const ListingRow& row) { return listing_key(row.id); }
Key key(const ItemRow& row) { return item_key(row.facts.id); }
Key key(const WalletRow& row) { return wallet_key(row.id); }
Key key(const BidRow& row) { return bid_key(row.listing, row.n); }
Key key(const LedgerLineRow& row) { return ledger_key(row.wallet, row.n); }
Key key(const HouseLineRow& row) { return house_key(row.wallet, row.n); }
Key key(const ExternalIdRow& row) { return external_id_key(row.owner, row.external_id); }
Key key(const PlayerRow& row) { return player_key(row.id); }
Key key(const MarketRow&) { return market_key(); }
Key key(const PolicyRow& row) { return policy_key(row.id); }
Key key(const EventRow& row) { return event_key(row.subject_kind, row.subject, row.sequence); }
Key key(const AnswerRow& row) {
  return {.kind = KeyKind::answer, .first = row.owner, .second = row.principal, .third = row.key};
}

std::string content(const PromotionRow& row) {
  return line(row.id, row.entries, row.version, row.events, row.queue_max.value_or(0));
}
std::string content(const EntryRow& row) { return line(row.promotion, row.user, row.ordinal); }
std::string content(const WinnerRow& row) { return line(row.promotion, row.ordinal, row.user); }

std::string content(const ListingRow& row) {
  std::string all = line(row.id, encode_terms(*row.terms), to_string(row.status), row.bids, row.extensions,
                         row.ends_at, row.version, row.events, row.decided_at, row.set_aside);
  if (const auto& lead = row.lead) {
    all += "led by " + line(lead->bidder, lead->amount, lead->n, lead->placed_at);
  }
  if (const auto& closing = row.closing) {
    all += "closed " + line(closing->at, closing->by, closing->buyer, closing->price, closing->reason);
  }
  return all;
}

std::string content(const ItemRow& row) {
  return line(row.facts, row.owner, to_string(row.location), row.listing, row.events, row.created_at,
              row.created_for);
}

std::string content(const WalletRow& row) {
  return line(row.id, row.available, row.held, row.version, row.leading_bids, row.active_listings,
              row.buyout_minute, row.buyouts_in_minute);
}

std::string content(const BidRow& row) {
  return line(row.listing, row.n, row.bidder, row.amount, row.placed_at);
}

std::string content(const LedgerLineRow& row) {
  return line(row.wallet, row.n, row.d_available, row.d_held, row.available, row.held, to_string(row.reason),
              row.ref, row.note, row.at);
}

std::string content(const HouseLineRow& row) {
  return line(row.wallet, row.n, to_string(row.account), row.amount, to_string(row.reason), row.ref, row.at);
}

std::string content(const ExternalIdRow& row) {
  return line(row.owner, row.external_id, to_string(row.kind), row.currency, row.amount, row.to, row.n);
}

std::string content(const PlayerRow& row) {
  return line(row.id, std::int64_t(row.trade_blocked), row.reason, row.version, row.events);
}

std::string content(const MarketRow& row) {
  return line(std::int64_t(row.paused), row.paused_at, row.reason, row.extension.count(), row.version,
              row.events);
}

std::string content(const PolicyRow& row) {
  return line(to_string(row.id), encode_limits(row), row.reason, row.version, row.events);
}

std::string content(const EventRow& row) {
  return line(row.subject_kind, row.subject, row.sequence, row.type, row.id, row.data, row.occurred_at);
}

std::string content(const AnswerRow& row) {
  return line(row.owner, row.principal, row.key, row.answer, row.decided_at);
}

}  // namespace

Key key_of(const Row& row) {
  return std::visit([](const auto& content) { return key(content); }, row);
}

std::string row_text(const Row& row) {
  return describe(key_of(row)) + ": " + std::visit([](const auto& known) { return content(known); }, row);
}

std::vector<std::string> row_texts(const RowMap& rows) {
  std::vector<std::string> texts;
  for (const auto& [key, row] : rows) texts.push_back(row_text(row));
  return texts;
}

}  // namespace hotrow::test
