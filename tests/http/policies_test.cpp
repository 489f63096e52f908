#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/http/market_world.hpp"

// What operators limit: setting it, reading it, and where it shows.
namespace hotrow::test {
namespace {

constexpr const char* now = R"("server_time":"2026-06-01T00:00:00.000000Z"})";

std::string pressure_text(std::string_view window_ms, std::string_view per_minute,
                          std::string_view quiet_seconds, std::string_view queue_max) {
  std::string text = R"("bid_window_ms":)" + std::string(window_ms);
  text += R"(,"buyouts_per_player_per_minute":)" + std::string(per_minute);
  text += R"(,"buyout_quiet_seconds":)" + std::string(quiet_seconds);
  return text + R"(,"queue_max":)" + std::string(queue_max);
}

TEST(Policies, AreChangedOnlyFromAVersionThatTheCallerHasSeen) {
  MarketWorld world;
  const std::string target = "/v1/policies/families/swords";
  const auto change = [&](const std::string& queue_max, const std::string& tag) {
    return world.call("PUT", target, "{\"queue_max\":" + queue_max + "}", {{"If-Match", tag}});
  };
  EXPECT_EQ(problem_code(change("1", "\"0\"")), "precondition_failed") << "nobody has seen it";
  EXPECT_EQ(world.put_policy("families/swords", R"({"queue_max":1})").status, 200);
  EXPECT_EQ(change("2", "\"1\"").status, 200);
  const ProbeAnswer late = change("3", "\"1\"");
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(late.header("etag"), "\"2\"");
  EXPECT_EQ(object_of(late).at("current").at("queue_max").as_int64(), 2);
}

TEST(Policies, AreReadAsTheyWereSet) {
  MarketWorld world;
  world.list("l");
  world.put_promotion("p");
  const std::string no_pressure = pressure_text("null", "null", "null", "null");
  struct Case {
    std::string policy, unset, body, set;
  };
  const std::vector<Case> cases = {
      {"players/default", R"({"scope":"players","max_leading_bids":null,"max_active_listings":null)",
       R"({"max_leading_bids":7,"max_active_listings":0})",
       R"({"scope":"players","max_leading_bids":7,"max_active_listings":0)"},
      {"players/guild%3A5",
       R"({"scope":"player","id":"guild:5","max_leading_bids":null,"max_active_listings":null)",
       R"({"max_active_listings":9007199254740991})",
       R"({"scope":"player","id":"guild:5","max_leading_bids":null,"max_active_listings":9007199254740991)"},
      {"families/s%2Fw", R"({"scope":"family","id":"s/w",)" + no_pressure,
       R"({"bid_window_ms":20,"buyouts_per_player_per_minute":3,"buyout_quiet_seconds":60,"queue_max":500})",
       R"({"scope":"family","id":"s/w",)" + pressure_text("20", "3", "60", "500")},
      {"listings/l", R"({"scope":"listing","id":"l",)" + no_pressure, R"({"buyout_quiet_seconds":0})",
       R"({"scope":"listing","id":"l",)" + pressure_text("null", "null", "0", "null")},
      {"promotions/p", R"({"scope":"promotion","id":"p","queue_max":null)", R"({"queue_max":1})",
       R"({"scope":"promotion","id":"p","queue_max":1)"},
  };
  for (const Case& c : cases) {
    const ProbeAnswer before = world.get_policy(c.policy);
    EXPECT_EQ(before.body, c.unset + R"(,"reason":null,"version":0,)" + now);
    EXPECT_EQ(before.header("etag"), "") << c.policy;
    std::string body = c.body;
    body.insert(1, R"("reason":"a rush",)");
    const ProbeAnswer set = world.put_policy(c.policy, body);
    EXPECT_EQ(set.status, 200) << c.policy;
    EXPECT_EQ(set.body, c.set + R"(,"reason":"a rush","version":1,)" + now);
    EXPECT_EQ(set.header("etag"), "\"1\"") << c.policy;
    const ProbeAnswer read = world.get_policy(c.policy);
    EXPECT_EQ(read.body, set.body);
    EXPECT_EQ(read.header("etag"), "\"1\"") << c.policy;
    EXPECT_EQ(read.header("cache-control"), "no-store") << c.policy;
  }
}

TEST(Policies, AWholePolicyIsReplacedAndOneThatIsSetAlreadyDoesNotChange) {
  MarketWorld world;
  const auto limits_after = [&](const std::string& body) {
    const boost::json::object set = object_of(world.put_policy("players/default", body));
    return boost::json::serialize(set.at("max_leading_bids")) + " " +
           boost::json::serialize(set.at("max_active_listings")) + " v" +
           std::to_string(integer_member(set, "version"));
  };
  EXPECT_EQ(limits_after("{}"), "null null v0") << "nothing was set, and nothing is";
  EXPECT_EQ(limits_after(R"({"max_leading_bids":1,"max_active_listings":2})"), "1 2 v1");
  EXPECT_EQ(limits_after(R"({"max_active_listings":2,"max_leading_bids":1,"reason":"again"})"), "1 2 v1");
  EXPECT_EQ(limits_after(R"({"max_leading_bids":1})"), "1 null v2");
  EXPECT_EQ(limits_after(R"({"max_leading_bids":1,"max_active_listings":null})"), "1 null v2");
  EXPECT_EQ(limits_after("{}"), "null null v3");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/events?types=policy.changed"), "subject"),
            "policy/players policy/players policy/players");
}

TEST(Policies, EveryChangeIsAnEventThatNamesWhoAndWhy) {
  MarketWorld world({.with_keys = true});
  const auto put = [&](std::string_view body) {
    return world.call("PUT", "/v1/policies/families/sword", body, {{"Authorization", "Bearer operator-key"}});
  };
  put(R"({"queue_max":5})");
  put(R"({"queue_max":6,"bid_window_ms":10,"reason":"a rush"})");
  const boost::json::object feed =
      object_of(world.call("GET", "/v1/events", "", {{"Authorization", "Bearer service-key"}}));
  const boost::json::array& events = feed.at("items").as_array();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].at("subject").as_string(), "policy/family/sword");
  EXPECT_EQ(events[1].at("sequence").as_string(), "00000000000000000002");
  const boost::json::object& data = events[1].at("data").as_object();
  EXPECT_EQ(text_member(data, "policy"), "family/sword");
  EXPECT_EQ(boost::json::serialize(data.at("before")), R"({"queue_max":5})");
  EXPECT_EQ(boost::json::serialize(data.at("after")), R"({"bid_window_ms":10,"queue_max":6})");
  EXPECT_EQ(text_member(data, "reason"), "a rush");
  EXPECT_EQ(text_member(data, "by"), "alice");
  EXPECT_EQ(text_member(events[0].at("data").as_object(), "reason"), "");
}

