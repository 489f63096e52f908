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

/// The end moves to ten seconds from a new lead within the last twenty, three times thirty seconds at most.
MarketWorld sniped(std::int64_t window = 20, std::int64_t extend = 10, std::int64_t times = 3) {
  CreateListing create = sword("sword", 900);
  create.anti_snipe = AntiSnipe{.window_seconds = window, .extend_seconds = extend, .max_extensions = times};
  return open_market(create);
}

std::string bid_at(MarketWorld& world, Timestamp at, const std::string& bidder, std::int64_t amount) {
  world.now = at;
  return world.bid("sword", bidder, amount);
}

TEST(Ending, IsHalfOpenToTheMicrosecond_C57) {
  for (const auto& [from_end, told] :
       {std::pair(-2us, "ok"), {-1us, "ok"}, {0us, "listing_closed"}, {1us, "listing_closed"}}) {
    MarketWorld world = open_market();
    EXPECT_EQ(bid_at(world, first_end + from_end, "B", 100), told) << from_end.count();
  }
  for (const auto& [from_end, told] : {std::pair(-1us, "not_ended"), {0us, "ok"}, {1us, "ok"}}) {
    MarketWorld world = open_market();
    world.now = first_end + from_end;
    EXPECT_EQ(world.settle("sword"), told) << from_end.count();
  }
}

TEST(Ending, IsTheSameForADurationAndAnEndWithAnyOffset_C59) {
  MarketWorld world;
  world.deposit("S", 10);
  CreateListing create = sword("by_end");
  create.ends_at = parse_rfc3339("2026-06-01T14:00:00+13:00");
  EXPECT_EQ(world.list(create), "ok");
  EXPECT_EQ(world.list(sword("by_duration")), "ok");
  EXPECT_EQ(world.listing("by_end").ends_at, world.listing("by_duration").ends_at);
}

