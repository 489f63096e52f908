#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/http/market_world.hpp"

// Lists of listings, bids and events.
namespace hotrow::test {
namespace {

using namespace std::chrono_literals;

/// Five listings whose sorts differ: "a" to "e", made one second after the other.
void fill(MarketWorld& world) {
  struct Made {
    std::string id, seller, family;
    int start_price;
    std::string buyout_price;
    int duration_seconds;
  };
  for (const Made& made :
       {Made{"a", "s1", "sword", 300, "900", 500}, Made{"b", "s2", "bow", 100, "900", 400},
        Made{"c", "s1", "sword", 200, "null", 300}, Made{"d", "s2", "sword", 100, "400", 199},
        Made{"e", "s1", "bow", 500, "500", 198}}) {
    world.deposit(made.seller, 100);
    const std::string body = R"({"id":")" + made.id + R"(","seller_id":")" + made.seller +
                             R"(","item":{"id":"i)" + made.id + R"(","family":")" + made.family +
                             R"("},"start_price":)" + std::to_string(made.start_price) +
                             R"(,"buyout_price":)" + made.buyout_price + R"(,"duration_seconds":)" +
                             std::to_string(made.duration_seconds) + "}";
    ASSERT_EQ(world.post("/v1/listings", body).status, 201) << body;
    world.move_clock(1s);
  }
}

TEST(Listings, SortsCoverTheWholeResultAndPagesLoseNothing) {
  MarketWorld world;
  fill(world);
  for (const int limit : {1, 2, 3, 5, 50}) {
    EXPECT_EQ(walk(world, "/v1/listings", limit), "d e c b a") << limit;
    EXPECT_EQ(walk(world, "/v1/listings?sort=start_price", limit), "b d c a e") << limit;
    EXPECT_EQ(walk(world, "/v1/listings?sort=buyout_price", limit), "d e a b") << limit;
    EXPECT_EQ(walk(world, "/v1/listings?sort=newest", limit), "e d c b a") << limit;
  }
}

TEST(Listings, FiltersCombine) {
  MarketWorld world;
  fill(world);
  const auto found = [&](const std::string& query) { return walk(world, "/v1/listings?" + query, 2); };
  EXPECT_EQ(found("family=sword"), "d c a");
  EXPECT_EQ(found("seller_id=s1"), "e c a");
  EXPECT_EQ(found("family=sword&seller_id=s1&sort=start_price"), "c a");
  EXPECT_EQ(found("min_price=200&max_price=300"), "c a");
  EXPECT_EQ(found("family=sword&min_price=300"), "a");
  EXPECT_EQ(found("status=sold"), "");
  EXPECT_EQ(found("family=axe"), "");
  world.cancel("c", "s1");
  EXPECT_EQ(found("family=sword"), "d a");
  EXPECT_EQ(found("status=cancelled"), "c");
}

TEST(Listings, AreNamedInTheOrderAsked) {
  MarketWorld world;
  fill(world);
  EXPECT_EQ(ids_of(world.call("GET", "/v1/listings?ids=e,nowhere,a,c")), "e a c");
  for (const std::string query : {"ids=", "ids=a,,b", "ids=a&status=sold", "ids=a&limit=5", "sort=price",
                                  "status=over", "min_price=0", "max_price=1.0", "min_price=-1",
                                  "max_price=9007199254740992", "family=", "seller=s1", "limit=1001"}) {
    const ProbeAnswer answer = world.call("GET", "/v1/listings?" + query);
    EXPECT_EQ(problem_code(answer), "invalid_query") << query;
  }
}

TEST(Listings, ACursorIsBoundToItsFilters) {
  MarketWorld world;
  fill(world);
  const std::string cursor =
      text_member(object_of(world.call("GET", "/v1/listings?family=sword&limit=1")), "next_cursor");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/listings?limit=1&family=sword&cursor=" + cursor)), "c");
  for (const std::string query :
       {"", "family=bow&", "family=sword&sort=newest&", "family=sword&status=sold&",
        "family=sword&seller_id=s1&", "family=sword&min_price=1&", "seller_id=sword&"}) {
    EXPECT_EQ(problem_code(world.call("GET", "/v1/listings?" + query + "cursor=" + cursor)), "invalid_cursor")
        << query;
  }
}

TEST(Listings, PagesAreStableWhileRowsAreAdded) {
  MarketWorld world;
  fill(world);
  const ProbeAnswer first = world.call("GET", "/v1/listings?limit=2");
  EXPECT_EQ(ids_of(first), "d e");
  world.list("d2", "s9", "");
  world.cancel("e", "s1");
  const std::string next = text_member(object_of(first), "next_cursor");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/listings?limit=50&cursor=" + next)), "c b a d2");
}

