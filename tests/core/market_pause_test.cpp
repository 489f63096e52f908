#include <gtest/gtest.h>

#include "hotrow/core/listing.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::opening;
using test::sword;
using namespace std::chrono_literals;

constexpr Timestamp first_end = opening + 1h;

std::chrono::microseconds extension(const MarketWorld& world) {
  const auto found = world.rows().find(market_key());
  return found != world.rows().end() ? std::get<MarketRow>(found->second).extension : 0us;
}

Timestamp end_of(const MarketWorld& world, const std::string& id) {
  return shown_end(world.listing(id), extension(world));
}

TEST(Pause, StopsEveryTradeAndSettlesNothing) {
  MarketWorld world = open_market(sword("sword", 500));
  EXPECT_EQ(world.pause(), "ok");
  EXPECT_EQ(world.bid("sword", "B", 100), "market_paused");
  EXPECT_EQ(world.buy_out("sword", "B"), "market_paused");
  EXPECT_EQ(world.cancel("sword"), "market_paused");
  EXPECT_EQ(world.list(sword("new")), "market_paused");
  world.now = first_end + 1h;
  EXPECT_EQ(world.settle("sword"), "market_paused");
  EXPECT_EQ(world.deposit("B", 1), "ok");
  EXPECT_EQ(world.void_it("sword"), "ok");
}

TEST(Pause, WithoutExtendGivesNoTimeBack) {
  MarketWorld world = open_market();
  world.now = first_end - 10s;
  world.pause();
  world.now = first_end + 1s;
  EXPECT_EQ(world.pause(false), "ok");
  EXPECT_EQ(end_of(world, "sword"), first_end);
  EXPECT_EQ(world.bid("sword", "B", 100), "listing_closed");
  EXPECT_EQ(world.settle("sword"), "ok");
}

TEST(Pause, WithExtendMovesEveryActiveEndByThePauseToTheMicrosecond) {
  MarketWorld world = open_market();
  CreateListing later = sword("later");
  later.duration = 2h;
  world.list(later);
  world.now = first_end - 10s;
  world.pause();
  world.now = world.now + 30min;
  EXPECT_EQ(world.pause(false, true), "ok");
  EXPECT_EQ(end_of(world, "sword"), first_end + 30min);
  EXPECT_EQ(end_of(world, "later"), first_end + 1h + 30min);
  world.now = first_end + 30min - 1us;
  EXPECT_EQ(world.bid("sword", "B", 100), "ok");
  EXPECT_EQ(world.settle("sword"), "not_ended");
  world.now = first_end + 30min;
  EXPECT_EQ(world.bid("sword", "C", 200), "listing_closed");
  EXPECT_EQ(world.settle("sword"), "ok");
}

TEST(Pause, ThatIsGivenBackLeavesTheEndsOfClosedListingsAlone) {
  MarketWorld world = open_market(sword("sword", 500));
  world.buy_out("sword", "B");
  world.pause();
  world.now = world.now + 30min;
  world.pause(false, true);
  EXPECT_EQ(end_of(world, "sword"), first_end);
}

TEST(Pause, GivenBackTwiceAddsUpAndAClosedListingKeepsTheEndItHadThen) {
  MarketWorld world = open_market();
  for (int i = 0; i < 2; ++i) {
    world.pause();
    world.now = world.now + 10min;
    world.pause(false, true);
  }
  EXPECT_EQ(end_of(world, "sword"), first_end + 20min);
  world.void_it("sword");
  EXPECT_EQ(end_of(world, "sword"), first_end + 20min);
  world.pause();
  world.now = world.now + 10min;
  world.pause(false, true);
  EXPECT_EQ(end_of(world, "sword"), first_end + 20min);
}

TEST(Pause, OfThePastDoesNotMoveAListingMadeAfterIt) {
  MarketWorld world = open_market();
  world.pause();
  world.now = world.now + 30min;
  world.pause(false, true);
  CreateListing create = sword("new");
  create.ends_at = world.now + 1h;
  EXPECT_EQ(world.list(create), "ok");
  EXPECT_EQ(end_of(world, "new"), *create.ends_at);
  world.now = *create.ends_at - 1us;
  EXPECT_EQ(world.bid("new", "B", 100), "ok");
  world.now = *create.ends_at;
  EXPECT_EQ(world.settle("new"), "ok");
}

