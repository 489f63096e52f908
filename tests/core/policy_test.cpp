#include "hotrow/core/policy.hpp"

#include <gtest/gtest.h>

#include "hotrow/core/books.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::command_of;
using test::MarketWorld;
using test::open_market;
using test::sword;
using namespace std::chrono_literals;

std::string limit(MarketWorld& world, const PolicyId& id, const PlayerLimits& limits) {
  return world.hear(SetPolicy{.policy = id, .players = limits, .reason = "a test"});
}

std::string press(MarketWorld& world, const PolicyId& id, const Pressure& pressure) {
  return world.hear(SetPolicy{.policy = id, .pressure = pressure, .reason = "a test"});
}

const PolicyId everybody{.scope = PolicyScope::players};
const PolicyId b_alone{.scope = PolicyScope::player, .id = "B"};
const PolicyId on_sword{.scope = PolicyScope::listing, .id = "sword"};
const PolicyId on_swords{.scope = PolicyScope::family, .id = "swords"};

/// Nine listings of S, "s1" to "s9", every other one of gems; S, B and C with 1000 of each currency.
MarketWorld nine_listings() {
  MarketWorld world;
  for (const char* name : {"S", "B", "C"}) {
    world.deposit(name, 1000);
    world.hear(MoveMoney{.owner = {.id = name}, .currency = "gems", .amount = 1000});
  }
  for (int i = 1; i <= 9; ++i) {
    CreateListing create = sword("s" + std::to_string(i), 500);
    if (i % 2 == 0) create.currency = "gems";
    EXPECT_EQ(world.list(create), "ok");
  }
  return world;
}

std::int64_t figure(const Rejection& rejection, const std::string& name) {
  for (const auto& [known, value] : rejection.figures) {
    if (known == name) return std::get<std::int64_t>(value);
  }
  return -1;
}

TEST(LeadingBids, AreLimitedToExactlySoManyInWhateverCurrency_C44) {
  MarketWorld world = nine_listings();
  EXPECT_EQ(limit(world, everybody, {.max_leading_bids = 3}), "ok");
  std::vector<Command> bids;
  for (int i = 1; i <= 9; ++i) {
    bids.push_back(command_of(PlaceBid{.listing = "s" + std::to_string(i), .bidder = "B", .amount = 100}));
  }
  int leads = 0;
  for (const Decision& decision : world.decide(bids)) {
    if (std::holds_alternative<Outcome>(decision.answer)) {
      ++leads;
      continue;
    }
    const Rejection& refusal = std::get<Rejection>(decision.answer);
    EXPECT_EQ(refusal.code, RejectionCode::limit_reached);
    EXPECT_EQ(figure(refusal, "limit"), 3);
    EXPECT_EQ(figure(refusal, "used"), 3);
  }
  EXPECT_EQ(leads, 3);
  EXPECT_EQ(world.wallet("B").leading_bids, 3);
}

TEST(LeadingBids, APlaceIsFreeAgainWhenOutbidAndARaiseTakesNone_C44) {
  MarketWorld world = nine_listings();
  limit(world, b_alone, {.max_leading_bids = 2});
  EXPECT_EQ(world.bid("s1", "B", 100), "ok");
  EXPECT_EQ(world.bid("s2", "B", 100), "ok");
  EXPECT_EQ(world.bid("s1", "B", 150), "ok") << "a raise";
  EXPECT_EQ(world.bid("s3", "B", 100), "limit_reached");
  EXPECT_EQ(world.bid("s3", "B", 10), "bid_too_low") << "told before the limit";
  EXPECT_EQ(world.bid("s1", "C", 200), "ok") << "C has no limit";
  EXPECT_EQ(world.bid("s3", "B", 100), "ok");
  EXPECT_EQ(world.bid("s4", "B", 100), "limit_reached");
  world.void_it("s3");
  EXPECT_EQ(world.bid("s4", "B", 100), "ok");
  world.now = world.now + 1h;
  world.settle("s2");
  EXPECT_EQ(world.wallet("B").leading_bids, 1);
}

TEST(LeadingBids, AreNotTakenAwayByALowerLimit) {
  MarketWorld world = nine_listings();
  for (const char* id : {"s1", "s2", "s3"}) EXPECT_EQ(world.bid(id, "B", 100), "ok");
  limit(world, everybody, {.max_leading_bids = 1});
  EXPECT_EQ(world.wallet("B").leading_bids, 3);
  EXPECT_EQ(world.bid("s1", "B", 200), "ok");
  EXPECT_EQ(world.bid("s4", "B", 100), "limit_reached");
}

