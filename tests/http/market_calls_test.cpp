#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <thread>

#include "tests/http/market_world.hpp"

// Listings, bids, buyouts, and what operators do.
namespace hotrow::test {
namespace {

using namespace std::chrono_literals;

const std::string reason = R"({"reason":"because"})";

boost::json::object listing_of(HttpWorld& world, const std::string& id) {
  return object_of(world.call("GET", "/v1/listings/" + id));
}

TEST(CreateListing, AnswersWhatIsReadAfterwards) {
  MarketWorld world;
  const ProbeAnswer created = world.list("l");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.header("etag"), "\"1\"");
  EXPECT_EQ(created.body,
            R"({"id":"l","seller_id":"seller","item":{"id":"item of l","family":"sword","attributes":{}},)"
            R"("status":"active","currency":"gold","start_price":100,"buyout_price":500,"min_increment":1,)"
            R"("anti_snipe":null,"on_close":"inventory","deposit":1,"cut_bps":500,"cut_min":1,)"
            R"("created_at":"2026-06-01T00:00:00.000000Z","current_bid":null,"bidder_id":null,"bid_count":0,)"
            R"("min_next_bid":100,"extensions":0,"ends_at":"2026-06-01T01:00:00.000000Z","buyer_id":null,)"
            R"("price":null,"closed_at":null,"closed_by":null,"close_reason":null,"set_aside":null,)"
            R"("version":1,"server_time":"2026-06-01T00:00:00.000000Z"})");
  const ProbeAnswer read = world.call("GET", "/v1/listings/l");
  EXPECT_EQ(read.body, created.body);
  EXPECT_EQ(read.header("etag"), "\"1\"");
  EXPECT_EQ(world.gold("seller"), "99/1");
}

TEST(CreateListing, WithoutAnIdHasOneThatARepeatFindsAgain) {
  MarketWorld world;
  world.deposit("seller", 10);
  const std::string body = R"({"seller_id":"seller","item":{"id":"i","family":"f"},"start_price":100,)"
                           R"("ends_at":"2026-06-02T09:00:00+09:00"})";
  const ProbeAnswer first = world.post("/v1/listings", body, {{"Idempotency-Key", "k"}});
  ASSERT_EQ(first.status, 201);
  const std::string id = text_member(object_of(first), "id");
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(text_member(object_of(first), "ends_at"), "2026-06-02T00:00:00.000000Z");
  world.move_clock(5s);
  const ProbeAnswer again = world.post("/v1/listings", body, {{"Idempotency-Key", "\"k\""}});
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotency-replayed"), "true");
  EXPECT_EQ(again.header("etag"), first.header("etag"));
  const ProbeAnswer other = world.post("/v1/listings",
                                       R"({"seller_id":"seller","item_id":"i",)"
                                       R"("start_price":101,"duration_seconds":60})",
                                       {{"Idempotency-Key", "k"}});
  EXPECT_EQ(problem_code(other), "idempotency_key_reused");
}

TEST(CreateListing, OnlyTheOwnerListsWhatIsThereAndCanPayTheDeposit) {
  MarketWorld world;
  world.put_item("s1", "player:seller");
  world.put_item("s2", "guild:seller");
  const auto create = [&](const std::string& id, const std::string& seller, const std::string& item) {
    return world.post("/v1/listings", R"({"id":")" + id + R"(","seller_id":")" + seller + R"(",)" + item +
                                          R"(,"start_price":1000,"duration_seconds":60})");
  };
  const ProbeAnswer poor = create("l", "seller", R"("item_id":"s1")");
  EXPECT_EQ(poor.status, 402);
  EXPECT_EQ(integer_member(object_of(poor), "available"), 0);
  world.deposit("seller", 100);
  EXPECT_EQ(create("l", "thief", R"("item_id":"s1")").status, 403);
  EXPECT_EQ(problem_code(create("l", "seller", R"("item_id":"s2")")), "not_item_owner");
  EXPECT_EQ(problem_code(create("l", "seller", R"("item_id":"s9")")), "not_item_owner");
  EXPECT_EQ(create("l", "seller", R"("item_id":"s1")").status, 201);
  EXPECT_EQ(world.gold("seller"), "90/10");
  EXPECT_EQ(problem_code(create("l", "seller", R"("item_id":"s1")")), "listing_exists");
  EXPECT_EQ(problem_code(create("m", "seller", R"("item_id":"s1")")), "item_in_escrow");
  EXPECT_EQ(problem_code(create("m", "seller", R"("item":{"id":"s1","family":"f"})")), "item_exists");
  world.cancel("l");
  EXPECT_EQ(problem_code(create("l", "seller", R"("item_id":"s1")")), "listing_exists") << "ids are burnt";
  world.post("/v1/items/s1/withdrawals", R"({"owner":"player:seller"})");
  EXPECT_EQ(problem_code(create("n", "seller", R"("item_id":"s1")")), "item_outside");
}

TEST(PlaceBid, TellsTheBidTheListingAndTheWallet) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 300);
  world.deposit("bob", 300);
  EXPECT_EQ(world.bid("l", "ann", 100).status, 201);
  const ProbeAnswer answer = world.bid("l", "bob", 150);
  ASSERT_EQ(answer.status, 201);
  const boost::json::object body = object_of(answer);
  EXPECT_EQ(boost::json::serialize(body.at("bid")),
            R"({"id":"l:2","listing_id":"l","bidder_id":"bob","amount":150,)"
            R"("placed_at":"2026-06-01T00:00:00.000000Z"})");
  const boost::json::object& listing = body.at("listing").as_object();
  EXPECT_EQ(boost::json::value(listing), boost::json::value(listing_of(world, "l")));
  EXPECT_EQ(text_member(listing, "bidder_id"), "bob");
  EXPECT_EQ(integer_member(listing, "min_next_bid"), 151);
  EXPECT_EQ(integer_member(body.at("wallet").as_object(), "held"), 150);
  EXPECT_EQ(world.gold("ann"), "300/0") << "outbid: the money is back at once";
  EXPECT_EQ(world.bid("l", "bob", 200).status, 201);
  EXPECT_EQ(world.gold("bob"), "100/200") << "a raise holds the difference";
}