TEST(Policies, NeedWhatTheyAreFor) {
  MarketWorld world;
  EXPECT_EQ(problem_code(world.put_policy("listings/none", R"({"queue_max":1})")), "listing_not_found");
  EXPECT_EQ(problem_code(world.get_policy("listings/none")), "listing_not_found");
  EXPECT_EQ(problem_code(world.put_policy("promotions/none", R"({"queue_max":1})")), "promotion_not_found");
  EXPECT_EQ(problem_code(world.get_policy("promotions/none")), "promotion_not_found");
  EXPECT_EQ(world.put_policy("families/none", R"({"queue_max":1})").status, 200) << "its first item may come";
  EXPECT_EQ(world.put_policy("players/none", R"({"max_leading_bids":1})").status, 200);
  EXPECT_EQ(problem_code(world.put_policy("families/", "{}")), "invalid_path");
  EXPECT_EQ(problem_code(world.get_policy("players/%FF")), "invalid_path");
  EXPECT_EQ(problem_code(world.get_policy("players/default?x=1")), "invalid_query");
}

TEST(Policies, APlayerWhoIsCalledDefaultIsNotEverybody) {
  MarketWorld world;
  world.put_policy("players/%64efault", R"({"max_leading_bids":1})");
  EXPECT_TRUE(object_of(world.get_policy("players/default")).at("max_leading_bids").is_null());
  EXPECT_EQ(text_member(object_of(world.get_policy("players/%64efault")), "id"), "default");
  EXPECT_EQ(world.call("DELETE", "/v1/policies/players/default").header("allow"), "PUT, GET, HEAD");
}

