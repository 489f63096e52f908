#include <gtest/gtest.h>

#include "tests/http/market_world.hpp"

// What policies do to trades, and how a refusal by one is told.
namespace hotrow::test {
namespace {

using namespace std::chrono_literals;

/// "limit/used" of a refusal, after its code.
std::string refusal(const ProbeAnswer& answer) {
  const boost::json::object problem = object_of(answer);
  return problem_code(answer) + " " + std::to_string(integer_member(problem, "limit")) + "/" +
         std::to_string(integer_member(problem, "used"));
}

/// Three listings, and players with money.
void fill(MarketWorld& world) {
  for (const std::string id : {"l", "m", "n"}) world.list(id);
  for (const std::string player : {"ann", "bob", "cem"}) world.deposit(player, 10'000);
}

// Case C46: each limit has its own code and figures.
TEST(LeadingBids, OneBeyondTheLimitIsRefusedWithItsFigures_C46) {
  MarketWorld world;
  fill(world);
  world.put_policy("players/default", R"({"max_leading_bids":1})");
  EXPECT_EQ(world.bid("l", "ann", 100).status, 201);
  const ProbeHeaders key = {{"Idempotency-Key", "k"}};
  const ProbeAnswer refused = world.bid("m", "ann", 100, key);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refusal(refused), "limit_reached 1/1");
  EXPECT_EQ(text_member(object_of(refused), "limit_name"), "max_leading_bids");
  EXPECT_EQ(refused.header("retry-after"), "") << "no repeat of the same request helps";
  EXPECT_EQ(world.gold("ann"), "9900/100") << "nothing was held";
  EXPECT_EQ(world.bid("l", "ann", 200).status, 201) << "a raise takes no place";
  EXPECT_EQ(world.bid("l", "bob", 300).status, 201) << "and gives ann's back";
  EXPECT_EQ(world.bid("m", "ann", 100).status, 201);
  EXPECT_EQ(world.bid("m", "ann", 100, key).body, refused.body) << "under its key it stays refused";
  EXPECT_EQ(world.buy("n", "ann").status, 200) << "a buyout is no lead";
}

TEST(LeadingBids, TheLimitIsJudgedBeforeTheMoneyAndBehindTheAmount) {
  MarketWorld world;
  fill(world);
  world.put_policy("players/default", R"({"max_leading_bids":0})");
  EXPECT_EQ(problem_code(world.bid("l", "poor", 99)), "bid_too_low");
  EXPECT_EQ(refusal(world.bid("l", "poor", 100)), "limit_reached 0/0");
  world.put_policy("players/default", "{}");
  EXPECT_EQ(problem_code(world.bid("l", "poor", 100)), "insufficient_funds");
}

TEST(LeadingBids, APlayersOwnLimitWinsOverTheDefaultEachForItself) {
  MarketWorld world;
  fill(world);
  world.put_policy("players/default", R"({"max_leading_bids":1,"max_active_listings":0})");
  world.put_policy("players/ann", R"({"max_leading_bids":2})");
  for (const std::string id : {"l", "m"}) EXPECT_EQ(world.bid(id, "ann", 100).status, 201) << id;
  EXPECT_EQ(refusal(world.bid("n", "ann", 100)), "limit_reached 2/2");
  EXPECT_EQ(world.bid("n", "bob", 100).status, 201);
  EXPECT_EQ(refusal(world.bid("l", "bob", 200)), "limit_reached 1/1");
  EXPECT_EQ(refusal(world.list("o", "ann")), "limit_reached 0/0") << "ann has no own limit of listings";
  world.put_policy("players/ann", "{}");
  EXPECT_EQ(refusal(world.bid("n", "ann", 200)), "limit_reached 1/2") << "what leads stays";
}

// Case C44: the limit is the server's.
TEST(ActiveListings, OneBeyondTheLimitIsRefusedUntilAnotherIsOver_C44_C46) {
  MarketWorld world;
  world.put_policy("players/default", R"({"max_active_listings":1})");
  EXPECT_EQ(world.list("l").status, 201);
  const ProbeAnswer refused = world.list("m");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refusal(refused), "limit_reached 1/1");
  EXPECT_EQ(text_member(object_of(refused), "limit_name"), "max_active_listings");
  EXPECT_EQ(world.list("o", "other").status, 201);
  EXPECT_EQ(world.cancel("l").status, 200);
  EXPECT_EQ(world.list("m").status, 201) << "the id was not burnt by the refusal";
}

TEST(BuyoutQuiet, KeepsANewListingFromBuyoutsForAWhile_C46) {
  MarketWorld world;
  world.put_policy("families/sword", R"({"buyout_quiet_seconds":60})");
  fill(world);
  const ProbeHeaders key = {{"Idempotency-Key", "k"}};
  const auto buy = [&] { return world.post("/v1/listings/l/buyout", R"({"buyer_id":"ann"})", key); };
  world.move_clock(20s);
  const ProbeAnswer early = buy();
  EXPECT_EQ(early.status, 409);
  EXPECT_EQ(problem_code(early), "buyout_quiet");
  const boost::json::object problem = object_of(early);
  EXPECT_TRUE(problem.at("retryable").as_bool());
  EXPECT_EQ(integer_member(problem, "buyout_quiet_seconds"), 60);
  EXPECT_EQ(text_member(problem, "quiet_until"), "2026-06-01T00:01:00.000000Z");
  const int wait = std::stoi("0" + early.header("retry-after"));
  EXPECT_TRUE(wait >= 40 && wait <= 43) << wait;
  EXPECT_EQ(world.bid("l", "bob", 100).status, 201) << "bids are taken";
  world.move_clock(40s - 1us);
  EXPECT_EQ(problem_code(buy()), "buyout_quiet");
  world.move_clock(1us);
  EXPECT_EQ(buy().status, 200) << "the same request under the same key";
}

TEST(BuyoutQuiet, TheListingsOwnPolicyCanLiftItsFamilys) {
  MarketWorld world;
  fill(world);
  world.put_policy("families/sword", R"({"buyout_quiet_seconds":60})");
  world.put_policy("listings/m", R"({"buyout_quiet_seconds":0})");
  EXPECT_EQ(problem_code(world.buy("l", "ann")), "buyout_quiet") << "also of listings made before";
  EXPECT_EQ(world.buy("m", "ann").status, 200);
  world.put_policy("families/sword", "{}");
  EXPECT_EQ(world.buy("l", "ann").status, 200);
}

TEST(BuyoutRate, IsAPlayersWithinOneMinute_C46) {
  MarketWorld world;
  fill(world);
  world.put_policy("families/sword", R"({"buyouts_per_player_per_minute":1})");
  world.move_clock(15s);
  EXPECT_EQ(world.buy("l", "ann").status, 200);
  const ProbeAnswer refused = world.buy("m", "ann");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refusal(refused), "buyout_rate 1/1");
  EXPECT_EQ(text_member(object_of(refused), "resets_at"), "2026-06-01T00:01:00.000000Z");
  EXPECT_TRUE(object_of(refused).at("retryable").as_bool());
  const std::string wait = refused.header("retry-after");
  EXPECT_TRUE(std::stoi("0" + wait) >= 45 && std::stoi("0" + wait) <= 48) << wait;
  EXPECT_EQ(refused.header("ratelimit-policy"), R"("buyouts";q=1;w=60)");
  EXPECT_EQ(refused.header("ratelimit"), R"("buyouts";r=0;t=)" + wait);
  EXPECT_EQ(world.bid("m", "ann", 100).status, 201) << "a bid is no buyout";
  EXPECT_EQ(world.buy("n", "bob").status, 200);
  world.move_clock(45s);
  EXPECT_EQ(world.buy("m", "ann").status, 200);
}