TEST(Limits, OfAPlayerComeBeforeThoseOfEverybodyMemberByMember) {
  MarketWorld world = nine_listings();
  limit(world, everybody, {.max_leading_bids = 1, .max_active_listings = 0});
  limit(world, b_alone, {.max_leading_bids = 2});
  EXPECT_EQ(world.bid("s1", "B", 100), "ok");
  EXPECT_EQ(world.bid("s2", "B", 100), "ok");
  EXPECT_EQ(world.bid("s3", "B", 100), "limit_reached");
  EXPECT_EQ(world.bid("s3", "C", 100), "ok");
  EXPECT_EQ(world.bid("s4", "C", 100), "limit_reached");
  CreateListing his = sword("his");
  his.seller = "B";
  EXPECT_EQ(world.list(his), "limit_reached") << "his own policy says nothing of listings";
  limit(world, everybody, {});
  EXPECT_EQ(world.list(his), "ok");
}

TEST(ActiveListings, AreLimitedToExactlySoMany_C44) {
  MarketWorld world;
  world.deposit("S", 1000);
  limit(world, everybody, {.max_active_listings = 7});
  std::vector<Command> creates;
  for (int i = 0; i < 30; ++i) creates.push_back(command_of(sword("s" + std::to_string(i))));
  int listed = 0;
  for (const Decision& decision : world.decide(creates)) listed += decision.answer.index() == 0 ? 1 : 0;
  EXPECT_EQ(listed, 7);
  EXPECT_EQ(world.wallet("S").active_listings, 7);
  EXPECT_EQ(world.cancel("s1"), "ok");
  EXPECT_EQ(world.list(sword("again")), "ok");
  EXPECT_EQ(world.list(sword("too many")), "limit_reached");
}

TEST(BuyoutQuiet, KeepsANewListingFromBeingBoughtOutForSoLongAndNoLonger) {
  MarketWorld world = open_market(sword("sword", 500));
  press(world, on_swords, {.buyout_quiet_seconds = 60});
  world.now = test::opening + 59'999'999us;
  EXPECT_EQ(world.buy_out("sword", "B"), "buyout_quiet");
  EXPECT_EQ(world.bid("sword", "C", 100), "ok") << "bids go on";
  world.now = test::opening + 60s;
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
}

TEST(BuyoutRate, LimitsABuyersBuyoutsWithinAMinuteOfTheClockInWhateverCurrency) {
  MarketWorld world = nine_listings();
  press(world, on_swords, {.buyouts_per_player_per_minute = 1});
  EXPECT_EQ(world.buy_out("s1", "B"), "ok");
  EXPECT_EQ(world.buy_out("s2", "B"), "buyout_rate");
  EXPECT_EQ(world.buy_out("s2", "C"), "ok");
  world.now = minute_of(world.now) + 60s;
  EXPECT_EQ(world.buy_out("s3", "B"), "ok");
  EXPECT_EQ(world.buy_out("s4", "B"), "buyout_rate");
}

TEST(Pressure, OfAListingComesBeforeItsFamilysMemberByMember) {
  MarketWorld world = open_market(sword("sword", 500));
  press(world, on_swords, {.bid_window_ms = 100, .buyouts_per_player_per_minute = 5, .queue_max = 10});
  press(world, on_sword, {.bid_window_ms = 0, .buyout_quiet_seconds = 30});
  const Decision told = world.decide(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}));
  const Pressure wanted{
      .bid_window_ms = 0, .buyouts_per_player_per_minute = 5, .buyout_quiet_seconds = 30, .queue_max = 10};
  EXPECT_EQ(std::get<BidAnswer>(std::get<Outcome>(told.answer)).pressure, wanted);
}

TEST(SetPolicy, ReplacesTheGroupsThatAreGivenAndTellsOfTheChangeOnce) {
  MarketWorld world = open_market();
  EXPECT_EQ(press(world, on_sword, {.bid_window_ms = 100}), "ok");
  EXPECT_EQ(press(world, on_sword, {.queue_max = 10}), "ok");
  const auto rows_before = world.rows().size();
  EXPECT_EQ(press(world, on_sword, {.queue_max = 10}), "ok");
  EXPECT_EQ(world.rows().size(), rows_before) << "nothing changes, nothing is told";
  const auto& policy = std::get<PolicyRow>(world.rows().at(policy_key(on_sword)));
  EXPECT_EQ(policy.pressure, Pressure{.queue_max = 10});
  EXPECT_EQ(policy.version, 2);
  const auto& event = std::get<EventRow>(world.rows().at(event_key("policy", "listing/sword", 2)));
  EXPECT_EQ(event.type, "policy.changed");
  EXPECT_EQ(event.data,
            R"({"policy":"listing/sword","before":{"bid_window_ms":100},"after":{"queue_max":10},)"
            R"("reason":"a test","by":"tests"})");
}

TEST(SetPolicy, OfAListingOrPromotionThatIsNotThereIsRefused) {
  MarketWorld world;
  EXPECT_EQ(press(world, on_sword, {.queue_max = 1}), "listing_not_found");
  EXPECT_EQ(press(world, {.scope = PolicyScope::promotion, .id = "p"}, {.queue_max = 1}),
            "promotion_not_found");
}

}  // namespace
}  // namespace hotrow