TEST(Policies, AreSetByOperatorsAndReadByReaders) {
  MarketWorld world({.with_keys = true});
  const auto status = [&](std::string_view method, const std::string& policy, const std::string& key) {
    return world
        .call(method, "/v1/policies/" + policy, method == "GET" ? "" : "{}",
              {{"Authorization", "Bearer " + key}})
        .status;
  };
  for (const std::string policy : {"players/default", "players/ann", "families/sword"}) {
    EXPECT_EQ(status("GET", policy, "reader-key"), 200) << policy;
    EXPECT_EQ(status("PUT", policy, "service-key"), 403) << policy;
    EXPECT_EQ(status("PUT", policy, "operator-key"), 200) << policy;
  }
  for (const std::string policy : {"listings/l", "promotions/p"}) {
    EXPECT_EQ(status("GET", policy, "reader-key"), 404) << policy;
    EXPECT_EQ(status("PUT", policy, "service-key"), 403) << policy;
    EXPECT_EQ(status("PUT", policy, "operator-key"), 404) << policy;
  }
}

TEST(Policies, WhoHasThePresentVersionIsToldSo) {
  MarketWorld world;
  world.put_policy("players/default", R"({"max_leading_bids":1})");
  RawClient client(world.port());
  client.send(request_text("GET", "/v1/policies/players/default", "", {{"If-None-Match", "\"1\""}}));
  EXPECT_EQ(client.receive().status, 304);
}

struct Limit {
  std::string policy, member, min, max;
  std::vector<std::string> outside;
};

const std::vector<Limit>& every_limit() {
  static const std::vector<Limit> limits = [] {
    std::vector<Limit> all;
    for (const std::string players : {"players/default", "players/ann"}) {
      all.push_back({players, "max_leading_bids", "0", "9007199254740991", {"-1", "9007199254740992"}});
      all.push_back({players, "max_active_listings", "0", "9007199254740991", {"-1", "9007199254740992"}});
    }
    for (const std::string pressure : {"families/sword", "listings/l"}) {
      all.push_back({pressure, "bid_window_ms", "0", "5000", {"-1", "5001"}});
      all.push_back(
          {pressure, "buyouts_per_player_per_minute", "0", "9007199254740991", {"-1", "9007199254740992"}});
      all.push_back({pressure, "buyout_quiet_seconds", "0", "2592000", {"-1", "2592001"}});
      all.push_back({pressure, "queue_max", "1", "9007199254740991", {"0", "-1", "9007199254740992"}});
    }
    all.push_back({"promotions/p", "queue_max", "1", "9007199254740991", {"0", "-1", "9007199254740992"}});
    return all;
  }();
  return limits;
}

TEST(PolicyInput, EveryLimitHasItsRangeAndNullSetsItNoMore) {
  MarketWorld world;
  world.list("l");
  world.put_promotion("p");
  for (const Limit& limit : every_limit()) {
    const auto put = [&](const std::string& value) {
      return world.put_policy(limit.policy, "{\"" + limit.member + "\":" + value + "}");
    };
    for (const std::string& good : {limit.min, limit.max, std::string("null")}) {
      const boost::json::object set = object_of(put(good));
      ASSERT_TRUE(set.contains(limit.member)) << limit.policy << " " << boost::json::serialize(set);
      EXPECT_EQ(boost::json::serialize(set.at(limit.member)), good) << limit.policy << " " << limit.member;
    }
    for (const std::string& bad : limit.outside) {
      const ProbeAnswer refused = put(bad);
      EXPECT_EQ(refused.status, 422) << limit.policy << " " << limit.member << " " << bad;
      EXPECT_EQ(error_fields(refused), limit.member) << bad;
    }
    for (const std::string bad : {"1.0", "1e3", "\"1\"", "true", "[1]", "{}"}) {
      EXPECT_EQ(error_fields(put(bad)), limit.member) << limit.policy << " " << bad;
    }
  }
}