TEST(PlayersLists, HoldListingsAndBidsWhateverTheirState) {
  MarketWorld world;
  fill(world);
  world.cancel("c", "s1");
  EXPECT_EQ(walk(world, "/v1/players/s1/listings", 2), "a c e");
  world.deposit("ann", 1000);
  world.deposit("bob", 1000);
  world.bid("b", "ann", 100);
  world.move_clock(1s);
  world.bid("b", "bob", 110);
  world.bid("b", "ann", 120);
  world.bid("d", "ann", 100);
  world.bid("d", "ann", 101);
  for (const int limit : {1, 2, 50}) {
    EXPECT_EQ(walk(world, "/v1/players/bob/bids", limit), "b:2");
    EXPECT_EQ(walk(world, "/v1/listings/b/bids", limit, "amount"), "100 110 120");
  }
  EXPECT_EQ(walk(world, "/v1/players/ann/bids", 1), walk(world, "/v1/players/ann/bids", 50));
  EXPECT_EQ(ids_of(world.call("GET", "/v1/players/ann/bids?limit=50"), "placed_at").substr(0, 27),
            "2026-06-01T00:00:06.000000Z")
      << "the latest first";
  EXPECT_EQ(walk(world, "/v1/players/nobody/bids", 50), "");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/listings/nowhere/bids")), "listing_not_found");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/listings/a/bids")), "");
}

TEST(Timeline, HasEveryEventInOrder) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  world.deposit("bob", 1000);
  world.bid("l", "ann", 100);
  world.bid("l", "bob", 200);
  world.buy("l", "ann");
  for (const int limit : {1, 2, 50}) {
    EXPECT_EQ(
        walk(world, "/v1/listings/l/timeline", limit, "type"),
        "listing.created listing.bid_placed listing.bid_placed listing.outbid listing.outbid listing.sold");
  }
  EXPECT_EQ(problem_code(world.call("GET", "/v1/listings/m/timeline")), "listing_not_found");
}

/// Members of an object, joined by blanks, in order of name.
std::string names_of(const boost::json::object& object) {
  std::vector<std::string> names;
  for (const auto& member : object) names.emplace_back(member.key());
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) all += name + " ";
  return all;
}

TEST(MarketEvents, AreAsTheirSchemasSay) {
  MarketWorld world;
  const std::string snipe =
      R"(,"buyout_price":500,"on_close":"outside","anti_snipe":{"window_seconds":10,"extend_seconds":10,"max_extensions":2})";
  world.list("l", "seller", snipe);
  world.deposit("ann", 1000);
  world.deposit("bob", 1000);
  world.bid("l", "ann", 100);
  world.move_clock(1h - 5s);
  world.bid("l", "bob", 200);
  world.buy("l", "ann");
  for (const std::string id : {"x", "y", "z"}) world.list(id, "seller", "");
  world.cancel("x");
  world.bid("y", "bob", 100);
  world.call("POST", "/v1/listings/y/void", R"({"reason":"r"})");
  world.move_clock(1h);
  world.call("POST", "/v1/listings/z/settle", "{}");
  world.call("PUT", "/v1/players/ann/restrictions", R"({"trade":"blocked","reason":"r"})");
  world.call("POST", "/v1/market/pause", R"({"reason":"r"})");
  world.put_policy("families/sword", R"({"queue_max":5})");
  std::set<std::string> types;
  const boost::json::object feed = object_of(world.call("GET", "/v1/events?limit=1000"));
  for (const boost::json::value& event : feed.at("items").as_array()) {
    const std::string type(event.at("type").as_string());
    types.insert(type);
    const boost::json::object schema =
        object_of(world.call("GET", std::string(event.at("dataschema").as_string())));
    EXPECT_EQ(names_of(event.at("data").as_object()), names_of(schema.at("properties").as_object())) << type;
    EXPECT_EQ(schema.at("required").as_array().size(), schema.at("properties").as_object().size()) << type;
  }
  EXPECT_EQ(types, (std::set<std::string>{"item.withdrawn", "listing.bid_placed", "listing.cancelled",
                                          "listing.created", "listing.expired", "listing.extended",
                                          "listing.outbid", "listing.sold", "listing.voided",
                                          "market.changed", "player.restricted", "policy.changed"}));
  EXPECT_EQ(ids_of(world.call("GET", "/v1/events?types=listing.sold,market.changed"), "subject"),
            "listing/l market/market");
}

}  // namespace
}  // namespace hotrow::test