// Each refusal with everything that stands before it removed.
TEST(PlaceBid, RefusesInTheOrderOfTheContract) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  const auto code = [&](std::string_view listing, std::string_view bidder, std::int64_t amount,
                        const ProbeHeaders& headers = {}) {
    return problem_code(world.bid(listing, bidder, amount, headers));
  };
  const ProbeHeaders stale = {{"If-Match", "\"9\""}};
  world.call("PUT", "/v1/players/ann/restrictions", R"({"trade":"blocked","reason":"r"})");
  world.call("POST", "/v1/market/pause", reason);
  const ProbeAnswer paused = world.bid("none", "ann", 1);
  EXPECT_EQ(problem_code(paused), "market_paused");
  EXPECT_GE(std::stoi("0" + paused.header("retry-after")), 1);
  world.call("POST", "/v1/market/resume", reason);
  EXPECT_EQ(code("none", "ann", 1), "player_blocked");
  world.call("PUT", "/v1/players/ann/restrictions", R"({"trade":"allowed","reason":"r"})");
  EXPECT_EQ(code("none", "ann", 1, stale), "listing_not_found");
  const ProbeAnswer changed = world.bid("l", "seller", 1000, stale);
  EXPECT_EQ(problem_code(changed), "precondition_failed");
  EXPECT_EQ(boost::json::serialize(object_of(changed).at("current")),
            boost::json::serialize(listing_of(world, "l")));
  EXPECT_EQ(code("l", "seller", 1000), "own_listing");
  EXPECT_EQ(code("l", "poor", 500), "use_buyout");
  EXPECT_EQ(code("l", "poor", 99), "bid_too_low");
  EXPECT_EQ(code("l", "poor", 100), "insufficient_funds");
  EXPECT_EQ(world.bid("l", "ann", 100, {{"If-Match", "\"1\""}}).status, 201);
  const ProbeAnswer low = world.bid("l", "poor", 100);
  EXPECT_EQ(problem_code(low), "bid_too_low");
  EXPECT_EQ(integer_member(object_of(low), "current_bid"), 100);
  EXPECT_EQ(integer_member(object_of(low), "min_next_bid"), 101);
  world.move_clock(1h);
  const ProbeAnswer late = world.bid("l", "seller", 1000);
  EXPECT_EQ(problem_code(late), "listing_closed");
  EXPECT_EQ(text_member(object_of(late), "listing_status"), "active");
}