TEST(Ending, OfAWarInTheLastSecondLosesNobodysMoney_C07) {
  MarketWorld world = open_market();
  for (const char* player : {"B", "C"}) world.deposit(player, 100'000);
  EXPECT_EQ(bid_at(world, first_end - 400ms, "B", 50'001), "ok");
  EXPECT_EQ(bid_at(world, first_end - 200ms, "C", 51'000), "ok");
  EXPECT_EQ(bid_at(world, first_end - 50ms, "B", 52'000), "ok");
  EXPECT_EQ(world.settle("sword"), "not_ended");
  EXPECT_EQ(bid_at(world, first_end - 1ms, "C", 53'000), "ok");
  world.now = first_end;
  EXPECT_EQ(world.settle("sword"), "ok");
  EXPECT_EQ(world.money("B"), "101000/0");
  EXPECT_EQ(world.money("C"), "48000/0");
}

TEST(AntiSnipe, StartsExactlyAtTheWindowsEdge) {
  for (const auto& [before_end, moved] : {std::pair(20s + 1us, 0us),
                                          {20s + 0us, 0us},
                                          {10s + 1us, 0us},
                                          {10s + 0us, 0us},
                                          {10s - 1us, 1us},
                                          {1us, 10s - 1us}}) {
    MarketWorld world = sniped();
    EXPECT_EQ(bid_at(world, first_end - before_end, "B", 100), "ok");
    EXPECT_EQ(world.listing("sword").ends_at - first_end, moved) << before_end.count();
    EXPECT_EQ(world.listing("sword").extensions, moved.count() > 0 ? 1 : 0);
  }
  // Where the extension is as long as the window, the window's edge shows.
  for (const auto& [before_end, moved] :
       {std::pair(20s + 1us, 0us), {20s + 0us, 0us}, {20s - 1us, 1us}, {1us, 20s - 1us}}) {
    MarketWorld world = sniped(20, 20);
    EXPECT_EQ(bid_at(world, first_end - before_end, "B", 100), "ok");
    EXPECT_EQ(world.listing("sword").ends_at - first_end, moved) << before_end.count();
  }
}

TEST(AntiSnipe, MovesTheEndOnlyForANewLeader) {
  MarketWorld world = sniped();
  EXPECT_EQ(bid_at(world, first_end - 5s, "B", 100), "ok");
  const Timestamp moved = first_end + 5s;
  EXPECT_EQ(world.listing("sword").ends_at, moved);
  EXPECT_EQ(bid_at(world, first_end, "B", 200), "ok");  // A raise.
  EXPECT_EQ(bid_at(world, first_end, "C", 200), "bid_too_low");
  EXPECT_EQ(bid_at(world, first_end, "C", 900), "use_buyout");
  EXPECT_EQ(bid_at(world, first_end, "poor", 300), "insufficient_funds");
  EXPECT_EQ(world.listing("sword").ends_at, moved);
  EXPECT_EQ(bid_at(world, first_end, "C", 300), "ok");
  EXPECT_EQ(world.listing("sword").ends_at, first_end + 10s);
  EXPECT_EQ(world.event_data("sword", "listing.extended"),
            R"({"listing_id":"sword","ends_at":"2026-06-01T01:00:10.000000Z","extensions":2})");
  EXPECT_EQ(world.events("sword"),
            (std::vector<std::string>{"created", "bid_placed", "extended", "bid_placed", "bid_placed",
                                      "outbid", "extended"}));
}

TEST(AntiSnipe, NeverPassesTheHardEnd) {
  MarketWorld world = sniped();
  const Timestamp last = first_end + 30s;
  std::int64_t amount = 100;
  for (Timestamp at = first_end - 1us; at < last; at = world.listing("sword").ends_at - 1us) {
    const char* bidder = amount % 2 == 0 ? "B" : "C";
    ASSERT_EQ(bid_at(world, at, bidder, amount++), "ok");
    ASSERT_LE(world.listing("sword").ends_at, last);
    if (world.listing("sword").ends_at == last) break;
  }
  EXPECT_EQ(hard_end(*world.listing("sword").terms), last);
  EXPECT_EQ(world.listing("sword").ends_at, last);
  const std::int64_t extensions = world.listing("sword").extensions;
  EXPECT_EQ(bid_at(world, last - 1us, "D", amount), "ok");
  EXPECT_EQ(world.listing("sword").ends_at, last);
  EXPECT_EQ(world.listing("sword").extensions, extensions);
  EXPECT_EQ(bid_at(world, last, "B", amount + 1), "listing_closed");
}

TEST(AntiSnipe, MayExtendOftenerThanItsTimesWhereEachIsShort) {
  MarketWorld world = sniped(20, 20, 1);
  std::int64_t amount = 100;
  for (int i = 0; i < 5; ++i) {
    const Timestamp at = world.listing("sword").ends_at - 20s + 1us;
    ASSERT_EQ(bid_at(world, at, amount % 2 == 0 ? "B" : "C", amount), "ok");
    ++amount;
  }
  EXPECT_EQ(world.listing("sword").extensions, 5);
  EXPECT_EQ(world.listing("sword").ends_at, first_end + 5us);
}

TEST(AntiSnipe, NeverShortensAnEndThatSomebodyMovedByHand) {
  MarketWorld world = sniped();
  const Timestamp moved = first_end + 5h;
  world.meddle<ListingRow>(listing_key("sword")).ends_at = moved;
  EXPECT_EQ(bid_at(world, moved - 1us, "B", 100), "ok");
  EXPECT_EQ(world.listing("sword").ends_at, moved);
}

TEST(AntiSnipe, ABuyoutInTheWindowEndsItAndExtendsNothing) {
  MarketWorld world = sniped();
  world.now = first_end - 1us;
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.listing("sword").ends_at, first_end);
  EXPECT_EQ(world.listing("sword").extensions, 0);
}

TEST(Clock, ThatJumpsBackDoesNotTakeAListingBack) {
  MarketWorld world = sniped();
  EXPECT_EQ(bid_at(world, first_end - 5s, "B", 100), "ok");
  EXPECT_EQ(bid_at(world, opening - 1h, "C", 200), "ok");
  EXPECT_EQ(world.listing("sword").lead->placed_at, first_end - 5s);
  EXPECT_EQ(world.listing("sword").decided_at, first_end - 5s);
  EXPECT_EQ(world.listing("sword").ends_at, first_end + 5s);
  world.now = opening;
  EXPECT_EQ(world.settle("sword"), "not_ended");
}

TEST(Clock, OfAnotherListingIsItsOwn) {
  MarketWorld world = sniped();
  EXPECT_EQ(world.list(sword("shield")), "ok");
  EXPECT_EQ(bid_at(world, first_end - 5s, "B", 100), "ok");
  world.now = opening + 1s;
  EXPECT_EQ(world.bid("shield", "C", 100), "ok");
  EXPECT_EQ(world.listing("shield").lead->placed_at, opening + 1s);
}

TEST(Clock, ThatDiffersOnTwoServersByThreeSecondsIsMonotonePerListing) {
  MarketWorld world = open_market();
  Timestamp last = opening;
  for (int i = 0; i < 20; ++i) {
    const auto skew = i % 2 == 0 ? 0s : 3s;
    const char* bidder = i % 3 == 0 ? "B" : "C";
    ASSERT_EQ(bid_at(world, opening + std::chrono::seconds(i) + skew, bidder, 100 + i), "ok");
    EXPECT_GE(world.listing("sword").decided_at, last);
    last = world.listing("sword").decided_at;
  }
}

}  // namespace
}  // namespace hotrow
