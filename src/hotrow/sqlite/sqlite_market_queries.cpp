#include "hotrow/sqlite/sqlite_market_queries.hpp"

#include <array>

#include "hotrow/sqlite/sqlite_collect.hpp"
#include "hotrow/sqlite/sqlite_market_rows.hpp"

namespace hotrow::sqlite {
namespace {

// Ends are in market time.
constexpr std::string_view due_listings_sql =
    "SELECT id FROM listing WHERE status = 'active' AND set_aside IS NULL "
    "AND ends_at <= ?1 - coalesce((SELECT extension FROM market), 0) "
    "AND NOT coalesce((SELECT paused FROM market), 0) ORDER BY ends_at, id LIMIT ?2";

constexpr std::string_view house_sql =
    "SELECT currency, sum(CASE WHEN reason = 'sale' THEN amount ELSE 0 END), "
    "sum(CASE WHEN reason = 'deposit_capture' THEN amount ELSE 0 END) "
    "FROM house_line WHERE account = 'house' GROUP BY currency ORDER BY currency";

struct SortedBy {
  std::string_view condition;
  std::string_view after;
  std::string_view order;
};

// (a, b) > (x, y) walks an index on from there; a descending column before an ascending one has no such form.
constexpr std::array<SortedBy, 4> sorts = {{
    {"", " AND (ends_at, id) > (?6, ?7)", " ORDER BY ends_at, id"},
    {"", " AND (start_price, id) > (?6, ?7)", " ORDER BY start_price, id"},
    {" AND buyout_price IS NOT NULL", " AND (buyout_price, id) > (?6, ?7)", " ORDER BY buyout_price, id"},
    {"", " AND created_at <= ?6 AND (created_at < ?6 OR id > ?7)", " ORDER BY created_at DESC, id"},
}};

/// Whether a walk along the sort's index would meet other prices than those asked for.
bool walks_past_prices(const ListingsQuery& query) {
  return query.status == ListingStatus::active && !query.seller && query.sort != ListingSort::start_price &&
         (query.min_price || query.max_price);
}

/// As listings_where() says. What is bound must outlive the reading, as the query does.
Statement& bind(Statement& statement, const ListingsQuery& query, std::int64_t limit) {
  static const ListingsQuery::After nowhere;
  const ListingsQuery::After& after = query.after ? *query.after : nowhere;
  return statement.bind(to_string(query.status), query.family, query.seller, query.min_price, query.max_price,
                        after.value, after.id, limit);
}

std::string of_price(const ListingsQuery& query) {
  std::string sql = query.family ? "INDEXED BY listing_family_price WHERE status = 'active' AND family = ?2"
                                 : "INDEXED BY listing_price WHERE status = 'active'";
  if (query.min_price) sql += " AND start_price >= ?4";
  if (query.max_price) sql += " AND start_price <= ?5";
  return sql;
}

}  // namespace

// A plus sign keeps SQLite from choosing an index by a column that others choose better by: a seller's
// listings are few, whatever their status and family, and are sorted when they are found.
std::string listings_where(const ListingsQuery& query) {
  const SortedBy& sort = sorts[std::size_t(query.sort)];
  std::string sql = "WHERE status = 'active'";
  if (query.status != ListingStatus::active) sql = "WHERE status <> 'active' AND status = ?1";
  if (query.seller) sql = "WHERE seller = ?3 AND +status = ?1";
  if (query.family) sql += query.seller ? " AND +family = ?2" : " AND family = ?2";
  sql += sort.condition;
  const bool from_price = query.sort == ListingSort::start_price && !query.after;
  if (query.min_price) sql += from_price ? " AND start_price >= ?4" : " AND +start_price >= ?4";
  if (query.max_price) sql += from_price ? " AND start_price <= ?5" : " AND +start_price <= ?5";
  // No buyout price is below its start price.
  const bool from_buyout = query.sort == ListingSort::buyout_price && query.min_price && !query.after;
  if (from_buyout) sql += query.seller ? "" : " AND buyout_price >= ?4";
  if (query.after) sql += sort.after;
  sql += sort.order;
  return sql + " LIMIT ?8";
}

std::string listings_of_price_where(const ListingsQuery& query) {
  const SortedBy& sort = sorts[std::size_t(query.sort)];
  std::string sql = of_price(query);
  sql += sort.condition;
  if (query.after) sql += sort.after;
  sql += sort.order;
  return sql + " LIMIT ?8";
}

std::string count_of_price_sql(const ListingsQuery& query) {
  return "SELECT count(*) FROM (SELECT 1 FROM listing " + of_price(query) + " LIMIT ?8)";
}

std::int64_t to_limit(std::size_t limit) {
  return limit > std::size_t(INT64_MAX) ? -1 : static_cast<std::int64_t>(limit);
}

Result<void> SqliteMarketQueries::prepare_market() {
  constexpr std::string_view before =
      "WHERE bidder = ?1 AND (placed_at, listing, n) < (?3, ?4, ?5) "
      "ORDER BY placed_at DESC, listing DESC, n DESC LIMIT ?2";
  MarketStatements& s = market_statements_;
  return prepare_all(
      connection_,
      {
          {s.wallet, select_wallets, "WHERE owner_kind = ?1 AND owner = ?2 AND currency = ?3"},
          {s.ledger, select_ledger_lines,
           "WHERE owner_kind = ?1 AND owner = ?2 AND currency = ?3 AND n > ?4 ORDER BY n LIMIT ?5"},
          {s.item, select_items, "WHERE id = ?1"},
          {s.items_of, select_items, "WHERE owner_kind = ?1 AND owner = ?2 AND id > ?3 ORDER BY id LIMIT ?4"},
          {s.listing, select_listings, "WHERE id = ?1"},
          {s.listings_of, select_listings, "WHERE seller = ?1 AND id > ?2 ORDER BY id LIMIT ?3"},
          {s.bids, select_bids, "WHERE listing = ?1 AND n > ?2 ORDER BY n LIMIT ?3"},
          {s.bids_of, select_bids,
           "WHERE bidder = ?1 ORDER BY placed_at DESC, listing DESC, n DESC LIMIT ?2"},
          {s.bids_of_before, select_bids, before},
          {s.market, select_market},
          {s.player, select_players, "WHERE id = ?1"},
          {s.policy, select_policies, "WHERE scope = ?1 AND id = ?2"},
          {s.house, house_sql},
          {s.due, due_listings_sql},
      });
}

Result<WalletRow> SqliteMarketQueries::wallet(const WalletId& id) {
  auto row = find_one<WalletRow>(
      market_statements_.wallet.bind(to_string(id.owner.kind), id.owner.id, id.currency), read_wallet);
  if (!row) return failure(row.error());
  return row->value_or(WalletRow{.id = id});
}

Result<std::vector<LedgerLineRow>> SqliteMarketQueries::ledger(const WalletId& id, std::int64_t after_n,
                                                               std::size_t limit) {
  return collect<LedgerLineRow>(market_statements_.ledger.bind(to_string(id.owner.kind), id.owner.id,
                                                               id.currency, after_n, to_limit(limit)),
                                read_ledger_line);
}

Result<std::optional<ItemRow>> SqliteMarketQueries::item(const std::string& id) {
  return find_one<ItemRow>(market_statements_.item.bind(id), read_item);
}

Result<std::vector<ItemRow>> SqliteMarketQueries::items_of(const Owner& owner, const std::string& after_id,
                                                           std::size_t limit) {
  return collect<ItemRow>(
      market_statements_.items_of.bind(to_string(owner.kind), owner.id, after_id, to_limit(limit)),
      read_item);
}

Result<std::optional<ListingRow>> SqliteMarketQueries::listing(const std::string& id) {
  Result<std::vector<ListingRow>> rows = read_listings(market_statements_.listing.bind(id));
  if (!rows) return failure(rows.error());
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

Result<std::vector<ListingRow>> SqliteMarketQueries::listings(const std::vector<std::string>& ids) {
  Result<Scope> scope = Scope::begin(connection_);
  if (!scope) return failure(scope.error());
  std::vector<ListingRow> found;
  for (const std::string& id : ids) {
    Result<std::optional<ListingRow>> row = listing(id);
    if (!row) return failure(row.error());
    if (*row) found.push_back(std::move(**row));
  }
  return found;
}

Result<Statement*> SqliteMarketQueries::list_statement(std::string sql) {
  const auto [known, is_new] = lists_.try_emplace(std::move(sql));
  if (!is_new) return &known->second;
  Result<Statement> prepared = connection_.prepare(known->first);
  if (!prepared) {
    lists_.erase(known);
    return failure(prepared.error());
  }
  known->second = std::move(*prepared);
  return &known->second;
}

/// Whether found_by_price_max active listings have the prices asked for, or fewer.
Result<bool> SqliteMarketQueries::has_few_of_price(const ListingsQuery& query) {
  const Result<Statement*> statement = list_statement(count_of_price_sql(query));
  if (!statement) return failure(statement.error());
  const auto count = find_one<std::int64_t>(bind(**statement, query, found_by_price_max + 1),
                                            [](const Statement& row) { return row.integer(0); });
  if (!count) return failure(count.error());
  return count->value_or(0) <= found_by_price_max;
}

Result<std::vector<ListingRow>> SqliteMarketQueries::listings(const ListingsQuery& query) {
  const Result<bool> few = walks_past_prices(query) ? has_few_of_price(query) : false;
  if (!few) return failure(few.error());
  const std::string where = *few ? listings_of_price_where(query) : listings_where(query);
  const Result<Statement*> statement = list_statement(std::string(select_listings) + where);
  if (!statement) return failure(statement.error());
  return read_listings(bind(**statement, query, to_limit(query.limit)));
}

Result<std::vector<ListingRow>> SqliteMarketQueries::listings_of(const std::string& seller,
                                                                 const std::string& after_id,
                                                                 std::size_t limit) {
  return read_listings(market_statements_.listings_of.bind(seller, after_id, to_limit(limit)));
}

Result<std::vector<BidRow>> SqliteMarketQueries::bids(const std::string& listing, std::int64_t after_n,
                                                      std::size_t limit) {
  return collect<BidRow>(market_statements_.bids.bind(listing, after_n, to_limit(limit)), read_bid);
}

Result<std::vector<BidRow>> SqliteMarketQueries::bids_of(const BidsOfQuery& query) {
  const std::int64_t limit = to_limit(query.limit);
  if (!query.before) return collect<BidRow>(market_statements_.bids_of.bind(query.player, limit), read_bid);
  const BidsOfQuery::Before& before = *query.before;
  return collect<BidRow>(
      market_statements_.bids_of_before.bind(query.player, limit, before.placed_at, before.listing, before.n),
      read_bid);
}

Result<MarketRow> SqliteMarketQueries::market() {
  auto row = find_one<MarketRow>(market_statements_.market.bind(), read_market);
  if (!row) return failure(row.error());
  return row->value_or(MarketRow{});
}

Result<PlayerRow> SqliteMarketQueries::player(const std::string& id) {
  auto row = find_one<PlayerRow>(market_statements_.player.bind(id), read_player);
  if (!row) return failure(row.error());
  return row->value_or(PlayerRow{.id = id});
}

Result<std::vector<PolicyRow>> SqliteMarketQueries::policies(const std::vector<PolicyId>& ids) {
  std::vector<PolicyRow> policies;
  Statement& find = market_statements_.policy;
  for (const PolicyId& id : ids) {
    find.bind(to_string(id.scope), id.id);
    const Result<bool> is_there = find.step();
    if (!is_there) return failure(is_there.error());
    if (!*is_there) continue;
    Result<PolicyRow> row = read_policy(find);
    find.reset();
    if (!row) return failure(row.error());
    policies.push_back(std::move(*row));
  }
  return policies;
}

Result<std::vector<HouseTotal>> SqliteMarketQueries::house() {
  return collect<HouseTotal>(market_statements_.house.bind(), [](const Statement& statement) {
    Columns columns(statement);
    return HouseTotal{
        .currency = columns.text(), .cut = columns.integer(), .deposits_kept = columns.integer()};
  });
}

Result<InvariantCount> SqliteMarketQueries::check(const MarketInvariant& invariant) {
  const std::string sql =
      "SELECT count(*), coalesce(min(subject), '') FROM (" + std::string(invariant.sql) + ") AS violation";
  Result<Statement> statement = connection_.prepare(sql);
  if (!statement) return failure(statement.error());
  const auto count = find_one<InvariantCount>(*statement, [](const Statement& row) {
    Columns columns(row);
    return InvariantCount{.violations = columns.integer(), .example = columns.text()};
  });
  if (!count) return failure(count.error());
  return count->value_or(InvariantCount{});
}

Result<Keys> SqliteMarketQueries::due_listings(Timestamp now, std::size_t limit) {
  return collect<Key>(market_statements_.due.bind(now, to_limit(limit)),
                      [](const Statement& row) { return listing_key(Columns(row).text()); });
}

Result<std::vector<ListingRow>> SqliteMarketQueries::read_listings(Statement& statement) {
  std::vector<ListingRow> rows;
  for (;;) {
    const Result<bool> more = statement.step();
    if (!more) return failure(more.error());
    if (!*more) return rows;
    Result<ListingRow> row = read_listing(statement, terms_);
    if (!row) {
      statement.reset();
      return failure(row.error());
    }
    rows.push_back(std::move(*row));
  }
}

}  // namespace hotrow::sqlite
