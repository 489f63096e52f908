#include <chrono>

#include "tests/store/conformance.hpp"

// Part one, the auction's part of the read port.
namespace hotrow::conformance {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using Ids = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

Ids ids_of(const std::vector<ListingRow>& rows) {
  Ids ids;
  for (const ListingRow& row : rows) ids.push_back(row.id);
  return ids;
}

Ids ids_of(const std::vector<ItemRow>& rows) {
  Ids ids;
  for (const ItemRow& row : rows) ids.push_back(row.facts.id);
  return ids;
}

template <class R>
Numbers numbers_of(const std::vector<R>& rows) {
  Numbers numbers;
  for (const R& row : rows) numbers.push_back(row.n);
  return numbers;
}

/// A listing by what lists are sorted by and filtered by.
struct Listed {
  std::string id;
  std::int64_t ends = 0;  ///< Seconds after start_time().
  std::int64_t price = 1;
  std::optional<std::int64_t> buyout;
  std::int64_t made = 0;  ///< Seconds before start_time().
  std::string family = "swords";
  std::string seller = "anna";
  ListingStatus status = ListingStatus::active;
};

ListingRow row_of(const Listed& listed) {
  ListingTerms terms = sample_terms(listed.id);
  terms.start_price = listed.price;
  terms.buyout_price = listed.buyout;
  terms.created_at = start_time() - seconds(listed.made);
  terms.item.family = listed.family;
  terms.seller = listed.seller;
  ListingRow row = listing_row(listed.id, std::move(terms));
  row.ends_at = start_time() + seconds(listed.ends);
  row.status = listed.status;
  if (listed.status != ListingStatus::active) {
    const bool is_sold = listed.status == ListingStatus::sold;
    row.closing = ListingClosing{.at = start_time(), .by = "schedule"};
    if (is_sold) row.closing->buyer = "bob";
    if (is_sold) row.closing->price = listed.price;
  }
  return row;
}

/// Every sort has ties, and no two sorts have the same order.
const std::vector<Listed> shelf = {
    {.id = "a", .ends = 50, .price = 10, .buyout = 90, .made = 1},
    {.id = "b", .ends = 10, .price = 30, .made = 1, .family = "shields"},
    {.id = "B", .ends = 10, .price = 20, .buyout = 40, .made = 2},
    {.id = "c", .ends = 20, .price = 20, .buyout = 90, .made = 3, .seller = "carl"},
    {.id = "d", .ends = 40, .price = 20, .buyout = 50, .made = 2, .family = "shields", .seller = "carl"},
    {.id = "\xC3\xA4", .ends = 10, .price = 40, .buyout = 90, .made = 0},
    {.id = "s1", .ends = 5, .price = 15, .made = 9, .status = ListingStatus::sold},
    {.id = "s2", .ends = 4, .price = 16, .buyout = 20, .made = 8, .status = ListingStatus::sold},
    {.id = "x1", .ends = 5, .price = 15, .family = "shields", .status = ListingStatus::expired},
    {.id = "k1", .status = ListingStatus::cancelled},
    {.id = "v1", .status = ListingStatus::voided},
};

std::vector<RowWrite> shelf_rows() {
  std::vector<RowWrite> writes;
  for (const Listed& listed : shelf) writes.push_back(insert(row_of(listed)));
  return writes;
}

std::int64_t sorted_value(const ListingRow& row, ListingSort sort) {
  switch (sort) {
    case ListingSort::ends_at: return row.ends_at.micros;
    case ListingSort::start_price: return row.terms->start_price;
    case ListingSort::buyout_price: return *row.terms->buyout_price;
    case ListingSort::newest: return row.terms->created_at.micros;
  }
  return 0;
}

/// All pages of a list put together.
Ids read_in_pages(Queries& queries, ListingsQuery query, std::size_t page_size) {
  Ids ids;
  query.limit = page_size;
  for (int page = 0; page < 100; ++page) {
    const auto rows = queries.listings(query);
    if (!rows) throw std::runtime_error(rows.error().detail);
    if (rows->empty()) return ids;
    for (const ListingRow& row : *rows) ids.push_back(row.id);
    query.after = {.value = sorted_value(rows->back(), query.sort), .id = rows->back().id};
  }
  throw std::runtime_error("a list without end");
}

TEST_P(StoreConformance, AWalletIsReadByItsKeyAndAnUnknownOneIsZeros) {
  WalletRow row = wallet_row(purse("anna"), 7);
  row.held = 3;
  row.leading_bids = 2;
  row.active_listings = 1;
  commit({insert(row)});
  const auto queries = open_queries(store());
  const auto found = queries->wallet(purse("anna"));
  ASSERT_TRUE(found) << found.error().detail;
  EXPECT_EQ(to_text(Row(*found)), to_text(Row(row)));
  for (const WalletId& id :
       {purse("anna", "gems"), purse("bob"), WalletId{.owner = guild("anna"), .currency = "gold"}}) {
    const auto zeros = queries->wallet(id);
    ASSERT_TRUE(zeros) << zeros.error().detail;
    EXPECT_EQ(to_text(Row(*zeros)), to_text(Row(WalletRow{.id = id})));
  }
}

TEST_P(StoreConformance, ALedgerComesInPagesAndIsOneWalletsAlone) {
  std::vector<RowWrite> writes;
  for (std::int64_t n = 1; n <= 12; ++n) writes.push_back(insert(ledger_line_row(purse("anna"), n)));
  writes.push_back(insert(ledger_line_row(purse("anna", "gems"), 1)));
  writes.push_back(insert(ledger_line_row(purse("anna2"), 3)));
  writes.push_back(insert(ledger_line_row({.owner = guild("anna")}, 4)));
  commit(writes);
  const auto queries = open_queries(store());
  const auto page = queries->ledger(purse("anna"), 0, 5);
  ASSERT_TRUE(page) << page.error().detail;
  EXPECT_EQ(numbers_of(*page), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(to_text(Row((*page)[2])), to_text(Row(ledger_line_row(purse("anna"), 3))));
  EXPECT_EQ(numbers_of(*queries->ledger(purse("anna"), 10, 5)), (Numbers{11, 12}));
  EXPECT_EQ(numbers_of(*queries->ledger(purse("anna"), 12, 5)), Numbers{});
  EXPECT_EQ(numbers_of(*queries->ledger({.owner = guild("anna")}, 0, 5)), (Numbers{4}));
}

TEST_P(StoreConformance, ItemsOfAnOwnerComeInPagesByTheirIdsBytes) {
  commit({insert(item_row("b", player("anna"))), insert(escrow_row("B", player("anna"), "l")),
          insert(item_row("a", player("anna"))), insert(item_row("\xC3\xA4", player("anna"))),
          insert(item_row("c", guild("anna"))), insert(item_row("d", player("bob")))});
  const auto queries = open_queries(store());
  const auto all = queries->items_of(player("anna"), "", 10);
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(ids_of(*all), (Ids{"B", "a", "b", "\xC3\xA4"}));
  EXPECT_EQ(to_text(Row((*all)[0])), to_text(Row(escrow_row("B", player("anna"), "l"))));
  EXPECT_EQ(ids_of(*queries->items_of(player("anna"), "a", 1)), (Ids{"b"}));
  EXPECT_EQ(ids_of(*queries->items_of(player("anna"), "\xC3\xA4", 1)), Ids{});
  EXPECT_EQ(ids_of(*queries->items_of(guild("anna"), "", 10)), (Ids{"c"}));

  const auto found = queries->item("a");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(to_text(Row(**found)), to_text(Row(item_row("a", player("anna")))));
  EXPECT_FALSE(*queries->item("A"));
}

TEST_P(StoreConformance, ListingsAreReadByTheirIdsInTheOrderAsked) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  const auto one = queries->listing("c");
  ASSERT_TRUE(one && *one);
  EXPECT_EQ(to_text(Row(**one)), to_text(Row(row_of(shelf[3]))));
  EXPECT_FALSE(*queries->listing("C"));

  const auto some = queries->listings(Ids{"s1", "nobody", "\xC3\xA4", "B", "b"});
  ASSERT_TRUE(some) << some.error().detail;
  EXPECT_EQ(ids_of(*some), (Ids{"s1", "\xC3\xA4", "B", "b"}));
  EXPECT_EQ(to_text(Row((*some)[0])), to_text(Row(row_of(shelf[6]))));
  EXPECT_TRUE(queries->listings(Ids{})->empty());
}

TEST_P(StoreConformance, ActiveListingsAreSortedAsAskedAndTiesByTheirId) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  const auto sorted_by = [&](ListingSort sort) {
    const auto rows = queries->listings(ListingsQuery{.sort = sort});
    if (!rows) throw std::runtime_error(rows.error().detail);
    return ids_of(*rows);
  };
  EXPECT_EQ(sorted_by(ListingSort::ends_at), (Ids{"B", "b", "\xC3\xA4", "c", "d", "a"}));
  EXPECT_EQ(sorted_by(ListingSort::start_price), (Ids{"a", "B", "c", "d", "b", "\xC3\xA4"}));
  EXPECT_EQ(sorted_by(ListingSort::buyout_price), (Ids{"B", "d", "a", "c", "\xC3\xA4"}));
  EXPECT_EQ(sorted_by(ListingSort::newest), (Ids{"\xC3\xA4", "a", "b", "B", "d", "c"}));
}