TEST(BuyoutRate, CountsBuyoutsThatNoPolicyLimited) {
  MarketWorld world;
  fill(world);
  EXPECT_EQ(world.buy("l", "ann").status, 200);
  world.put_policy("listings/m", R"({"buyouts_per_player_per_minute":1})");
  EXPECT_EQ(refusal(world.buy("m", "ann")), "buyout_rate 1/1");
  EXPECT_EQ(world.buy("n", "ann").status, 200) << "the family has no limit";
  EXPECT_EQ(refusal(world.buy("m", "ann")), "buyout_rate 1/2");
}

/// A listing without a buyout, and players with money.
void open_hot_listing(MarketWorld& world) {
  world.list("l", "seller", "");
  for (const std::string player : {"ann", "bob", "cem"}) world.deposit(player, 10'000);
}

std::string bid_text(std::string_view bidder, int amount, int key) {
  return request_text(
      "POST", "/v1/listings/l/bids",
      R"({"bidder_id":")" + std::string(bidder) + R"(","amount":)" + std::to_string(amount) + "}",
      {{"Idempotency-Key", "pair-" + std::to_string(key)}});
}

/// Two bids that come at once, behind one that lets the server know what is in force on the listing.
std::pair<ProbeAnswer, ProbeAnswer> bids_at_once(MarketWorld& world, int amount) {
  EXPECT_EQ(world.bid("l", "ann", amount).status, 201);
  RawClient client(world.port());
  client.send(bid_text("bob", amount + 100, amount) + bid_text("cem", amount + 200, amount));
  ProbeAnswer first = client.receive();
  return {std::move(first), client.receive()};
}

// The server knows a row's policy while it has seen the row within the last second; on a machine that stands
// still for longer the two are tried again.
template <class Seen>
bool comes_about(MarketWorld& world, Seen seen) {
  for (int amount = 100; amount <= 3'100; amount += 1'000) {
    const auto [first, second] = bids_at_once(world, amount);
    if (seen(first, second)) return true;
  }
  return false;
}

TEST(BidWindow, OfBidsThatComeWithinItTheHighestIsDecidedFirst) {
  MarketWorld world;
  open_hot_listing(world);
  world.put_policy("listings/l", R"({"bid_window_ms":300})");
  EXPECT_TRUE(comes_about(world, [](const ProbeAnswer& low, const ProbeAnswer& high) {
    EXPECT_EQ(high.status, 201) << high.body;
    return low.status == 409 && problem_code(low) == "bid_too_low";
  }));
}

TEST(QueueMax, WhoComesBeyondItIsToldBusyAndTheLimit) {
  MarketWorld world;
  open_hot_listing(world);
  world.put_policy("families/sword", R"({"queue_max":1,"bid_window_ms":300})");
  EXPECT_TRUE(comes_about(world, [&](const ProbeAnswer& waits, const ProbeAnswer& beyond) {
    EXPECT_EQ(waits.status, 201) << waits.body;
    if (beyond.status != 503) return false;
    EXPECT_EQ(problem_code(beyond), "busy");
    EXPECT_EQ(text_member(object_of(beyond), "detail"),
              "By its policy, at most 1 requests may wait for this row here.");
    EXPECT_GE(std::stoi("0" + beyond.header("retry-after")), 1);
    return true;
  }));
}

}  // namespace
}  // namespace hotrow::test
