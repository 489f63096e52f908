#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/store/market_invariants.hpp"
#include "tests/http/market_world.hpp"

// Quotes, the house, the audit.
namespace hotrow::test {
namespace {

// Case C68.
TEST(Quote, IsWhatIsHeldAndCut_C68) {
  WorldOptions options;
  options.server.rates = {.deposit_bps = 250, .deposit_min = 3, .cut_bps = 1000, .cut_min = 7};
  MarketWorld world(options);
  const ProbeAnswer quote = world.call("GET", "/v1/quotes/listing?start_price=333&buyout_price=999");
  EXPECT_EQ(quote.body, R"({"currency":"gold","start_price":333,"buyout_price":999,"deposit":8,)"
                        R"("deposit_bps":250,"deposit_min":3,"cut_bps":1000,"cut_min":7,)"
                        R"("at_start_price":{"price":333,"cut":33,"seller_part":300},)"
                        R"("at_buyout_price":{"price":999,"cut":99,"seller_part":900}})");
  world.deposit("seller", 8);
  world.deposit("ann", 999);
  const ProbeAnswer created = world.post(
      "/v1/listings", R"({"id":"l","seller_id":"seller","item":{"id":"i","family":"f"},"start_price":333,)"
                      R"("buyout_price":999,"duration_seconds":60})");
  EXPECT_EQ(integer_member(object_of(created), "deposit"), 8);
  EXPECT_EQ(world.gold("seller"), "0/8");
  world.buy("l", "ann");
  EXPECT_EQ(world.gold("seller"), "908/0");
}

TEST(Quote, TakesPricesAsListingsDo) {
  MarketWorld world;
  for (const std::string query :
       {"", "start_price=0", "start_price=-1", "start_price=1.0", "start_price=9007199254740992",
        "start_price=5&buyout_price=4", "start_price=5&buyout=9", "start_price=5&currency=Gold"}) {
    EXPECT_EQ(problem_code(world.call("GET", "/v1/quotes/listing?" + query)), "invalid_query") << query;
  }
  const boost::json::object largest =
      object_of(world.call("GET", "/v1/quotes/listing?start_price=9007199254740991"));
  EXPECT_EQ(integer_member(largest, "deposit"), 90071992547409);
  EXPECT_TRUE(largest.at("at_buyout_price").is_null());
}

TEST(House, HasWhatItCutAndKeptPerCurrency) {
  MarketWorld world;
  EXPECT_EQ(world.call("GET", "/v1/house").body, R"({"items":[],"next_cursor":null})");
  world.list("l");
  world.deposit("ann", 500);
  world.buy("l", "ann");
  world.list("m");
  world.cancel("m");
  EXPECT_EQ(world.call("GET", "/v1/house").body,
            R"({"items":[{"currency":"gold","cut":25,"deposits_kept":1}],"next_cursor":null})");
}

TEST(StoreAudit, CountsEveryInvariant) {
  MarketWorld world;
  world.put_promotion("p");
  world.enter("p", "u");
  world.list("l");
  world.deposit("ann", 500);
  world.bid("l", "ann", 100);
  world.buy("l", "ann");
  const boost::json::object report = object_of(world.call("GET", "/v1/audit"));
  EXPECT_TRUE(report.at("ok").as_bool()) << boost::json::serialize(report);
  EXPECT_EQ(integer_member(report, "promotions"), 1);
  const boost::json::array& checks = report.at("invariants").as_array();
  ASSERT_EQ(checks.size(), market_invariants().size());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    EXPECT_EQ(text_member(checks[i].as_object(), "name"), market_invariants()[i].name);
    EXPECT_EQ(integer_member(checks[i].as_object(), "violations"), 0);
  }
}

TEST(StoreAudit, TheNextMayBeginOnceOneIsAnswered) {
  MarketWorld world;
  world.put_promotion("p");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(world.call("GET", "/v1/audit").status, 200) << i;
    ASSERT_EQ(world.call("GET", "/v1/promotions/p/audit").status, 200) << i;
  }
}

/// The path with "x" for every parameter.
std::string some_path(std::string path) {
  for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
    path.replace(at, path.find('}') + 1 - at, "x");
  }
  return path;
}

/// Names that a body was refused for because nobody knows them.
std::string unknown_members(const ProbeAnswer& answer) {
  std::string names;
  const boost::json::object problem = object_of(answer);
  if (!problem.contains("errors")) return answer.body;
  for (const boost::json::value& error : problem.at("errors").as_array()) {
    if (error.at("message").as_string() != "is not a known member") continue;
    names += std::string(error.at("field").as_string()) + " ";
  }
  return names;
}

TEST(OpenApi, NamesExactlyTheMembersThatAreRead) {
  MarketWorld world;
  const boost::json::value document = boost::json::parse(world.call("GET", "/openapi.json").body);
  int bodies = 0;
  for (const auto& path : document.at("paths").as_object()) {
    for (const auto& [method, operation] : path.value().as_object()) {
      const boost::json::value* request = operation.as_object().if_contains("requestBody");
      if (request == nullptr) continue;
      ++bodies;
      const boost::json::value& schema = request->at("content").at("application/json").at("schema");
      const std::string name(schema.at("$ref").as_string().subview(21));
      const boost::json::object& described = document.at("components").at("schemas").at(name).as_object();
      EXPECT_EQ(described.at("additionalProperties"), boost::json::value(false)) << name;
      boost::json::object body{{"no_such_member", 1}};
      for (const auto& member : described.at("properties").as_object()) body[member.key()] = nullptr;
      const std::string verb = method == "put" ? "PUT" : "POST";
      const ProbeAnswer answer =
          world.call(verb, some_path(path.key()), boost::json::serialize(body), {{"Idempotency-Key", "k"}});
      EXPECT_EQ(unknown_members(answer), "no_such_member ") << name;
    }
  }
  EXPECT_GE(bodies, 22);
}

TEST(OpenApi, SaysWhichCallsNeedAnIdempotencyKey) {
  MarketWorld world;
  const boost::json::value document = boost::json::parse(world.call("GET", "/openapi.json").body);
  for (const auto& path : document.at("paths").as_object()) {
    const boost::json::value* operation = path.value().as_object().if_contains("post");
    if (operation == nullptr) continue;
    bool is_required = false;
    for (const boost::json::value& parameter : operation->at("parameters").as_array()) {
      if (parameter.at("name") == "Idempotency-Key") is_required = parameter.as_object().contains("required");
    }
    const ProbeAnswer answer = world.call("POST", some_path(path.key()), R"({"no_such_member":1})");
    EXPECT_EQ(problem_code(answer), is_required ? "idempotency_key_missing" : "validation_failed")
        << path.key();
  }
}

}  // namespace
}  // namespace hotrow::test