TEST(PlaceBid, ARefusalUnderAKeyIsToldAgainAndWhatMaySucceedLaterIsNot) {
  MarketWorld world;
  world.list("l");
  const ProbeHeaders key = {{"Idempotency-Key", "k"}};
  const ProbeAnswer poor = world.bid("l", "ann", 100, key);
  EXPECT_EQ(poor.status, 402);
  world.deposit("ann", 1000);
  const ProbeAnswer again = world.bid("l", "ann", 100, key);
  EXPECT_EQ(again.body, poor.body);
  EXPECT_EQ(again.header("idempotency-replayed"), "true");
  const ProbeHeaders other = {{"Idempotency-Key", "k2"}};
  world.call("POST", "/v1/market/pause", reason);
  EXPECT_EQ(world.bid("l", "ann", 100, other).status, 409);
  world.call("POST", "/v1/market/resume", reason);
  EXPECT_EQ(world.bid("l", "ann", 100, other).status, 201);
}

// Case C49.
TEST(PlaceBid, ARepeatIsToldTheFirstAnswerEvenAfterTheEnd_C49) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  world.deposit("bob", 1000);
  const ProbeHeaders key = {{"Idempotency-Key", "k"}};
  const ProbeAnswer first = world.bid("l", "ann", 100, key);
  EXPECT_EQ(world.bid("l", "bob", 100, key).status, 409) << "another's key is another key: too low";
  EXPECT_EQ(problem_code(world.bid("l", "ann", 101, key)), "idempotency_key_reused");
  world.bid("l", "bob", 200);
  world.move_clock(2h);
  const ProbeAnswer again = world.bid("l", "ann", 100, {{"Idempotency-Key", "k"}, {"If-Match", "\"7\""}});
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(world.gold("ann"), "1000/0");
}

TEST(PlaceBid, TwinsUnderOneKeyAreOneBid_C49) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  std::vector<std::string> bodies(8);
  {
    const std::string request = request_text(
        "POST", "/v1/listings/l/bids", R"({"bidder_id":"ann","amount":100})", {{"Idempotency-Key", "k"}});
    std::vector<std::jthread> clients;
    for (std::string& body : bodies) {
      clients.emplace_back([&] {
        RawClient client(world.port());
        client.send(request);
        body = client.receive().body;
      });
    }
  }
  for (const std::string& body : bodies) EXPECT_EQ(body, bodies.front());
  EXPECT_EQ(integer_member(listing_of(world, "l"), "bid_count"), 1);
}

TEST(BuyOut, SellsAtOnceAndPaysEverybody) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 500);
  world.deposit("bob", 500);
  world.bid("l", "ann", 200);
  const ProbeAnswer bought = world.buy("l", "bob");
  ASSERT_EQ(bought.status, 200);
  const boost::json::object body = object_of(bought);
  const boost::json::object& listing = body.at("listing").as_object();
  EXPECT_EQ(text_member(listing, "status"), "sold");
  EXPECT_EQ(text_member(listing, "buyer_id"), "bob");
  EXPECT_EQ(text_member(listing, "closed_by"), "buyout");
  EXPECT_EQ(integer_member(listing, "price"), 500);
  EXPECT_TRUE(listing.at("min_next_bid").is_null());
  EXPECT_TRUE(listing.at("bidder_id").is_null());
  EXPECT_EQ(world.gold("bob"), "0/0");
  EXPECT_EQ(world.gold("ann"), "500/0");
  EXPECT_EQ(world.gold("seller"), "575/0") << "500 less 25, and the deposit back";
  EXPECT_EQ(ids_of(world.call("GET", "/v1/players/bob/items")), "item of l");
  const ProbeAnswer late = world.buy("l", "ann");
  EXPECT_EQ(problem_code(late), "listing_closed");
  EXPECT_EQ(text_member(object_of(late), "buyer_id"), "bob");
}

