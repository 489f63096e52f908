#include <limits>

#include "hotrow/postgres/pg_market_rows.hpp"
#include "hotrow/postgres/pg_market_statements.hpp"
#include "hotrow/postgres/pg_queries.hpp"

// The auction's part of the read port.
namespace hotrow {
namespace {

using statements::ListingScope;
using Limits = std::numeric_limits<std::int64_t>;

/// All rows; the first one that cannot be decoded fails them all.
template <class R, class Decode>
Result<std::vector<R>> decode_all(const Result<PgResult>& rows, Decode decode) {
  if (!rows) return failure(rows.error());
  std::vector<R> all;
  all.reserve(std::size_t(rows->rows()));
  for (int row = 0; row < rows->rows(); ++row) {
    Result<R> decoded = decode(*rows, row);
    if (!decoded) return failure(std::move(decoded.error()));
    all.push_back(std::move(*decoded));
  }
  return all;
}

/// The only row, if it is there.
template <class R, class Decode>
Result<std::optional<R>> decode_only(const Result<PgResult>& rows, Decode decode) {
  Result<std::vector<R>> all = decode_all<R>(rows, decode);
  if (!all) return failure(std::move(all.error()));
  if (all->empty()) return std::nullopt;
  return std::optional(std::move(all->front()));
}

PgParameters parameters_of(const Owner& owner) {
  return PgParameters().text(to_string(owner.kind)).text(owner.id);
}
PgParameters parameters_of(const WalletId& id) { return parameters_of(id.owner).text(id.currency); }

ListingScope scope_of(const ListingsQuery& query) {
  const bool over = query.status != ListingStatus::active;
  if (query.seller) return over ? ListingScope::over_of_seller : ListingScope::active_of_seller;
  if (over) return ListingScope::over;
  return query.family ? ListingScope::active_of_family : ListingScope::active;
}

/// Whether a walk along the sort's index would meet other prices than those asked for.
bool walks_past_prices(const ListingsQuery& query) {
  return query.status == ListingStatus::active && !query.seller && query.sort != ListingSort::start_price &&
         (query.min_price || query.max_price);
}

/// Where the page begins. One sorted by a price begins with the least that is asked for: no buyout price is
/// below its start price.
ListingsQuery::After start_of(const ListingsQuery& query) {
  const bool descends = query.sort == ListingSort::newest;
  const bool is_by_price = query.sort == ListingSort::start_price || query.sort == ListingSort::buyout_price;
  const ListingsQuery::After start =
      query.after.value_or(ListingsQuery::After{.value = descends ? Limits::max() : Limits::min()});
  if (!is_by_price || !query.min_price || start.value >= *query.min_price) return start;
  return {.value = *query.min_price};
}

/// As list_listings() says.
PgParameters parameters_of(const ListingsQuery& query, ListingScope scope) {
  const ListingsQuery::After start = start_of(query);
  PgParameters p;
  p.bigint(start.value).text(start.id);
  p.bigint(query.min_price.value_or(Limits::min())).bigint(query.max_price.value_or(Limits::max()));
  p.bigint(std::int64_t(query.limit));
  if (scope == ListingScope::active || scope == ListingScope::active_of_price) return p;
  p.text(query.family.value_or(""));
  if (query.status != ListingStatus::active) p.text(to_string(query.status));
  if (query.seller) p.text(*query.seller);
  return p;
}

Result<BidRow> as_bid(const PgResult& rows, int row) { return decode_bid(rows, row); }

}  // namespace

Result<WalletRow> PgQueries::wallet(const WalletId& id) {
  const auto decode = [&](const PgResult& rows, int row) -> Result<WalletRow> {
    return decode_wallet(rows, row, id);
  };
  auto found = decode_only<WalletRow>(ask(statements::read_wallet, parameters_of(id)), decode);
  if (!found) return failure(found.error());
  return found->value_or(WalletRow{.id = id});
}

Result<std::vector<LedgerLineRow>> PgQueries::ledger(const WalletId& id, std::int64_t after_n,
                                                     std::size_t limit) {
  const PgParameters parameters = parameters_of(id).bigint(after_n).bigint(std::int64_t(limit));
  return decode_all<LedgerLineRow>(
      ask(statements::list_ledger, parameters),
      [&](const PgResult& rows, int row) { return decode_ledger_line(rows, row, id); });
}

Result<std::optional<ItemRow>> PgQueries::item(const std::string& id) {
  return decode_only<ItemRow>(ask(statements::read_item, PgParameters().text(id)), decode_item);
}

Result<std::vector<ItemRow>> PgQueries::items_of(const Owner& owner, const std::string& after_id,
                                                 std::size_t limit) {
  const PgParameters parameters = parameters_of(owner).text(after_id).bigint(std::int64_t(limit));
  return decode_all<ItemRow>(ask(statements::list_items_of, parameters), decode_item);
}

Result<std::vector<ListingRow>> PgQueries::decode_listings(const Result<PgResult>& rows) {
  return decode_all<ListingRow>(
      rows, [this](const PgResult& from, int row) { return decode_listing(from, row, caches_.terms); });
}

Result<std::optional<ListingRow>> PgQueries::listing(const std::string& id) {
  auto found = decode_listings(ask(statements::read_listing, PgParameters().text(id)));
  if (!found) return failure(std::move(found.error()));
  if (found->empty()) return std::nullopt;
  return std::optional(std::move(found->front()));
}

Result<std::vector<ListingRow>> PgQueries::listings(const std::vector<std::string>& ids) {
  PgParameters parameters;
  parameters.text_array(ids, [](const std::string& id) -> std::string_view { return id; });
  return decode_listings(ask(statements::read_listings, parameters));
}

Result<std::vector<ListingRow>> PgQueries::listings(const ListingsQuery& query) {
  ListingScope scope = scope_of(query);
  if (walks_past_prices(query)) {
    const Result<bool> few = has_few_of_price(query);
    if (!few) return failure(few.error());
    if (*few) scope = query.family ? ListingScope::active_of_family_and_price : ListingScope::active_of_price;
  }
  return decode_listings(ask(statements::list_listings(scope, query.sort), parameters_of(query, scope)));
}

/// Whether found_by_price_max active listings have the prices asked for, or fewer.
Result<bool> PgQueries::has_few_of_price(const ListingsQuery& query) {
  PgParameters p;
  p.bigint(query.min_price.value_or(Limits::min())).bigint(query.max_price.value_or(Limits::max()));
  p.bigint(found_by_price_max + 1);
  if (query.family) p.text(*query.family);
  return ask(query.family ? statements::count_active_of_family_and_price : statements::count_active_of_price,
             p)
      .map([](const PgResult& rows) { return rows.bigint(0, 0) <= found_by_price_max; });
}

Result<std::vector<ListingRow>> PgQueries::listings_of(const std::string& seller, const std::string& after_id,
                                                       std::size_t limit) {
  const PgParameters parameters = PgParameters().text(seller).text(after_id).bigint(std::int64_t(limit));
  return decode_listings(ask(statements::list_listings_of, parameters));
}

Result<std::vector<BidRow>> PgQueries::bids(const std::string& listing, std::int64_t after_n,
                                            std::size_t limit) {
  const PgParameters parameters = PgParameters().text(listing).bigint(after_n).bigint(std::int64_t(limit));
  return decode_all<BidRow>(ask(statements::list_bids, parameters), as_bid);
}

Result<std::vector<BidRow>> PgQueries::bids_of(const BidsOfQuery& query) {
  PgParameters parameters;
  parameters.text(query.player);
  if (query.before) {
    const auto& [placed_at, listing, n] = *query.before;
    parameters.bigint(placed_at.micros).text(listing).bigint(n);
  }
  parameters.bigint(std::int64_t(query.limit));
  const PgStatement& statement = query.before ? statements::list_bids_of : statements::list_latest_bids_of;
  return decode_all<BidRow>(ask(statement, parameters), as_bid);
}

Result<MarketRow> PgQueries::market() {
  const auto decode = [](const PgResult& rows, int row) -> Result<MarketRow> {
    return decode_market(rows, row);
  };
  auto found = decode_only<MarketRow>(ask(statements::read_market), decode);
  if (!found) return failure(found.error());
  return found->value_or(MarketRow{});
}

Result<PlayerRow> PgQueries::player(const std::string& id) {
  const std::vector<std::string> ids = {id};
  PgParameters parameters;
  parameters.text_array(ids, [](const std::string& each) -> std::string_view { return each; });
  const auto decode = [&](const PgResult& rows, int row) -> Result<PlayerRow> {
    return decode_player(rows, row, id);
  };
  auto found = decode_only<PlayerRow>(ask(statements::read_players, parameters), decode);
  if (!found) return failure(found.error());
  return found->value_or(PlayerRow{.id = id});
}

Result<std::vector<PolicyRow>> PgQueries::policies(const std::vector<PolicyId>& ids) {
  PgParameters parameters;
  parameters.text_array(ids, [](const PolicyId& id) { return to_string(id.scope); });
  parameters.text_array(ids, [](const PolicyId& id) -> std::string_view { return id.id; });
  return decode_all<PolicyRow>(ask(statements::read_policies, parameters), decode_policy);
}

Result<std::vector<HouseTotal>> PgQueries::house() {
  return in_snapshot([&]() -> Result<std::vector<HouseTotal>> {
    session_->connection().queue(statements::free_planner);
    return decode_all<HouseTotal>(ask_in_snapshot(statements::sum_house),
                                  [](const PgResult& rows, int row) -> Result<HouseTotal> {
                                    return HouseTotal{.currency = rows.string(row, 0),
                                                      .cut = rows.bigint(row, 1),
                                                      .deposits_kept = rows.bigint(row, 2)};
                                  });
  });
}

/// The invariant's own text, counted. Made once, because a connection knows a statement by its address.
const PgStatement& PgQueries::check_of(const MarketInvariant& invariant) {
  const auto [found, is_new] = checks_.try_emplace(std::string(invariant.sql));
  CheckStatement& check = found->second;
  if (is_new) {
    check.name = "check_" + std::to_string(checks_.size());
    check.text = "SELECT count(*), min(subject COLLATE \"C\") FROM (" + found->first + ") AS violation";
    check.statement = {check.name.c_str(), check.text.c_str()};
  }
  return check.statement;
}

Result<InvariantCount> PgQueries::check(const MarketInvariant& invariant) {
  const PgStatement& statement = check_of(invariant);
  return in_snapshot([&]() -> Result<InvariantCount> {
    session_->connection().queue(statements::free_planner);
    Result<PgResult> rows = ask_in_snapshot(statement);
    if (!rows) return failure(rows.error());
    InvariantCount count{.violations = rows->bigint(0, 0)};
    if (!rows->is_null(0, 1)) count.example = rows->string(0, 1);
    return count;
  });
}

}  // namespace hotrow