TEST_P(StoreConformance, ListingsAreFilteredAsAsked) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  const auto ids = [&](const ListingsQuery& query) {
    const auto rows = queries->listings(query);
    if (!rows) throw std::runtime_error(rows.error().detail);
    return ids_of(*rows);
  };
  EXPECT_EQ(ids({.family = "shields"}), (Ids{"b", "d"}));
  EXPECT_EQ(ids({.seller = "carl"}), (Ids{"c", "d"}));
  EXPECT_EQ(ids({.family = "shields", .seller = "carl"}), (Ids{"d"}));
  EXPECT_EQ(ids({.family = "Shields"}), Ids{});
  EXPECT_EQ(ids({.seller = "nobody"}), Ids{});
  EXPECT_EQ(ids({.min_price = 20, .max_price = 30}), (Ids{"B", "b", "c", "d"}));
  EXPECT_EQ(ids({.min_price = 21}), (Ids{"b", "\xC3\xA4"}));
  EXPECT_EQ(ids({.max_price = 19}), (Ids{"a"}));
  EXPECT_EQ(ids({.min_price = 20, .max_price = 20, .sort = ListingSort::start_price}), (Ids{"B", "c", "d"}));
  EXPECT_EQ(ids({.family = "shields", .max_price = 29, .sort = ListingSort::newest}), (Ids{"d"}));
  EXPECT_EQ(ids({.status = ListingStatus::sold}), (Ids{"s2", "s1"}));
  EXPECT_EQ(ids({.status = ListingStatus::sold, .sort = ListingSort::start_price}), (Ids{"s1", "s2"}));
  EXPECT_EQ(ids({.status = ListingStatus::sold, .sort = ListingSort::buyout_price}), (Ids{"s2"}));
  EXPECT_EQ(ids({.status = ListingStatus::sold, .sort = ListingSort::newest}), (Ids{"s2", "s1"}));
  EXPECT_EQ(ids({.status = ListingStatus::expired, .family = "shields"}), (Ids{"x1"}));
  EXPECT_EQ(ids({.status = ListingStatus::cancelled, .seller = "anna"}), (Ids{"k1"}));
  EXPECT_EQ(ids({.status = ListingStatus::voided, .min_price = 2}), Ids{});
}