TEST(BuyOut, RefusesInTheOrderOfTheContract) {
  MarketWorld world;
  world.list("l");
  world.list("none", "seller", "");
  EXPECT_EQ(problem_code(world.buy("nowhere", "ann")), "listing_not_found");
  EXPECT_EQ(problem_code(world.buy("none", "seller")), "own_listing");
  EXPECT_EQ(problem_code(world.buy("none", "ann")), "no_buyout");
  const ProbeAnswer other = world.post("/v1/listings/l/buyout", R"({"buyer_id":"ann","expected_price":499})");
  EXPECT_EQ(problem_code(other), "price_changed");
  EXPECT_EQ(integer_member(object_of(other), "buyout_price"), 500);
  EXPECT_EQ(problem_code(world.post("/v1/listings/l/buyout", R"({"buyer_id":"ann","expected_price":500})")),
            "insufficient_funds");
  world.deposit("ann", 500);
  world.bid("l", "ann", 400);
  EXPECT_EQ(world.buy("l", "ann").status, 200) << "the buyer's own hold counts";
}

// Cases C01 to C03.
TEST(CancelListing, StaysWhileSomebodyLeads_C01_C02_C03) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 500);
  EXPECT_EQ(problem_code(world.cancel("nowhere")), "listing_not_found");
  const ProbeAnswer foreign = world.cancel("l", "ann");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_EQ(problem_code(foreign), "not_seller");
  world.bid("l", "ann", 100);
  EXPECT_EQ(problem_code(world.cancel("l")), "has_bids");
  EXPECT_EQ(world.gold("ann"), "400/100");
  world.list("m");
  const ProbeAnswer cancelled = world.cancel("m");
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.header("etag"), "\"2\"");
  EXPECT_EQ(text_member(object_of(cancelled), "status"), "cancelled");
  EXPECT_EQ(problem_code(world.cancel("m")), "listing_closed");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/players/seller/items")), "item of l item of m");
  EXPECT_EQ(text_member(object_of(world.call("GET", "/v1/items/item%20of%20m")), "location"), "inventory");
}

TEST(SettleListing, DoesNothingBeforeTheEndAndIsHarmlessToRepeat) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 500);
  world.bid("l", "ann", 300);
  world.move_clock(1h - 1us);
  const ProbeAnswer early = world.call("POST", "/v1/listings/l/settle", "{}");
  EXPECT_EQ(early.status, 409);
  EXPECT_EQ(problem_code(early), "not_ended");
  EXPECT_EQ(text_member(object_of(early), "ends_at"), "2026-06-01T01:00:00.000000Z");
  EXPECT_EQ(text_member(object_of(early), "server_time"), "2026-06-01T00:59:59.999999Z");
  world.move_clock(1us);
  EXPECT_EQ(text_member(object_of(world.call("POST", "/v1/listings/l/settle")), "status"), "sold")
      << "also without a body";
  EXPECT_EQ(problem_code(world.call("POST", "/v1/listings/l/settle", reason)), "listing_closed");
  EXPECT_EQ(world.gold("ann"), "200/0");
  EXPECT_EQ(world.gold("seller"), "385/0");
  EXPECT_EQ(problem_code(world.call("POST", "/v1/listings/none/settle", "{}")), "listing_not_found");
}

TEST(VoidListing, GivesEverythingBack) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 500);
  world.bid("l", "ann", 300);
  EXPECT_EQ(error_fields(world.call("POST", "/v1/listings/l/void", "{}")), "reason");
  const boost::json::object voided = object_of(world.call("POST", "/v1/listings/l/void", reason));
  EXPECT_EQ(text_member(voided, "status"), "voided");
  EXPECT_EQ(text_member(voided, "closed_by"), "operator:dev");
  EXPECT_EQ(text_member(voided, "close_reason"), "because");
  EXPECT_EQ(world.gold("ann"), "500/0");
  EXPECT_EQ(world.gold("seller"), "100/0");
  EXPECT_EQ(problem_code(world.call("POST", "/v1/listings/l/void", reason)), "listing_closed");
}

