#include "hotrow/store/memory_market_queries.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "hotrow/store/memory_invariants.hpp"
#include "hotrow/store/memory_rows.hpp"

namespace hotrow {
namespace {

bool is_wanted(const ListingRow& listing, const ListingsQuery& query) {
  const ListingTerms& terms = *listing.terms;
  if (listing.status != query.status) return false;
  if (query.family && terms.item.family != *query.family) return false;
  if (query.seller && terms.seller != *query.seller) return false;
  if (query.min_price && terms.start_price < *query.min_price) return false;
  if (query.max_price && terms.start_price > *query.max_price) return false;
  return query.sort != ListingSort::buyout_price || terms.buyout_price.has_value();
}

std::int64_t sorted_value(const ListingRow& listing, ListingSort sort) {
  switch (sort) {
    case ListingSort::ends_at: return listing.ends_at.micros;
    case ListingSort::start_price: return listing.terms->start_price;
    case ListingSort::buyout_price: return listing.terms->buyout_price.value_or(0);
    case ListingSort::newest: return listing.terms->created_at.micros;
  }
  return 0;
}

/// Where a listing stands in the list: the smaller comes first.
std::pair<std::int64_t, std::string> place(std::int64_t value, std::string id, ListingSort sort) {
  return {sort == ListingSort::newest ? -value : value, std::move(id)};
}

auto place(const BidRow& bid) { return std::tie(bid.placed_at, bid.listing, bid.n); }

}  // namespace

Result<WalletRow> MemoryMarketQueries::wallet(const WalletId& id) {
  return find<WalletRow>(wallet_key(id)).map([&](std::optional<WalletRow> row) {
    return row.value_or(WalletRow{.id = id});
  });
}

Result<std::vector<LedgerLineRow>> MemoryMarketQueries::ledger(const WalletId& id, std::int64_t after_n,
                                                               std::size_t limit) {
  return tables_->with([&](const MemoryTables& tables) {
    auto lines = collect<LedgerLineRow>(
        tables, [&](const LedgerLineRow& line) { return line.wallet == id && line.n > after_n; });
    cut_to(lines, limit);
    return lines;
  });
}

Result<std::optional<ItemRow>> MemoryMarketQueries::item(const std::string& id) {
  return find<ItemRow>(item_key(id));
}

Result<std::vector<ItemRow>> MemoryMarketQueries::items_of(const Owner& owner, const std::string& after_id,
                                                           std::size_t limit) {
  return tables_->with([&](const MemoryTables& tables) {
    auto items = collect<ItemRow>(
        tables, [&](const ItemRow& item) { return item.owner == owner && item.facts.id > after_id; });
    cut_to(items, limit);
    return items;
  });
}

Result<std::optional<ListingRow>> MemoryMarketQueries::listing(const std::string& id) {
  return find<ListingRow>(listing_key(id));
}

Result<std::vector<ListingRow>> MemoryMarketQueries::listings(const std::vector<std::string>& ids) {
  return tables_->with([&](const MemoryTables& tables) {
    std::vector<ListingRow> found;
    for (const std::string& id : ids) {
      const auto* listing = find_row<ListingRow>(tables, listing_key(id));
      if (listing != nullptr) found.push_back(*listing);
    }
    return found;
  });
}

Result<std::vector<ListingRow>> MemoryMarketQueries::listings(const ListingsQuery& query) {
  const auto place_of = [&](const ListingRow& row) {
    return place(sorted_value(row, query.sort), row.id, query.sort);
  };
  return tables_->with([&](const MemoryTables& tables) {
    auto found = collect<ListingRow>(tables, [&](const ListingRow& row) {
      const bool is_later =
          !query.after || place_of(row) > place(query.after->value, query.after->id, query.sort);
      return is_later && is_wanted(row, query);
    });
    std::sort(found.begin(), found.end(),
              [&](const ListingRow& a, const ListingRow& b) { return place_of(a) < place_of(b); });
    cut_to(found, query.limit);
    return found;
  });
}

Result<std::vector<ListingRow>> MemoryMarketQueries::listings_of(const std::string& seller,
                                                                 const std::string& after_id,
                                                                 std::size_t limit) {
  return tables_->with([&](const MemoryTables& tables) {
    auto found = collect<ListingRow>(
        tables, [&](const ListingRow& row) { return row.terms->seller == seller && row.id > after_id; });
    cut_to(found, limit);
    return found;
  });
}

Result<std::vector<BidRow>> MemoryMarketQueries::bids(const std::string& listing, std::int64_t after_n,
                                                      std::size_t limit) {
  return tables_->with([&](const MemoryTables& tables) {
    auto found =
        collect<BidRow>(tables, [&](const BidRow& bid) { return bid.listing == listing && bid.n > after_n; });
    cut_to(found, limit);
    return found;
  });
}

Result<std::vector<BidRow>> MemoryMarketQueries::bids_of(const BidsOfQuery& query) {
  return tables_->with([&](const MemoryTables& tables) {
    auto found = collect<BidRow>(tables, [&](const BidRow& bid) {
      if (bid.bidder != query.player) return false;
      if (!query.before) return true;
      return place(bid) < std::tie(query.before->placed_at, query.before->listing, query.before->n);
    });
    std::sort(found.begin(), found.end(),
              [](const BidRow& a, const BidRow& b) { return place(a) > place(b); });
    cut_to(found, query.limit);
    return found;
  });
}

Result<MarketRow> MemoryMarketQueries::market() {
  return find<MarketRow>(market_key()).map([](std::optional<MarketRow> row) {
    return row.value_or(MarketRow{});
  });
}

Result<PlayerRow> MemoryMarketQueries::player(const std::string& id) {
  return find<PlayerRow>(player_key(id)).map([&](std::optional<PlayerRow> row) {
    return row.value_or(PlayerRow{.id = id});
  });
}

Result<std::vector<PolicyRow>> MemoryMarketQueries::policies(const std::vector<PolicyId>& ids) {
  std::vector<PolicyRow> policies;
  for (const PolicyId& id : ids) {
    Result<std::optional<PolicyRow>> row = find<PolicyRow>(policy_key(id));
    if (!row) return failure(row.error());
    if (*row) policies.push_back(std::move(**row));
  }
  return policies;
}

Result<std::vector<HouseTotal>> MemoryMarketQueries::house() {
  return tables_->with([&](const MemoryTables& tables) {
    std::map<std::string, HouseTotal> by_currency;
    for (const HouseLineRow& line : collect<HouseLineRow>(tables)) {
      if (line.account != HouseAccount::house) continue;
      HouseTotal& total = by_currency[line.wallet.currency];
      if (line.reason == LedgerReason::sale) total.cut += line.amount;
      if (line.reason == LedgerReason::deposit_capture) total.deposits_kept += line.amount;
    }
    std::vector<HouseTotal> totals;
    for (auto& [currency, total] : by_currency) {
      total.currency = currency;
      totals.push_back(total);
    }
    return totals;
  });
}

Result<InvariantCount> MemoryMarketQueries::check(const MarketInvariant& invariant) {
  return tables_->with([&](const MemoryTables& tables) { return count_violations(tables, invariant); });
}

Keys due_listings(const MemoryTables& tables, Timestamp now, std::size_t limit) {
  const auto* market = find_row<MarketRow>(tables, market_key());
  if (market != nullptr && market->paused) return {};
  const Timestamp market_now = market != nullptr ? now - market->extension : now;
  auto ended = collect<ListingRow>(tables, [&](const ListingRow& row) {
    return row.status == ListingStatus::active && row.set_aside.empty() && row.ends_at <= market_now;
  });
  std::stable_sort(ended.begin(), ended.end(),
                   [](const ListingRow& a, const ListingRow& b) { return a.ends_at < b.ends_at; });
  cut_to(ended, limit);
  Keys keys;
  for (const ListingRow& listing : ended) keys.push_back(listing_key(listing.id));
  return keys;
}

}  // namespace hotrow
