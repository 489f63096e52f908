#include "hotrow/app/market_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace hotrow {
namespace {

Timestamp at(std::int64_t second) { return {second * 1'000'000}; }

constexpr std::uint32_t ann = 0;
constexpr std::uint32_t bob = 1;
constexpr std::uint32_t cem = 2;

MarketListing told_listing(const char* id, std::uint32_t item, std::uint32_t seller, std::int64_t start) {
  return {.id = id, .item = item, .seller = seller, .start_price = start, .min_increment = 5, .made = true};
}

SeenListing found_listing(const char* id, const char* item, const char* seller, std::int64_t start) {
  return {.id = id,
          .seller = seller,
          .item = item,
          .start_price = start,
          .cut_bps = 500,
          .cut_min = 1,
          .created_at = at(0),
          .ends_at = at(10),
          .server_time = at(100),
          .version = 1};
}

/// Ann sells her sword to cem, who is outbid by nobody; cem sells it on to bob at once; bob's bow was taken
/// back, and is listed again with ann in the lead; a fourth listing was refused.
struct Scene {
  MarketBooks books;
  MarketState state;

  Scene() {
    books.players = {{"ann", 1'000}, {"bob", 1'000}, {"cem", 1'000}};
    books.items = {{.id = "sword", .maker = ann, .made = true}, {.id = "bow", .maker = bob, .made = true}};
    books.listings = {told_listing("first", 0, ann, 100), told_listing("resale", 0, cem, 50),
                      told_listing("taken-back", 1, bob, 300), told_listing("open", 1, bob, 60),
                      told_listing("refused", 1, bob, 60)};
    books.listings[0].deposit = 1;
    books.listings[0].bids = {{1, bob, 100, at(2)}, {2, cem, 110, at(3)}};
    books.listings[1].deposit = 1;
    books.listings[1].buyout_price = 200;
    books.listings[1].buyers = {bob};
    books.listings[2].deposit = 3;
    books.listings[2].cancelled = true;
    books.listings[3].deposit = 2;
    books.listings[3].bids = {{1, ann, 70, at(50)}};
    books.listings[4].made = false;

    state.listings.resize(5);
    FoundListing first{.listing = found_listing("first", "sword", "ann", 100),
                       .bids = {{1, "bob", 100, at(2)}, {2, "cem", 110, at(3)}}};
    first.listing.status = ListingStatus::sold;
    first.listing.deposit = 1;
    first.listing.bid_count = 2;
    first.listing.price = 110;
    first.listing.buyer = "cem";
    first.listing.closed_by = "schedule";
    first.listing.closed_at = at(10);
    state.listings[0] = first;

    FoundListing resale{.listing = found_listing("resale", "sword", "cem", 50)};
    resale.listing.status = ListingStatus::sold;
    resale.listing.deposit = 1;
    resale.listing.buyout_price = 200;
    resale.listing.price = 200;
    resale.listing.buyer = "bob";
    resale.listing.closed_by = "buyout";
    resale.listing.created_at = at(12);
    resale.listing.ends_at = at(22);
    resale.listing.closed_at = at(13);
    state.listings[1] = resale;

    FoundListing taken_back{.listing = found_listing("taken-back", "bow", "bob", 300)};
    taken_back.listing.status = ListingStatus::cancelled;
    taken_back.listing.deposit = 3;
    taken_back.listing.closed_by = "seller";
    taken_back.listing.closed_at = at(1);
    state.listings[2] = taken_back;

    FoundListing open{.listing = found_listing("open", "bow", "bob", 60), .bids = {{1, "ann", 70, at(50)}}};
    open.listing.deposit = 2;
    open.listing.bid_count = 1;
    open.listing.current_bid = 70;
    open.listing.bidder = "ann";
    open.listing.created_at = at(40);
    open.listing.ends_at = at(4'000);
    state.listings[3] = open;

    state.wallets = {{.available = 1'000 + 105 - 70, .held = 70},
                     {.available = 1'000 - 3 - 2 - 200, .held = 2},
                     {.available = 1'000 - 110 + 190, .held = 0}};
    state.items = {SeenItem{"player:bob", "inventory"}, SeenItem{"player:bob", "escrow"}};
  }

  FoundListing& found(std::size_t index) { return *state.listings[index]; }
};

struct Fault {
  const char* what;
  std::function<void(Scene&)> plant;
  const char* found;
};

TEST(MarketCheck, NoDifferenceIsFoundWhereBooksAndServerAgree) {
  const Scene scene;
  EXPECT_EQ(differences(scene.books, scene.state), std::vector<std::string>{});
}

void expect_found(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    Scene scene;
    fault.plant(scene);
    const std::vector<std::string> found = differences(scene.books, scene.state);
    EXPECT_NE(std::ranges::find(found, fault.found), found.end())
        << fault.what << ": " << testing::PrintToString(found);
  }
}

TEST(MarketCheck, EveryDifferenceOfMoneyAndItemsIsFoundAndNamed) {
  expect_found({
      {"money minted", [](Scene& s) { s.state.wallets[ann].available += 1; },
       "wallet of ann has 1036 available and 70 held, the books say 1035 and 70"},
      {"a hold without a lead", [](Scene& s) { s.state.wallets[cem] = {.available = 1'070, .held = 10}; },
       "wallet of cem has 1070 available and 10 held, the books say 1080 and 0"},
      {"a loser not refunded", [](Scene& s) { s.state.wallets[bob].held += 100; },
       "wallet of bob has 795 available and 102 held, the books say 795 and 2"},
      {"a deposit lost", [](Scene& s) { s.books.players[cem].deposited += 500; },
       "wallet of cem has 1080 available and 0 held, the books say 1580 and 0"},
      {"another cut", [](Scene& s) { s.found(0).listing.cut_min = 8; },
       "wallet of ann has 1035 available and 70 held, the books say 1032 and 70"},
      {"an item with the loser", [](Scene& s) { s.state.items[0]->owner = "player:cem"; },
       "item sword is in the inventory of player:cem, the books say in the inventory of player:bob"},
      {"an item out of its escrow", [](Scene& s) { s.state.items[1]->location = "inventory"; },
       "item bow is in the inventory of player:bob, the books say in the escrow of player:bob"},
      {"an item gone", [](Scene& s) { s.state.items[0].reset(); },
       "item sword was told to be there and is not"},
      {"an item from nowhere", [](Scene& s) { s.books.items[1].made = false; },
       "item bow is there, and nobody was told so"},
      {"an item that should have left", [](Scene& s) { s.books.listings[1].on_close = OnClose::outside; },
       "item sword is in the inventory of player:bob, the books say in the outside of player:bob"},
      {"an item listed twice at once",
       [](Scene& s) {
         s.found(2).listing.status = ListingStatus::active;
         s.found(2).listing.created_at = at(39);
       },
       "item bow was listed by bob as open while in the escrow of bob"},
      {"an item sold by somebody else", [](Scene& s) { s.found(1).listing.seller = "ann"; },
       "item sword was listed by ann as resale while in the inventory of cem"},
      {"a stranger's money", [](Scene& s) { s.found(3).listing.bidder = "dan"; },
       "listing open has to do with a stranger: dan"},
  });
}

TEST(MarketCheck, EveryDifferenceOfBidsIsFoundAndNamed) {
  expect_found({
      {"an accepted bid lost", [](Scene& s) { s.found(0).bids.pop_back(); },
       "listing first lost cem's bid 2 of 110"},
      {"a bid nobody was told of", [](Scene& s) { s.found(3).bids.push_back({2, "cem", 80, at(51)}); },
       "listing open has a bid 2 of cem that nobody was told of"},
      {"a bid told to two", [](Scene& s) { s.books.listings[0].bids.push_back({2, bob, 110, at(3)}); },
       "listing first told bid 2 to two calls"},
      {"a bid of another", [](Scene& s) { s.found(0).bids[0].bidder = "cem"; },
       "listing first has bob's bid 1 as that of cem"},
      {"another amount", [](Scene& s) { s.found(0).bids[0].amount = 104; },
       "listing first has bob's bid 1 as 104, told was 100"},
      {"another time", [](Scene& s) { s.found(0).bids[0].placed_at = at(1); },
       "listing first has another time for bob's bid 1"},
      {"a bid below the start", [](Scene& s) { s.books.listings[0].start_price = 101; },
       "listing first bid 1 is 100, below the least of 101"},
      {"a bid below the increment", [](Scene& s) { s.books.listings[0].min_increment = 11; },
       "listing first bid 2 is 110, below the least of 111"},
      {"a bid at the buyout price", [](Scene& s) { s.books.listings[0].buyout_price = 110; },
       "listing first bid 2 reaches the buyout price"},
      {"a bid back in time", [](Scene& s) { s.found(0).bids[1].placed_at = at(1); },
       "listing first bid 2 was placed before the one before it"},
      {"a bid at the very end", [](Scene& s) { s.found(0).bids[1].placed_at = at(10); },
       "listing first bid 2 was placed at or after the end"},
      {"a bid after the close", [](Scene& s) { s.found(0).listing.closed_at = Timestamp{2'500'000}; },
       "listing first bid 2 was placed after the close"},
      {"the seller's own bid", [](Scene& s) { s.found(0).bids[0].bidder = "ann"; },
       "listing first bid 1 is the seller's own"},
      {"a gap", [](Scene& s) { s.found(0).bids[1].n = 3; }, "listing first has bid 3 where bid 2 is due"},
      {"a wrong count", [](Scene& s) { s.found(0).listing.bid_count = 3; },
       "listing first counts 3 bids and lists 2"},
  });
}

TEST(MarketCheck, EveryDifferenceOfAListingsEndIsFoundAndNamed) {
  expect_found({
      {"a listing lost", [](Scene& s) { s.state.listings[3].reset(); },
       "listing open was told to be made and is not there"},
      {"a refused listing made", [](Scene& s) { s.state.listings[4] = s.state.listings[3]; },
       "listing refused was never told to be made, and is there"},
      {"another seller", [](Scene& s) { s.found(3).listing.seller = "cem"; }, "listing open is sold by cem"},
      {"another item", [](Scene& s) { s.found(3).listing.item = "axe"; }, "listing open sells axe"},
      {"another deposit", [](Scene& s) { s.found(3).listing.deposit = 9; },
       "listing open has a deposit of 9, told was 2"},
      {"a version back", [](Scene& s) { s.books.listings[3].version = 4; },
       "listing open is at version 1, and was at 4"},
      {"set aside", [](Scene& s) { s.found(3).listing.set_aside = "astray"; },
       "listing open is set aside: astray"},
      {"never settled", [](Scene& s) { s.found(3).listing.ends_at = at(99); },
       "listing open has ended and was not settled"},
      {"settled early", [](Scene& s) { s.found(0).listing.closed_at = Timestamp{9'999'999}; },
       "listing first was settled before its end"},
      {"another leader", [](Scene& s) { s.found(3).listing.bidder = "cem"; },
       "listing open is led by cem, the last bid is of ann"},
      {"over and still led", [](Scene& s) { s.found(0).listing.bidder = "cem"; },
       "listing first is over and still led by cem"},
      {"sold to a loser", [](Scene& s) { s.found(0).listing.buyer = "bob"; },
       "listing first went to bob, the last bid is of cem"},
      {"sold for less", [](Scene& s) { s.found(0).listing.price = 100; },
       "listing first was sold for 100, the last bid is 110"},
      {"expired with a lead", [](Scene& s) { s.found(0).listing.status = ListingStatus::expired; },
       "listing first ended otherwise than its bids say"},
      {"bought by two", [](Scene& s) { s.books.listings[1].buyers.push_back(ann); },
       "listing resale was told as bought to 2"},
      {"bought by another", [](Scene& s) { s.books.listings[1].buyers = {ann}; },
       "listing resale was told as bought to ann, it is sold to bob"},
      {"bought and not told", [](Scene& s) { s.books.listings[1].buyers.clear(); },
       "listing resale was bought by bob, who was not told"},
      {"bought for another price", [](Scene& s) { s.found(1).listing.price = 150; },
       "listing resale was bought for 150, the buyout price is 200"},
      {"cancelled and not told", [](Scene& s) { s.books.listings[2].cancelled = false; },
       "listing taken-back is cancelled, and nobody was told so"},
      {"told as cancelled", [](Scene& s) { s.books.listings[3].cancelled = true; },
       "listing open was told as cancelled and is not"},
      {"cancelled with bids", [](Scene& s) { s.found(2).bids.push_back({1, "ann", 300, at(1)}); },
       "listing taken-back was cancelled with bids"},
      {"voided", [](Scene& s) { s.found(2).listing.status = ListingStatus::voided; },
       "listing taken-back was voided, and not by this run"},
      {"closed and open", [](Scene& s) { s.found(3).listing.closed_at = at(60); },
       "listing open is closed in one way and open in another"},
  });
}

TEST(MarketCheck, WhatTheAnswersContradictedAmongThemselvesIsADifference) {
  Scene scene;
  scene.books.contradictions.push_back("ann's bid was carried out twice");
  EXPECT_EQ(differences(scene.books, scene.state), scene.books.contradictions);
}

}  // namespace
}  // namespace hotrow