TEST(Pause, MovesTheSnipersWindowAndTheHardEndWithTheEnd) {
  CreateListing create = sword();
  create.anti_snipe = AntiSnipe{.window_seconds = 20, .extend_seconds = 20, .max_extensions = 1};
  MarketWorld world = open_market(create);
  world.pause();
  world.now = world.now + 30min;
  world.pause(false, true);
  const Timestamp end = first_end + 30min;
  world.now = end - 1us;
  EXPECT_EQ(world.bid("sword", "B", 100), "ok");
  EXPECT_EQ(end_of(world, "sword"), end + 20s - 1us);
  world.now = end + 19s;
  EXPECT_EQ(world.bid("sword", "C", 200), "ok");
  EXPECT_EQ(end_of(world, "sword"), end + 20s);
}

TEST(Pause, TwiceOrAResumeOfARunningMarketIsHarmless) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.pause(false, true), "ok");
  EXPECT_FALSE(world.rows().contains(market_key()));
  world.pause();
  const std::size_t rows = world.rows().size();
  world.now = world.now + 10min;
  EXPECT_EQ(world.pause(), "ok");
  EXPECT_EQ(world.rows().size(), rows);
  world.pause(false, true);
  EXPECT_EQ(extension(world), 10min);
}

TEST(Pause, WithAClockThatJumpsBackTakesNoTimeAway) {
  MarketWorld world = open_market();
  world.pause();
  world.now = world.now - 10min;
  world.pause(false, true);
  EXPECT_EQ(extension(world), 0us);
}

TEST(Restriction, BlocksNewTradesAndLeavesWhatLeads) {
  MarketWorld world = open_market(sword("sword", 500));
  world.hear(CreateItem{.facts = {.id = "shield", .family = "shields"},
                        .owner = {.kind = OwnerKind::player, .id = "B"}});
  world.bid("sword", "B", 200);
  EXPECT_EQ(world.block("B"), "ok");
  const Owner owner{.kind = OwnerKind::player, .id = "B"};
  EXPECT_EQ(world.bid("sword", "B", 300), "player_blocked");
  EXPECT_EQ(world.buy_out("sword", "B"), "player_blocked");
  EXPECT_EQ(world.hear(MoveMoney{.kind = LedgerReason::withdrawal, .owner = owner, .amount = 1}),
            "player_blocked");
  EXPECT_EQ(world.hear(WithdrawItem{.item = "shield", .owner = owner}), "player_blocked");
  CreateListing create = sword("new");
  create.seller = "B";
  EXPECT_EQ(world.list(create), "player_blocked");
  EXPECT_EQ(world.deposit("B", 1), "ok");
  EXPECT_EQ(world.listing("sword").lead->bidder, "B");
  EXPECT_EQ(world.block("B", false), "ok");
  EXPECT_EQ(world.bid("sword", "B", 300), "ok");
}

TEST(Restriction, LetsABlockedSellerCancelAndAGuildOfThatNameWithdraw) {
  MarketWorld world = open_market();
  world.block("S");
  EXPECT_EQ(world.cancel("sword"), "ok");
  const Owner guild{.kind = OwnerKind::guild, .id = "S"};
  world.hear(MoveMoney{.owner = guild, .amount = 5});
  EXPECT_EQ(world.hear(MoveMoney{.kind = LedgerReason::withdrawal, .owner = guild, .amount = 5}), "ok");
}

TEST(Restriction, OfTheSameKindAgainChangesNothing) {
  MarketWorld world;
  world.block("B");
  const std::size_t rows = world.rows().size();
  EXPECT_EQ(world.block("B"), "ok");
  EXPECT_EQ(world.rows().size(), rows);
}

}  // namespace
}  // namespace hotrow
