#include <gtest/gtest.h>

#include "hotrow/base/checked.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;

Rejection refusal(MarketWorld& world, const PlaceBid& bid) {
  return std::get<Rejection>(world.decide(test::command_of(bid)).answer);
}

std::int64_t figure(const Rejection& rejection, const std::string& name) {
  for (const auto& [known, figure] : rejection.figures) {
    if (known == name) return std::get<std::int64_t>(figure);
  }
  return -1;
}

TEST(Bid, OfElevenHundredAndTenFiftyAgainstAThousandTheHigherWinsInEitherOrder) {
  for (const bool higher_first : {true, false}) {
    CreateListing create = sword();
    create.start_price = 1000;
    MarketWorld world = open_market(create);
    for (const char* player : {"B", "C", "D"}) world.deposit(player, 1000);
    EXPECT_EQ(world.bid("sword", "D", 1000), "ok");
    if (higher_first) {
      EXPECT_EQ(world.bid("sword", "B", 1100), "ok");
      EXPECT_EQ(world.bid("sword", "C", 1050), "bid_too_low");
    } else {
      EXPECT_EQ(world.bid("sword", "C", 1050), "ok");
      EXPECT_EQ(world.bid("sword", "B", 1100), "ok");
    }
    EXPECT_EQ(world.listing("sword").lead->bidder, "B");
    EXPECT_EQ(world.listing("sword").lead->amount, 1100);
    EXPECT_EQ(world.money("B"), "900/1100");
    EXPECT_EQ(world.money("C"), "2000/0");
    EXPECT_EQ(world.money("D"), "2000/0");
  }
}

TEST(Bid, HoldsAllOfItAtOnceAndTheLoserHasHisBackInTheSameCommand_C04) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.bid("sword", "B", 300), "ok");
  EXPECT_EQ(world.money("B"), "700/300");
  EXPECT_EQ(world.bid("sword", "C", 400), "ok");
  EXPECT_EQ(world.money("B"), "1000/0");
  EXPECT_EQ(world.money("C"), "600/400");
  EXPECT_EQ(world.wallet("B").leading_bids, 0);
  EXPECT_EQ(world.wallet("C").leading_bids, 1);
}

TEST(Bid, ThatIsEqualLosesToTheOneDecidedFirst_C09) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.bid("sword", "D", 100), "ok");
  EXPECT_EQ(world.bid("sword", "B", 150), "ok");
  const Rejection low = refusal(world, {.listing = "sword", .bidder = "C", .amount = 150});
  EXPECT_EQ(low.code, RejectionCode::bid_too_low);
  EXPECT_EQ(figure(low, "current_bid"), 150);
  EXPECT_EQ(figure(low, "min_next_bid"), 151);
  EXPECT_EQ(world.money("C"), "1000/0");
  EXPECT_EQ(world.money("D"), "1000/0");
}

TEST(Bid, MustReachTheCurrentOneAndTheIncrement_C55) {
  CreateListing create = sword();
  create.min_increment = 5;
  MarketWorld world = open_market(create);
  EXPECT_EQ(world.bid("sword", "B", 100), "ok");
  for (const std::int64_t amount : {99, 100, 104}) {
    EXPECT_EQ(world.bid("sword", "C", amount), "bid_too_low") << amount;
  }
  EXPECT_EQ(world.bid("sword", "C", 105), "ok");
}

TEST(Bid, MustReachTheStartPriceAndMayBeExactlyThat_C61) {
  MarketWorld world = open_market();
  for (const std::int64_t amount : {1, 5, 99}) {
    const Rejection low = refusal(world, {.listing = "sword", .bidder = "B", .amount = amount});
    EXPECT_EQ(low.code, RejectionCode::bid_too_low) << amount;
    EXPECT_EQ(figure(low, "current_bid"), -1);
    EXPECT_EQ(figure(low, "min_next_bid"), 100);
  }
  EXPECT_EQ(world.bid("sword", "B", 100), "ok");
}

TEST(Bid, ThatReachesTheBuyoutIsRefusedAndNeverBuys_C62) {
  MarketWorld world = open_market(sword("sword", 500));
  EXPECT_EQ(world.bid("sword", "B", 500), "use_buyout");
  EXPECT_EQ(world.bid("sword", "B", 501), "use_buyout");
  EXPECT_EQ(world.bid("sword", "B", 499), "ok");
  const Rejection low = refusal(world, {.listing = "sword", .bidder = "C", .amount = 499});
  EXPECT_EQ(low.code, RejectionCode::bid_too_low);
  EXPECT_EQ(figure(low, "min_next_bid"), 500);
  EXPECT_EQ(figure(low, "buyout_price"), 500);  // No bid is possible any more, and the answer says so.
}

TEST(Bid, ByTheLeaderIsARaiseThatHoldsOnlyTheDifference_C53) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 200);
  EXPECT_EQ(world.bid("sword", "B", 200), "bid_too_low");
  EXPECT_EQ(world.bid("sword", "B", 1000), "ok");  // All he has: 800 and the 200 that are held already.
  EXPECT_EQ(world.money("B"), "0/1000");
  EXPECT_EQ(world.wallet("B").leading_bids, 1);
  EXPECT_EQ(world.listing("sword").bids, 2);
  EXPECT_EQ(world.events("sword"), (std::vector<std::string>{"created", "bid_placed", "bid_placed"}));
  EXPECT_EQ(world.bid("sword", "B", 1001), "insufficient_funds");
}