TEST(RestrictPlayer, KeepsABlockedPlayerFromTrade) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 500);
  world.put_item("s", "player:ann");
  world.bid("l", "ann", 100);
  const ProbeAnswer blocked =
      world.call("PUT", "/v1/players/ann/restrictions", R"({"trade":"blocked","reason":"bot"})");
  EXPECT_EQ(blocked.body, R"({"player_id":"ann","trade":"blocked","reason":"bot",)"
                          R"("server_time":"2026-06-01T00:00:00.000000Z"})");
  EXPECT_EQ(world.bid("l", "ann", 200).status, 403);
  EXPECT_EQ(problem_code(world.buy("l", "ann")), "player_blocked");
  EXPECT_EQ(problem_code(world.list("m", "ann")), "player_blocked");
  EXPECT_EQ(problem_code(world.post("/v1/players/ann/wallet/withdrawals", R"({"amount":1})")),
            "player_blocked");
  EXPECT_EQ(problem_code(world.post("/v1/items/s/withdrawals", R"({"owner":"player:ann"})")),
            "player_blocked");
  EXPECT_EQ(text_member(listing_of(world, "l"), "bidder_id"), "ann") << "what leads stays";
  EXPECT_EQ(error_fields(world.call("PUT", "/v1/players/ann/restrictions", R"({"trade":"none"})")),
            "trade reason");
}

TEST(Market, APauseCanBeGivenBack) {
  MarketWorld world;
  world.list("l");
  const ProbeAnswer paused = world.call("POST", "/v1/market/pause", reason);
  EXPECT_EQ(paused.body, R"({"paused":true,"paused_at":"2026-06-01T00:00:00.000000Z","reason":"because",)"
                         R"("server_time":"2026-06-01T00:00:00.000000Z"})");
  world.move_clock(2h);
  EXPECT_EQ(problem_code(world.call("POST", "/v1/listings/l/settle", "{}")), "market_paused");
  EXPECT_EQ(problem_code(world.list("m")), "market_paused");
  EXPECT_EQ(world.call("POST", "/v1/market/pause", reason).status, 200) << "harmless to repeat";
  const ProbeAnswer resumed = world.call("POST", "/v1/market/resume", R"({"reason":"go","extend":true})");
  EXPECT_FALSE(object_of(resumed).at("paused").as_bool());
  EXPECT_EQ(text_member(listing_of(world, "l"), "ends_at"), "2026-06-01T03:00:00.000000Z");
  EXPECT_EQ(problem_code(world.call("POST", "/v1/listings/l/settle", "{}")), "not_ended");
  EXPECT_EQ(error_fields(world.call("POST", "/v1/market/pause", R"({"reason":"r","extend":true})")),
            "extend");
}

TEST(Access, RolesOfTheMarketAreEnforced) {
  MarketWorld world({.with_keys = true});
  const auto status = [&](std::string_view method, std::string_view target, const std::string& key) {
    return world
        .call(method, target, method == "GET" ? "" : "{}",
              {{"Authorization", "Bearer " + key}, {"Idempotency-Key", "k"}})
        .status;
  };
  for (const std::string read :
       {"/v1/players/a/wallet", "/v1/listings", "/v1/players/a/bids", "/v1/quotes/listing?start_price=1"}) {
    EXPECT_EQ(status("GET", read, "reader-key"), 200) << read;
  }
  for (const std::string write :
       {"/v1/players/a/wallet/deposits", "/v1/transfers", "/v1/items/i/withdrawals", "/v1/listings",
        "/v1/listings/l/bids", "/v1/listings/l/buyout", "/v1/listings/l/cancel"}) {
    EXPECT_EQ(status("POST", write, "reader-key"), 403) << write;
    EXPECT_EQ(status("POST", write, "service-key"), 422) << write;
  }
  for (const std::string rule :
       {"/v1/listings/l/settle", "/v1/listings/l/void", "/v1/market/pause", "/v1/market/resume"}) {
    EXPECT_EQ(status("POST", rule, "service-key"), 403) << rule;
  }
  EXPECT_EQ(status("PUT", "/v1/players/a/restrictions", "service-key"), 403);
  EXPECT_EQ(status("GET", "/v1/house", "service-key"), 403);
  EXPECT_EQ(status("GET", "/v1/audit", "service-key"), 403);
  EXPECT_EQ(status("GET", "/v1/audit", "operator-key"), 200);
}

}  // namespace
}  // namespace hotrow::test
