#include "hotrow/sqlite/sqlite_market_writer.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/core/listing_codec.hpp"
#include "hotrow/sqlite/sqlite_checked_write.hpp"
#include "hotrow/sqlite/sqlite_market_rows.hpp"

namespace hotrow::sqlite {
namespace {

constexpr std::string_view insert_wallet_sql =
    "INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, "
    "active_listings, buyout_minute, buyouts_in_minute) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
constexpr std::string_view update_wallet_sql =
    "UPDATE wallet SET available = ?4, held = ?5, version = ?6, leading_bids = ?7, active_listings = ?8, "
    "buyout_minute = ?9, buyouts_in_minute = ?10 "
    "WHERE owner_kind = ?1 AND owner = ?2 AND currency = ?3";
constexpr std::string_view insert_item_sql =
    "INSERT INTO item (id, family, attributes, owner_kind, owner, location, listing, events, created_at, "
    "first_owner_kind, first_owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
constexpr std::string_view update_item_sql =
    "UPDATE item SET owner_kind = ?2, owner = ?3, location = ?4, listing = ?5, events = ?6 WHERE id = ?1";
constexpr std::string_view insert_listing_sql =
    "INSERT INTO listing (id, status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, "
    "version, events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside, "
    "terms, seller, family, item, currency, start_price, buyout_price, deposit, created_at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
    "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)";
constexpr std::string_view update_listing_sql =
    "UPDATE listing SET status = ?2, bidder = ?3, current_bid = ?4, bid_n = ?5, bid_placed_at = ?6, "
    "bids = ?7, extensions = ?8, ends_at = ?9, version = ?10, events = ?11, decided_at = ?12, "
    "closed_at = ?13, closed_by = ?14, buyer = ?15, price = ?16, close_reason = ?17, set_aside = ?18 "
    "WHERE id = ?1";
// What most bids change stands in no index: to name a column here is to write its indexes anew.
constexpr std::string_view update_lead_sql =
    "UPDATE listing SET bidder = ?2, current_bid = ?3, bid_n = ?4, bid_placed_at = ?5, bids = ?6, "
    "version = ?7, events = ?8, decided_at = ?9 "
    "WHERE id = ?1 AND status = 'active' AND ends_at = ?10 AND extensions = ?11 AND set_aside IS ?12";
constexpr std::string_view insert_bid_sql =
    "INSERT INTO bid (listing, n, bidder, amount, placed_at) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr std::string_view insert_ledger_line_sql =
    "INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, "
    "ref, note, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
constexpr std::string_view insert_house_line_sql =
    "INSERT INTO house_line (owner_kind, owner, currency, n, account, amount, reason, ref, at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr std::string_view insert_external_id_sql =
    "INSERT INTO external_id (owner_kind, owner, external_id, kind, currency, amount, receiver, n) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr std::string_view insert_player_sql =
    "INSERT INTO player (id, trade_blocked, reason, version, events) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr std::string_view update_player_sql =
    "UPDATE player SET trade_blocked = ?2, reason = ?3, version = ?4, events = ?5 WHERE id = ?1";
constexpr std::string_view insert_policy_sql =
    "INSERT INTO policy (scope, id, limits, reason, version, events) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr std::string_view update_policy_sql =
    "UPDATE policy SET limits = ?3, reason = ?4, version = ?5, events = ?6 WHERE scope = ?1 AND id = ?2";
constexpr std::string_view insert_market_sql =
    "INSERT INTO market (only_row, paused, paused_at, reason, extension, version, events) "
    "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)";
constexpr std::string_view update_market_sql =
    "UPDATE market SET paused = ?1, paused_at = ?2, reason = ?3, extension = ?4, version = ?5, events = ?6 "
    "WHERE only_row = 1";

// How SQLite names the columns of a key that is taken.
constexpr std::string_view wallet_key_columns = "wallet.owner_kind, wallet.owner, wallet.currency";
constexpr std::string_view item_key_columns = "item.id";
constexpr std::string_view listing_key_columns = "listing.id";
constexpr std::string_view bid_key_columns = "bid.listing, bid.n";
constexpr std::string_view ledger_line_key_columns =
    "ledger_line.owner_kind, ledger_line.owner, ledger_line.currency, ledger_line.n";
constexpr std::string_view house_line_key_columns =
    "house_line.owner_kind, house_line.owner, house_line.currency, house_line.n";
constexpr std::string_view external_id_key_columns =
    "external_id.owner_kind, external_id.owner, external_id.external_id";
constexpr std::string_view player_key_columns = "player.id";
constexpr std::string_view policy_key_columns = "policy.scope, policy.id";
constexpr std::string_view market_key_columns = "market.only_row";

/// An empty text where the table has NULL.
std::optional<std::string_view> or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

/// The columns of an optional part of a row: NULL without it.
template <class P, class F>
auto part(const std::optional<P>& of, F&& column) -> std::optional<decltype(column(*of))> {
  return of ? std::optional(column(*of)) : std::nullopt;
}

std::optional<std::string_view> text_part(const std::optional<ListingClosing>& closing,
                                          std::string ListingClosing::* member) {
  return part(closing, [&](const ListingClosing& of) { return std::string_view(of.*member); });
}

std::optional<std::string_view> bidder(const ListingRow& row) {
  return part(row.lead, [](const Lead& lead) { return std::string_view(lead.bidder); });
}
std::optional<std::int64_t> current_bid(const ListingRow& row) {
  return part(row.lead, [](const Lead& lead) { return lead.amount; });
}
std::optional<std::int64_t> bid_n(const ListingRow& row) {
  return part(row.lead, [](const Lead& lead) { return lead.n; });
}
std::optional<Timestamp> bid_placed_at(const ListingRow& row) {
  return part(row.lead, [](const Lead& lead) { return lead.placed_at; });
}

template <class... More>
Statement& bind_listing(Statement& statement, const ListingRow& row, const More&... more) {
  const std::optional<ListingClosing>& closing = row.closing;
  const bool is_sold = closing && closing->price != 0;
  const bool has_buyer = closing && !closing->buyer.empty();
  return statement.bind(row.id, to_string(row.status), bidder(row), current_bid(row), bid_n(row),
                        bid_placed_at(row), row.bids, row.extensions, row.ends_at, row.version, row.events,
                        row.decided_at, part(closing, [](const ListingClosing& of) { return of.at; }),
                        text_part(closing, &ListingClosing::by),
                        has_buyer ? std::optional<std::string_view>(closing->buyer) : std::nullopt,
                        is_sold ? std::optional(closing->price) : std::nullopt,
                        text_part(closing, &ListingClosing::reason), or_null(row.set_aside), more...);
}

Statement& bind_wallet(Statement& statement, const WalletRow& row) {
  return statement.bind(to_string(row.id.owner.kind), row.id.owner.id, row.id.currency, row.available,
                        row.held, row.version, row.leading_bids, row.active_listings, row.buyout_minute,
                        row.buyouts_in_minute);
}

Statement& bind_player(Statement& statement, const PlayerRow& row) {
  return statement.bind(row.id, std::int64_t(row.trade_blocked), row.reason, row.version, row.events);
}

Statement& bind_policy(Statement& statement, const PolicyRow& row, const std::string& limits) {
  return statement.bind(to_string(row.id.scope), row.id.id, limits, row.reason, row.version, row.events);
}

Statement& bind_market(Statement& statement, const MarketRow& row) {
  return statement.bind(std::int64_t(row.paused), row.paused_at, row.reason,
                        std::int64_t(row.extension.count()), row.version, row.events);
}

/// The row of a bound statement, or none.
template <class Read>
Result<std::optional<Row>> found(Statement& statement, Read&& read) {
  const Result<bool> is_there = statement.step();
  if (!is_there) return failure(is_there.error());
  if (!*is_there) return std::nullopt;
  Row row = read(statement);
  statement.reset();
  return row;
}

/// The same of a row that may be unreadable.
template <class Read>
Result<std::optional<Row>> checked(Statement& statement, Read&& read) {
  const Result<bool> is_there = statement.step();
  if (!is_there) return failure(is_there.error());
  if (!*is_there) return std::nullopt;
  auto row = read(statement);
  statement.reset();
  if (!row) return failure(row.error());
  return Row(std::move(*row));
}

}  // namespace

bool MarketWriter::keeps(KeyKind kind) {
  switch (kind) {
    case KeyKind::listing:
    case KeyKind::item:
    case KeyKind::wallet:
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::external_id:
    case KeyKind::player:
    case KeyKind::market:
    case KeyKind::policy: return true;
    case KeyKind::promotion:
    case KeyKind::entry:
    case KeyKind::winner:
    case KeyKind::event:
    case KeyKind::answer: return false;
  }
  return false;
}

Result<void> MarketWriter::prepare(Connection& connection) {
  Statements& s = statements_;
  return prepare_all(connection, {
                                     {s.find_wallet, select_wallets,
                                      "WHERE owner_kind = ?1 AND owner = ?2 AND currency = ?3"},
                                     {s.find_item, select_items, "WHERE id = ?1"},
                                     {s.find_listing, select_listings, "WHERE id = ?1"},
                                     {s.find_external_id, select_external_ids,
                                      "WHERE owner_kind = ?1 AND owner = ?2 AND external_id = ?3"},
                                     {s.find_player, select_players, "WHERE id = ?1"},
                                     {s.find_market, select_market, "WHERE only_row = 1"},
                                     {s.find_policy, select_policies, "WHERE scope = ?1 AND id = ?2"},
                                     {s.insert_wallet, insert_wallet_sql},
                                     {s.insert_item, insert_item_sql},
                                     {s.insert_listing, insert_listing_sql},
                                     {s.insert_bid, insert_bid_sql},
                                     {s.insert_ledger_line, insert_ledger_line_sql},
                                     {s.insert_house_line, insert_house_line_sql},
                                     {s.insert_external_id, insert_external_id_sql},
                                     {s.insert_player, insert_player_sql},
                                     {s.insert_market, insert_market_sql},
                                     {s.insert_policy, insert_policy_sql},
                                     {s.update_wallet, update_wallet_sql},
                                     {s.update_item, update_item_sql},
                                     {s.update_listing, update_listing_sql},
                                     {s.update_lead, update_lead_sql},
                                     {s.update_player, update_player_sql},
                                     {s.update_market, update_market_sql},
                                     {s.update_policy, update_policy_sql},
                                 });
}

Result<std::optional<Row>> MarketWriter::read(const Key& key) {
  Statements& s = statements_;
  switch (key.kind) {
    case KeyKind::wallet: return found(s.find_wallet.bind(key.first, key.second, key.third), read_wallet);
    case KeyKind::item: return found(s.find_item.bind(key.first), read_item);
    case KeyKind::listing:
      return checked(s.find_listing.bind(key.first),
                     [this](const Statement& row) { return read_listing(row, terms_); });
    case KeyKind::external_id:
      return found(s.find_external_id.bind(key.first, key.second, key.third), read_external_id);
    case KeyKind::player: return found(s.find_player.bind(key.first), read_player);
    case KeyKind::market: return found(s.find_market.bind(), read_market);
    case KeyKind::policy: return checked(s.find_policy.bind(key.first, key.second), read_policy);
    default: break;
  }
  HOTROW_ASSERT(!"bids and lines are only written");
  return std::nullopt;
}

Result<void> MarketWriter::write(const RowWrite& write) {
  return std::visit(
      [&](const auto& row) -> Result<void> {
        if (write.how == RowWrite::How::insert) {
          if constexpr (requires { insert(row); }) return insert(row);
        } else {
          if constexpr (requires { update(row); }) return update(row);
        }
        HOTROW_ASSERT(!"no row of the auction that changes");
        return {};
      },
      write.row);
}

Result<void> MarketWriter::insert(const WalletRow& row) {
  return inserted(bind_wallet(statements_.insert_wallet, row).run(), wallet_key_columns);
}

Result<void> MarketWriter::update(const WalletRow& row) {
  return updated(bind_wallet(statements_.update_wallet, row), wallet_key(row.id));
}

Result<void> MarketWriter::insert(const ItemRow& row) {
  Statement& statement = statements_.insert_item.bind(
      row.facts.id, row.facts.family, row.facts.attributes, to_string(row.owner.kind), row.owner.id,
      to_string(row.location), or_null(row.listing), row.events, row.created_at,
      to_string(row.created_for.kind), row.created_for.id);
  return inserted(statement.run(), item_key_columns);
}

Result<void> MarketWriter::update(const ItemRow& row) {
  Statement& statement =
      statements_.update_item.bind(row.facts.id, to_string(row.owner.kind), row.owner.id,
                                   to_string(row.location), or_null(row.listing), row.events);
  return updated(statement, item_key(row.facts.id));
}

Result<void> MarketWriter::insert(const ListingRow& row) {
  const ListingTerms& terms = *row.terms;
  const std::string encoded = encode_terms(terms);
  Statement& statement =
      bind_listing(statements_.insert_listing, row, encoded, terms.seller, terms.item.family, terms.item.id,
                   terms.currency, terms.start_price, terms.buyout_price, terms.deposit, terms.created_at);
  return inserted(statement.run(), listing_key_columns);
}

Result<void> MarketWriter::update(const ListingRow& row) {
  if (row.status == ListingStatus::active) {
    const Result<std::int64_t> changed = changed_by(statements_.update_lead.bind(
        row.id, bidder(row), current_bid(row), bid_n(row), bid_placed_at(row), row.bids, row.version,
        row.events, row.decided_at, row.ends_at, row.extensions, or_null(row.set_aside)));
    if (!changed) return failure(changed.error());
    if (*changed == 1) return {};
  }
  return updated(bind_listing(statements_.update_listing, row), listing_key(row.id));
}

Result<void> MarketWriter::insert(const BidRow& row) {
  Statement& statement =
      statements_.insert_bid.bind(row.listing, row.n, row.bidder, row.amount, row.placed_at);
  return inserted(statement.run(), bid_key_columns);
}

Result<void> MarketWriter::insert(const LedgerLineRow& row) {
  Statement& statement = statements_.insert_ledger_line.bind(
      to_string(row.wallet.owner.kind), row.wallet.owner.id, row.wallet.currency, row.n, row.d_available,
      row.d_held, row.available, row.held, to_string(row.reason), row.ref, row.note, row.at);
  return inserted(statement.run(), ledger_line_key_columns);
}

Result<void> MarketWriter::insert(const HouseLineRow& row) {
  Statement& statement = statements_.insert_house_line.bind(
      to_string(row.wallet.owner.kind), row.wallet.owner.id, row.wallet.currency, row.n,
      to_string(row.account), row.amount, to_string(row.reason), row.ref, row.at);
  return inserted(statement.run(), house_line_key_columns);
}

Result<void> MarketWriter::insert(const ExternalIdRow& row) {
  Statement& statement =
      statements_.insert_external_id.bind(to_string(row.owner.kind), row.owner.id, row.external_id,
                                          to_string(row.kind), row.currency, row.amount, row.to, row.n);
  return inserted(statement.run(), external_id_key_columns);
}

Result<void> MarketWriter::insert(const PlayerRow& row) {
  return inserted(bind_player(statements_.insert_player, row).run(), player_key_columns);
}

Result<void> MarketWriter::update(const PlayerRow& row) {
  return updated(bind_player(statements_.update_player, row), player_key(row.id));
}

Result<void> MarketWriter::insert(const MarketRow& row) {
  return inserted(bind_market(statements_.insert_market, row).run(), market_key_columns);
}

Result<void> MarketWriter::update(const MarketRow& row) {
  return updated(bind_market(statements_.update_market, row), market_key());
}

Result<void> MarketWriter::insert(const PolicyRow& row) {
  const std::string limits = encode_limits(row);
  return inserted(bind_policy(statements_.insert_policy, row, limits).run(), policy_key_columns);
}

Result<void> MarketWriter::update(const PolicyRow& row) {
  const std::string limits = encode_limits(row);
  return updated(bind_policy(statements_.update_policy, row, limits), policy_key(row.id));
}

}  // namespace hotrow::sqlite