TEST(PolicyInput, ALimitOfAnotherScopeIsUnknown) {
  MarketWorld world;
  world.list("l");
  world.put_promotion("p");
  const auto refused = [&](std::string_view policy, std::string_view member) {
    const ProbeAnswer answer = world.put_policy(policy, "{\"" + std::string(member) + "\":1}");
    EXPECT_EQ(answer.status, 422) << policy << " " << member;
    return error_fields(answer);
  };
  for (const std::string policy : {"families/sword", "listings/l", "promotions/p"}) {
    for (const std::string member : {"max_leading_bids", "max_active_listings", "max_leading_bid"}) {
      EXPECT_EQ(refused(policy, member), member) << policy;
    }
  }
  for (const std::string policy : {"players/default", "players/ann", "promotions/p"}) {
    for (const std::string member :
         {"bid_window_ms", "buyouts_per_player_per_minute", "buyout_quiet_seconds", "queue_maximum"}) {
      EXPECT_EQ(refused(policy, member), member) << policy;
    }
  }
  EXPECT_EQ(refused("players/ann", "queue_max"), "queue_max");
  for (const std::string reason : {"1", "\"\"", "\"a\\u0000b\"", "[]"}) {
    EXPECT_EQ(error_fields(world.put_policy("players/ann", R"({"reason":)" + reason + "}")), "reason");
  }
  EXPECT_EQ(problem_code(world.put_policy("players/ann", "[]")), "invalid_json");
  EXPECT_EQ(integer_member(object_of(world.get_policy("players/ann")), "version"), 0);
}

/// The pressure that each listing of a page shows, joined by blanks.
std::string pressures(const ProbeAnswer& page) { return ids_of(page, "pressure"); }

// The most specific wins, limit by limit.
TEST(Pressure, IsWhatTheListingsPolicySaysAndElseItsFamilys) {
  MarketWorld world;
  world.list("l");
  world.list("m");
  world.deposit("seller", 100);
  world.post("/v1/listings", R"({"id":"n","seller_id":"seller","item":{"id":"in","family":"bow"},)"
                             R"("start_price":100,"duration_seconds":7200})");
  world.put_policy("families/sword",
                   R"({"bid_window_ms":10,"buyouts_per_player_per_minute":3,"queue_max":50})");
  world.put_policy("listings/l", R"({"bid_window_ms":0,"buyout_quiet_seconds":60,"queue_max":5})");
  const std::string l = "{" + pressure_text("0", "3", "60", "5") + "}";
  const std::string m = "{" + pressure_text("10", "3", "null", "50") + "}";
  const auto shown = [&](const std::string& target) {
    return boost::json::serialize(object_of(world.call("GET", target)).at("pressure"));
  };
  EXPECT_EQ(shown("/v1/listings/l"), l);
  EXPECT_EQ(shown("/v1/listings/m"), m);
  EXPECT_FALSE(object_of(world.call("GET", "/v1/listings/n")).contains("pressure")) << "nothing is in force";
  EXPECT_EQ(pressures(world.call("GET", "/v1/listings?family=sword")), l + " " + m);
  EXPECT_EQ(pressures(world.call("GET", "/v1/listings?ids=m,l")), m + " " + l);
  EXPECT_EQ(pressures(world.call("GET", "/v1/players/seller/listings?limit=2")), l + " " + m);
  RawClient client(world.port());
  client.send("GET /v1/listings/l/stream HTTP/1.1\r\nHost: h\r\n\r\n");
  client.receive_until(R"("pressure":)" + l);
}

TEST(Pressure, ShowsInTheAnswersOfTrades) {
  MarketWorld world;
  world.put_policy("families/sword", R"({"buyouts_per_player_per_minute":3,"queue_max":50})");
  const std::string expected = "{" + pressure_text("null", "3", "null", "50") + "}";
  const auto shown = [](const ProbeAnswer& answer) {
    const boost::json::object body = object_of(answer);
    const boost::json::value* listing = body.if_contains("listing");
    return boost::json::serialize(listing != nullptr ? listing->at("pressure") : body.at("pressure"));
  };
  EXPECT_EQ(shown(world.list("l")), expected);
  EXPECT_EQ(shown(world.list("m")), expected);
  world.deposit("ann", 1000);
  EXPECT_EQ(shown(world.bid("l", "ann", 100)), expected);
  EXPECT_EQ(shown(world.buy("l", "ann")), expected);
  EXPECT_EQ(shown(world.cancel("m")), expected);
}

}  // namespace
}  // namespace hotrow::test