TEST(Bid, IsRefusedToTheSellerWhateverHeIsCalled_C54) {
  for (const char* name : {"S", "guild:5", "player:", "house", "outside"}) {
    CreateListing create = sword("his", 500);
    create.seller = name;
    MarketWorld world = open_market();
    world.deposit(name, 1000);
    EXPECT_EQ(world.list(create), "ok");
    EXPECT_EQ(world.bid("his", name, 200), "own_listing");
    EXPECT_EQ(world.buy_out("his", name), "own_listing");
    EXPECT_EQ(world.bid("his", "B", 200), "ok");
  }
}

TEST(Bid, FromAnEmptyWalletIsRefusedAndLargeAmountsStayWhole_C66) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.bid("sword", "nobody", 100), "insufficient_funds");
  EXPECT_EQ(world.money("nobody"), "none");
  EXPECT_EQ(world.bid("sword", "B", 1001), "insufficient_funds");
  world.deposit("rich", integer_max);
  for (const std::int64_t amount : {32'768L, 2'147'483'648L, integer_max}) {
    EXPECT_EQ(world.bid("sword", "rich", amount), "ok");
    EXPECT_EQ(world.listing("sword").lead->amount, amount);
    const std::string told = "\"amount\":" + std::to_string(amount);
    EXPECT_NE(world.event_data("sword", "listing.bid_placed").find(told), std::string::npos);
  }
  EXPECT_EQ(world.money("rich"), "0/9007199254740991");
  EXPECT_NE(world.event_data("sword", "listing.bid_placed").find(R"("min_next_bid":null)"), std::string::npos)
      << "no bid can be larger";
  const Rejection low = refusal(world, {.listing = "sword", .bidder = "B", .amount = 200});
  EXPECT_EQ(low.code, RejectionCode::bid_too_low);
  EXPECT_EQ(figure(low, "min_next_bid"), -1);
}

TEST(Bid, ThatIsRefusedSaysWhatIsThereAndWhatIsNeeded) {
  MarketWorld world = open_market();
  const Rejection poor = refusal(world, {.listing = "sword", .bidder = "B", .amount = 1500});
  EXPECT_EQ(figure(poor, "available"), 1000);
  EXPECT_EQ(figure(poor, "needed"), 1500);
}

TEST(Bid, OfAHundredOnFiftyListingsFromAThousandIsAcceptedExactlyTenTimes_C40) {
  MarketWorld world;
  world.deposit("B", 1000);
  world.deposit("S", 1000);
  std::vector<Command> bids;
  for (int i = 0; i < 50; ++i) {
    const std::string id = "sword" + std::to_string(i);
    EXPECT_EQ(world.list(sword(id)), "ok");
    bids.push_back(test::command_of(PlaceBid{.listing = id, .bidder = "B", .amount = 100}));
  }
  int accepted = 0;
  for (const Decision& decision : world.decide(bids)) {
    if (std::holds_alternative<Outcome>(decision.answer)) {
      ++accepted;
    } else {
      EXPECT_EQ(test::code_of(decision.answer), RejectionCode::insufficient_funds);
    }
  }
  EXPECT_EQ(accepted, 10);
  EXPECT_EQ(world.money("B"), "0/1000");
  EXPECT_EQ(world.wallet("B").leading_bids, 10);
}

TEST(Bid, InADealWithOneOtherLeavesNobodysHoldBehind_C47) {
  MarketWorld world = open_market();
  world.list(sword("shield"));
  world.bid("sword", "B", 100);
  world.bid("shield", "C", 100);
  std::vector<Command> crossing = {
      test::command_of(PlaceBid{.listing = "sword", .bidder = "C", .amount = 200}),
      test::command_of(PlaceBid{.listing = "shield", .bidder = "B", .amount = 200})};
  for (const Decision& decision : world.decide(crossing)) {
    EXPECT_TRUE(std::holds_alternative<Outcome>(decision.answer));
  }
  EXPECT_EQ(world.money("B"), "800/200");
  EXPECT_EQ(world.money("C"), "800/200");
}

TEST(Bid, NamesTheLoserAndWhatHeHasBackInItsEvents) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 150);
  world.bid("sword", "C", 200);
  EXPECT_EQ(world.event_data("sword", "listing.bid_placed"),
            R"({"listing_id":"sword","bid_id":"sword:2","bidder_id":"C","amount":200,)"
            R"("previous_bidder_id":"B","min_next_bid":201,"ends_at":"2026-06-01T01:00:00.000000Z"})");
  EXPECT_EQ(world.event_data("sword", "listing.outbid"),
            R"({"listing_id":"sword","bid_id":"sword:1","outbid_bidder_id":"B",)"
            R"("refunded":[{"owner":"player:B","amount":150}],"by_amount":200})");
}

TEST(Bid, OnAListingMadeInTheSameBatchIsDecidedAsIfItCameAlone) {
  MarketWorld world;
  for (const char* player : {"S", "B", "C"}) world.deposit(player, 1000);
  const std::vector<Command> batch = {
      test::command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}),
      test::command_of(sword("sword", 500)),
      test::command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}),
      test::command_of(BuyOut{.listing = "sword", .buyer = "C"})};
  const std::vector<Decision> decisions = world.decide(batch);
  EXPECT_EQ(test::code_of(decisions[0].answer), RejectionCode::listing_not_found);
  EXPECT_TRUE(std::holds_alternative<BidAnswer>(std::get<Outcome>(decisions[2].answer)));
  EXPECT_EQ(world.place("sword"), "inventory of player:C");
  EXPECT_EQ(world.money("B"), "1000/0");
}

}  // namespace
}  // namespace hotrow
