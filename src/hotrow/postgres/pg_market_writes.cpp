#include "hotrow/postgres/pg_columns.hpp"
#include "hotrow/postgres/pg_market_rows.hpp"
#include "hotrow/postgres/pg_market_statements.hpp"

namespace hotrow {
namespace {

using How = RowWrite::How;

std::optional<std::string_view> or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

/// bigint[] of `value_of(part)`, NULL where the row has no such part.
template <class R, class Part, class ValueOf>
void add_optional_bigints(PgParameters& to, const Rows<R>& rows, std::optional<Part> R::* part,
                          ValueOf value_of) {
  to.bigint_array(rows, [&](const R* row) -> std::optional<std::int64_t> {
    if (!(row->*part)) return std::nullopt;
    return value_of(*(row->*part));
  });
}

/// text[] of `value_of(part)`, NULL where the row has no such part.
template <class R, class Part, class ValueOf>
void add_optional_texts(PgParameters& to, const Rows<R>& rows, std::optional<Part> R::* part,
                        ValueOf value_of) {
  to.text_array(rows, [&](const R* row) -> std::optional<std::string_view> {
    if (!(row->*part)) return std::nullopt;
    return value_of(*(row->*part));
  });
}

/// What update_listings sets, and the id.
void add_state(PgParameters& p, const Rows<ListingRow>& rows) {
  p.text_array(rows, [](const ListingRow* row) { return to_string(row->status); });
  const auto lead = &ListingRow::lead;
  add_optional_texts(p, rows, lead, [](const Lead& part) -> std::string_view { return part.bidder; });
  add_optional_bigints(p, rows, lead, [](const Lead& part) { return part.amount; });
  add_optional_bigints(p, rows, lead, [](const Lead& part) { return part.n; });
  add_optional_bigints(p, rows, lead, [](const Lead& part) { return part.placed_at.micros; });
  add_bigints(p, rows, &ListingRow::bids);
  add_bigints(p, rows, &ListingRow::extensions);
  add_times(p, rows, &ListingRow::ends_at);
  add_bigints(p, rows, &ListingRow::version);
  add_bigints(p, rows, &ListingRow::events);
  add_times(p, rows, &ListingRow::decided_at);
  const auto closing = &ListingRow::closing;
  add_optional_bigints(p, rows, closing, [](const ListingClosing& part) { return part.at.micros; });
  add_optional_texts(p, rows, closing,
                     [](const ListingClosing& part) -> std::string_view { return part.by; });
  add_optional_texts(p, rows, closing, [](const ListingClosing& part) { return or_null(part.buyer); });
  p.bigint_array(rows, [](const ListingRow* row) -> std::optional<std::int64_t> {
    if (!row->closing || row->closing->price == 0) return std::nullopt;
    return row->closing->price;
  });
  add_optional_texts(p, rows, closing,
                     [](const ListingClosing& part) -> std::string_view { return part.reason; });
  p.text_array(rows, [](const ListingRow* row) { return or_null(row->set_aside); });
  add_texts(p, rows, &ListingRow::id);
}

void queue_inserts(PgConnection& connection, const Rows<ListingRow>& rows) {
  std::vector<std::string> terms;
  terms.reserve(rows.size());
  for (const ListingRow* row : rows) terms.push_back(encode_terms(*row->terms));
  PgParameters p;
  add_state(p, rows);
  p.text_array(terms, [](const std::string& text) -> std::string_view { return text; });
  p.text_array(rows, [](const ListingRow* row) -> std::string_view { return row->terms->seller; });
  p.text_array(rows, [](const ListingRow* row) -> std::string_view { return row->terms->item.family; });
  p.text_array(rows, [](const ListingRow* row) -> std::string_view { return row->terms->item.id; });
  p.text_array(rows, [](const ListingRow* row) -> std::string_view { return row->terms->currency; });
  p.bigint_array(rows, [](const ListingRow* row) { return row->terms->start_price; });
  p.bigint_array(rows, [](const ListingRow* row) { return row->terms->buyout_price; });
  p.bigint_array(rows, [](const ListingRow* row) { return row->terms->deposit; });
  p.bigint_array(rows, [](const ListingRow* row) { return row->terms->created_at.micros; });
  connection.queue(statements::insert_listings, p);
}

void queue_updates(PgConnection& connection, const Rows<ListingRow>& rows) {
  PgParameters p;
  add_state(p, rows);
  connection.queue(statements::update_listings, p);
}

/// What update_items sets, and the id.
void add_state(PgParameters& p, const Rows<ItemRow>& rows) {
  p.text_array(rows, [](const ItemRow* row) { return to_string(row->owner.kind); });
  p.text_array(rows, [](const ItemRow* row) -> std::string_view { return row->owner.id; });
  p.text_array(rows, [](const ItemRow* row) { return to_string(row->location); });
  p.text_array(rows, [](const ItemRow* row) { return or_null(row->listing); });
  add_bigints(p, rows, &ItemRow::events);
  p.text_array(rows, [](const ItemRow* row) -> std::string_view { return row->facts.id; });
}

void queue_inserts(PgConnection& connection, const Rows<ItemRow>& rows) {
  PgParameters p;
  add_state(p, rows);
  p.text_array(rows, [](const ItemRow* row) -> std::string_view { return row->facts.family; });
  p.text_array(rows, [](const ItemRow* row) -> std::string_view { return row->facts.attributes; });
  add_times(p, rows, &ItemRow::created_at);
  p.text_array(rows, [](const ItemRow* row) { return to_string(row->created_for.kind); });
  p.text_array(rows, [](const ItemRow* row) -> std::string_view { return row->created_for.id; });
  connection.queue(statements::insert_items, p);
}

void queue_updates(PgConnection& connection, const Rows<ItemRow>& rows) {
  PgParameters p;
  add_state(p, rows);
  connection.queue(statements::update_items, p);
}

/// Three arrays: of owner kinds, owners, currencies.
template <class R>
void add_wallet_ids(PgParameters& p, const Rows<R>& rows, WalletId R::* id) {
  p.text_array(rows, [id](const R* row) { return to_string((row->*id).owner.kind); });
  p.text_array(rows, [id](const R* row) -> std::string_view { return (row->*id).owner.id; });
  p.text_array(rows, [id](const R* row) -> std::string_view { return (row->*id).currency; });
}

PgParameters parameters_of(const Rows<WalletRow>& rows) {
  PgParameters p;
  add_wallet_ids(p, rows, &WalletRow::id);
  add_bigints(p, rows, &WalletRow::available);
  add_bigints(p, rows, &WalletRow::held);
  add_bigints(p, rows, &WalletRow::version);
  add_bigints(p, rows, &WalletRow::leading_bids);
  add_bigints(p, rows, &WalletRow::active_listings);
  add_times(p, rows, &WalletRow::buyout_minute);
  add_bigints(p, rows, &WalletRow::buyouts_in_minute);
  return p;
}

void queue_inserts(PgConnection& connection, const Rows<WalletRow>& rows) {
  connection.queue(statements::insert_wallets, parameters_of(rows));
}

void queue_updates(PgConnection& connection, const Rows<WalletRow>& rows) {
  connection.queue(statements::update_wallets, parameters_of(rows));
}

void queue_inserts(PgConnection& connection, const Rows<BidRow>& rows) {
  PgParameters p;
  add_texts(p, rows, &BidRow::listing);
  add_bigints(p, rows, &BidRow::n);
  add_texts(p, rows, &BidRow::bidder);
  add_bigints(p, rows, &BidRow::amount);
  add_times(p, rows, &BidRow::placed_at);
  connection.queue(statements::insert_bids, p);
}

void queue_inserts(PgConnection& connection, const Rows<LedgerLineRow>& rows) {
  PgParameters p;
  add_wallet_ids(p, rows, &LedgerLineRow::wallet);
  add_bigints(p, rows, &LedgerLineRow::n);
  add_bigints(p, rows, &LedgerLineRow::d_available);
  add_bigints(p, rows, &LedgerLineRow::d_held);
  add_bigints(p, rows, &LedgerLineRow::available);
  add_bigints(p, rows, &LedgerLineRow::held);
  p.text_array(rows, [](const LedgerLineRow* row) { return to_string(row->reason); });
  add_texts(p, rows, &LedgerLineRow::ref);
  add_texts(p, rows, &LedgerLineRow::note);
  add_times(p, rows, &LedgerLineRow::at);
  connection.queue(statements::insert_ledger_lines, p);
}

void queue_inserts(PgConnection& connection, const Rows<HouseLineRow>& rows) {
  PgParameters p;
  add_wallet_ids(p, rows, &HouseLineRow::wallet);
  add_bigints(p, rows, &HouseLineRow::n);
  p.text_array(rows, [](const HouseLineRow* row) { return to_string(row->account); });
  add_bigints(p, rows, &HouseLineRow::amount);
  p.text_array(rows, [](const HouseLineRow* row) { return to_string(row->reason); });
  add_texts(p, rows, &HouseLineRow::ref);
  add_times(p, rows, &HouseLineRow::at);
  connection.queue(statements::insert_house_lines, p);
}

void queue_inserts(PgConnection& connection, const Rows<ExternalIdRow>& rows) {
  PgParameters p;
  p.text_array(rows, [](const ExternalIdRow* row) { return to_string(row->owner.kind); });
  p.text_array(rows, [](const ExternalIdRow* row) -> std::string_view { return row->owner.id; });
  add_texts(p, rows, &ExternalIdRow::external_id);
  p.text_array(rows, [](const ExternalIdRow* row) { return to_string(row->kind); });
  add_texts(p, rows, &ExternalIdRow::currency);
  add_bigints(p, rows, &ExternalIdRow::amount);
  add_texts(p, rows, &ExternalIdRow::to);
  add_bigints(p, rows, &ExternalIdRow::n);
  connection.queue(statements::insert_external_ids, p);
}

PgParameters parameters_of(const Rows<PlayerRow>& rows) {
  PgParameters p;
  add_texts(p, rows, &PlayerRow::id);
  p.bigint_array(rows, [](const PlayerRow* row) -> std::int64_t { return row->trade_blocked ? 1 : 0; });
  add_texts(p, rows, &PlayerRow::reason);
  add_bigints(p, rows, &PlayerRow::version);
  add_bigints(p, rows, &PlayerRow::events);
  return p;
}

void queue_inserts(PgConnection& connection, const Rows<PlayerRow>& rows) {
  connection.queue(statements::insert_players, parameters_of(rows));
}

void queue_updates(PgConnection& connection, const Rows<PlayerRow>& rows) {
  connection.queue(statements::update_players, parameters_of(rows));
}

PgParameters parameters_of(const Rows<PolicyRow>& rows) {
  std::vector<std::string> limits;
  for (const PolicyRow* row : rows) limits.push_back(encode_limits(*row));
  PgParameters p;
  p.text_array(rows, [](const PolicyRow* row) { return to_string(row->id.scope); });
  p.text_array(rows, [](const PolicyRow* row) -> std::string_view { return row->id.id; });
  p.text_array(limits, [](const std::string& text) -> std::string_view { return text; });
  add_texts(p, rows, &PolicyRow::reason);
  add_bigints(p, rows, &PolicyRow::version);
  add_bigints(p, rows, &PolicyRow::events);
  return p;
}

void queue_inserts(PgConnection& connection, const Rows<PolicyRow>& rows) {
  connection.queue(statements::insert_policies, parameters_of(rows));
}

void queue_updates(PgConnection& connection, const Rows<PolicyRow>& rows) {
  connection.queue(statements::update_policies, parameters_of(rows));
}

/// There is one.
PgParameters parameters_of(const Rows<MarketRow>& rows) {
  HOTROW_ASSERT(rows.size() == 1);
  const MarketRow& market = *rows.front();
  PgParameters p;
  p.boolean(market.paused).bigint(market.paused_at.micros).text(market.reason);
  p.bigint(market.extension.count()).bigint(market.version).bigint(market.events);
  return p;
}

void queue_inserts(PgConnection& connection, const Rows<MarketRow>& rows) {
  connection.queue(statements::insert_market, parameters_of(rows));
}

void queue_updates(PgConnection& connection, const Rows<MarketRow>& rows) {
  connection.queue(statements::update_market, parameters_of(rows));
}

template <class R>
void queue_changing_kind(PgConnection& connection, std::span<const RowWrite> writes) {
  const Rows<R> inserts = select<R>(writes, How::insert);
  const Rows<R> updates = select<R>(writes, How::update);
  if (!inserts.empty()) queue_inserts(connection, inserts);
  if (!updates.empty()) queue_updates(connection, updates);
}

template <class R>
void queue_kind(PgConnection& connection, std::span<const RowWrite> writes) {
  const Rows<R> rows = select<R>(writes);
  if (!rows.empty()) queue_inserts(connection, rows);
}

}  // namespace

void queue_locked_market_rows(PgConnection& connection, std::span<const RowWrite> writes) {
  queue_changing_kind<ListingRow>(connection, writes);
  queue_changing_kind<ItemRow>(connection, writes);
  queue_changing_kind<WalletRow>(connection, writes);
}

void queue_guarded_market_rows(PgConnection& connection, std::span<const RowWrite> writes) {
  queue_kind<BidRow>(connection, writes);
  queue_kind<LedgerLineRow>(connection, writes);
  queue_kind<HouseLineRow>(connection, writes);
  queue_kind<ExternalIdRow>(connection, writes);
  queue_changing_kind<PlayerRow>(connection, writes);
  queue_changing_kind<MarketRow>(connection, writes);
  queue_changing_kind<PolicyRow>(connection, writes);
}

}  // namespace hotrow