TEST_P(StoreConformance, PagesOfListingsMakeUpTheWholeListWhateverTheirSize) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  for (const ListingSort sort :
       {ListingSort::ends_at, ListingSort::start_price, ListingSort::buyout_price, ListingSort::newest}) {
    for (const ListingStatus status : {ListingStatus::active, ListingStatus::sold}) {
      for (const auto& family : {std::optional<std::string>(), std::optional<std::string>("swords")}) {
        for (const auto& seller : {std::optional<std::string>(), std::optional<std::string>("anna")}) {
          for (const auto& min_price : {std::optional<std::int64_t>(), std::optional<std::int64_t>(16)}) {
            const ListingsQuery query{.status = status,
                                      .family = family,
                                      .seller = seller,
                                      .min_price = min_price,
                                      .max_price = 39,
                                      .sort = sort};
            const Ids whole = ids_of(*queries->listings(query));
            EXPECT_EQ(read_in_pages(*queries, query, 1), whole) << int(sort);
            EXPECT_EQ(read_in_pages(*queries, query, 2), whole) << int(sort);
          }
        }
      }
    }
  }
}

TEST_P(StoreConformance, AListIsReadOnFromAPlaceThatIsNobodysAnyMore) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  const ListingsQuery::After after_b{.value = 20, .id = "b"};
  const ListingsQuery by_price{.sort = ListingSort::start_price, .after = after_b};
  EXPECT_EQ(ids_of(*queries->listings(by_price)), (Ids{"c", "d", "b", "\xC3\xA4"}));
  const ListingsQuery below{.min_price = 21, .sort = ListingSort::start_price, .after = after_b};
  EXPECT_EQ(ids_of(*queries->listings(below)), (Ids{"b", "\xC3\xA4"}));
}

TEST_P(StoreConformance, ListingsOfASellerComeInPagesWhateverTheirStatus) {
  commit(shelf_rows());
  const auto queries = open_queries(store());
  const auto all = queries->listings_of("anna", "", 100);
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(ids_of(*all), (Ids{"B", "a", "b", "k1", "s1", "s2", "v1", "x1", "\xC3\xA4"}));
  EXPECT_EQ(ids_of(*queries->listings_of("anna", "k1", 2)), (Ids{"s1", "s2"}));
  EXPECT_EQ(ids_of(*queries->listings_of("carl", "", 100)), (Ids{"c", "d"}));
  EXPECT_EQ(ids_of(*queries->listings_of("bob", "", 100)), Ids{});
}

TEST_P(StoreConformance, BidsOnAListingComeInPagesByTheirNumber) {
  std::vector<RowWrite> writes = {insert(bid_row("m", 1, "bob", 100)), insert(bid_row("k", 2, "bob", 100))};
  for (std::int64_t n = 1; n <= 11; ++n) writes.push_back(insert(bid_row("l", n, "bob", 100 * n)));
  commit(writes);
  const auto queries = open_queries(store());
  const auto page = queries->bids("l", 0, 3);
  ASSERT_TRUE(page) << page.error().detail;
  EXPECT_EQ(numbers_of(*page), (Numbers{1, 2, 3}));
  EXPECT_EQ(to_text(Row((*page)[1])), to_text(Row(bid_row("l", 2, "bob", 200))));
  EXPECT_EQ(numbers_of(*queries->bids("l", 9, 3)), (Numbers{10, 11}));
  EXPECT_EQ(numbers_of(*queries->bids("l", 11, 3)), Numbers{});
  EXPECT_EQ(numbers_of(*queries->bids("nobody", 0, 3)), Numbers{});
}

TEST_P(StoreConformance, BidsOfAPlayerComeInPagesLatestFirst) {
  BidRow tie = bid_row("m", 2, "bob", 5);
  BidRow later_in_l = bid_row("l", 3, "bob", 7);
  later_in_l.placed_at = tie.placed_at;
  commit({insert(bid_row("l", 1, "bob", 1)), insert(bid_row("l", 2, "bob", 2)), insert(tie),
          insert(later_in_l), insert(bid_row("z", 4, "bob", 3)), insert(bid_row("l", 4, "carl", 9))});
  const auto queries = open_queries(store());
  const auto names = [](const std::vector<BidRow>& bids) {
    Ids found;
    for (const BidRow& bid : bids) found.push_back(bid_id(bid.listing, bid.n));
    return found;
  };
  const Ids whole = {"z:4", "m:2", "l:3", "l:2", "l:1"};
  const auto all = queries->bids_of({.player = "bob"});
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(names(*all), whole);
  EXPECT_EQ(to_text(Row((*all)[1])), to_text(Row(tie)));

  Ids paged;
  BidsOfQuery query{.player = "bob", .limit = 1};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto page = queries->bids_of(query);
    ASSERT_TRUE(page && page->size() == 1);
    paged.push_back(names(*page)[0]);
    query.before = {.placed_at = (*page)[0].placed_at, .listing = (*page)[0].listing, .n = (*page)[0].n};
  }
  EXPECT_EQ(paged, whole);
  EXPECT_TRUE(queries->bids_of(query)->empty());
  EXPECT_TRUE(queries->bids_of({.player = "nobody"})->empty());
}

TEST_P(StoreConformance, ThePlayersAndTheMarketAreBlankUntilSomebodyChangesThem) {
  const auto queries = open_queries(store());
  const auto open = queries->market();
  const auto allowed = queries->player("anna");
  ASSERT_TRUE(open && allowed);
  EXPECT_EQ(to_text(Row(*open)), to_text(Row(MarketRow{})));
  EXPECT_EQ(to_text(Row(*allowed)), to_text(Row(PlayerRow{.id = "anna"})));
  commit({insert(market_row()), insert(player_row("anna"))});
  EXPECT_EQ(to_text(Row(*queries->market())), to_text(Row(market_row())));
  EXPECT_EQ(to_text(Row(*queries->player("anna"))), to_text(Row(player_row("anna"))));
}

TEST_P(StoreConformance, TheHouseHasEarnedItsCutsAndItsKeptDeposits) {
  std::vector<RowWrite> writes;
  const auto add = [&](const WalletId& id, HouseAccount account, LedgerReason reason, std::int64_t amount) {
    HouseLineRow line = house_line_row(id, std::int64_t(writes.size()) + 1);
    line.account = account;
    line.reason = reason;
    line.amount = amount;
    writes.push_back(insert(line));
  };
  add(purse("anna"), HouseAccount::house, LedgerReason::sale, 5);
  add(purse("bob"), HouseAccount::house, LedgerReason::sale, 7);
  add(purse("bob"), HouseAccount::house, LedgerReason::deposit_capture, 100);
  add(purse("bob"), HouseAccount::outside, LedgerReason::deposit, -5000);
  add(purse("bob", "gems"), HouseAccount::house, LedgerReason::deposit_capture, 9007199254740991);
  add(purse("bob", "iron"), HouseAccount::outside, LedgerReason::withdrawal, 3);
  const auto queries = open_queries(store());
  EXPECT_TRUE(queries->house()->empty());
  commit(writes);
  const auto totals = queries->house();
  ASSERT_TRUE(totals) << totals.error().detail;
  ASSERT_EQ(totals->size(), 2u);
  EXPECT_EQ((*totals)[0].currency, "gems");
  EXPECT_EQ((*totals)[0].cut, 0);
  EXPECT_EQ((*totals)[0].deposits_kept, 9007199254740991);
  EXPECT_EQ((*totals)[1].currency, "gold");
  EXPECT_EQ((*totals)[1].cut, 12);
  EXPECT_EQ((*totals)[1].deposits_kept, 100);
}

/// A listing that ends so long after start_time().
ListingRow ending(std::string id, microseconds after) {
  ListingRow row = listing_row(std::move(id));
  row.ends_at = start_time() + after;
  return row;
}

TEST_P(StoreConformance, ListingsAreDueFromTheirEndOnOldestFirst) {
  ListingRow aside = ending("aside", microseconds(1));
  aside.set_aside = "astray";
  ListingRow over =
      closed_listing_row("over", ListingStatus::cancelled, {.at = start_time(), .by = "seller"});
  over.ends_at = start_time();
  PromotionSettings settings = sample_settings();
  settings.ends_at = start_time() + microseconds(25);
  commit({insert(ending("b", microseconds(30))), insert(ending("a", microseconds(30))),
          insert(ending("c", microseconds(10))), insert(ending("d", microseconds(31))), insert(aside),
          insert(over), insert(promotion_row("p", settings))});
  const auto queries = open_queries(store());
  const Timestamp now = start_time() + microseconds(30);
  const auto due = queries->due(now, 10);
  ASSERT_TRUE(due) << due.error().detail;
  EXPECT_EQ(*due, (Keys{promotion_key("p"), listing_key("c"), listing_key("a"), listing_key("b")}));
  EXPECT_EQ(*queries->due(now, 1), (Keys{promotion_key("p"), listing_key("c")})) << "each kind has its limit";
  EXPECT_EQ(*queries->due(start_time() + microseconds(9), 10), Keys{});
}

TEST_P(StoreConformance, NoListingIsDueWhileTheMarketIsPausedOrBeforeWhatWasGivenBack) {
  commit({insert(ending("l", microseconds(10))), insert(market_row())});
  const auto queries = open_queries(store());
  const auto due_at = [&](microseconds after) { return *queries->due(start_time() + after, 10); };
  EXPECT_EQ(due_at(seconds(1)), Keys{});

  MarketRow market = market_row();
  market.paused = false;
  commit({update(market)});
  EXPECT_EQ(due_at(microseconds(9)), Keys{});
  EXPECT_EQ(due_at(microseconds(10)), Keys{listing_key("l")});

  market.extension = microseconds(5);
  commit({update(market)});
  EXPECT_EQ(due_at(microseconds(14)), Keys{});
  EXPECT_EQ(due_at(microseconds(15)), Keys{listing_key("l")});
}

}  // namespace
}  // namespace hotrow::conformance
