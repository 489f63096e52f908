#include <gtest/gtest.h>

#include "tests/http/market_world.hpp"

// What people send to the market by mistake or on purpose. Case C64, C65: never a credit.
namespace hotrow::test {
namespace {

const std::vector<std::string> no_amounts = {"-1",
                                             "0",
                                             "9007199254740992",
                                             "9223372036854775808",
                                             "1.0",
                                             "1e3",
                                             "\"1\"",
                                             "true",
                                             "null",
                                             "[1]",
                                             "{}",
                                             "-9223372036854775808",
                                             "0.1",
                                             "\"\"",
                                             "18446744073709551616"};

struct Call {
  std::string target;
  std::string before;  ///< The body around one amount.
  std::string after;
  std::string field;
};

const std::vector<Call> calls_with_amounts = {
    {"/v1/players/a/wallet/deposits", R"({"amount":)", "}", "amount"},
    {"/v1/players/a/wallet/withdrawals", R"({"amount":)", "}", "amount"},
    {"/v1/guilds/a/wallet/deposits", R"({"amount":)", "}", "amount"},
    {"/v1/guilds/a/wallet/withdrawals", R"({"amount":)", "}", "amount"},
    {"/v1/transfers", R"({"from":"player:a","to":"player:b","amount":)", "}", "amount"},
    {"/v1/listings/l/bids", R"({"bidder_id":"a","amount":)", "}", "amount"},
    {"/v1/listings", R"({"seller_id":"s","item_id":"i","duration_seconds":60,"start_price":)", "}",
     "start_price"},
    {"/v1/listings", R"({"seller_id":"s","item_id":"i","start_price":5,"duration_seconds":)", "}",
     "duration_seconds"},
};

TEST(MarketInput, AnAmountIsAnIntegerFromOneUpWrittenAsOne_C64_C65) {
  MarketWorld world;
  for (const Call& call : calls_with_amounts) {
    for (const std::string& amount : no_amounts) {
      const ProbeAnswer answer = world.post(call.target, call.before + amount + call.after);
      EXPECT_EQ(answer.status, 422) << call.target << " " << amount << " " << answer.body;
      const std::string fields = error_fields(answer);
      // A duration that is null is one that was left out.
      const bool is_absent = amount == "null" && call.field == "duration_seconds";
      EXPECT_EQ(fields, is_absent ? "ends_at" : call.field) << call.target << " " << amount;
    }
  }
  EXPECT_EQ(world.gold("a"), "0/0");
}

TEST(MarketInput, OptionalPricesAreAmountsOrAbsent) {
  MarketWorld world;
  for (const std::string member : {"buyout_price", "min_increment"}) {
    for (const std::string& amount : no_amounts) {
      if (amount == "null") continue;
      const ProbeAnswer answer = world.post(
          "/v1/listings", R"({"seller_id":"s","item_id":"i","start_price":5,"duration_seconds":60,")" +
                              member + "\":" + amount + "}");
      EXPECT_EQ(error_fields(answer), member) << amount;
    }
  }
  for (const std::string& amount : no_amounts) {
    if (amount == "null") continue;
    EXPECT_EQ(error_fields(
                  world.post("/v1/listings/l/buyout", R"({"buyer_id":"a","expected_price":)" + amount + "}")),
              "expected_price")
        << amount;
  }
}

TEST(MarketInput, AMisspeltMemberIsNeverLeftOut) {
  MarketWorld world;
  for (
      const auto& [target, body, field] : std::vector<std::tuple<std::string, std::string, std::string>>{
          {"/v1/listings",
           R"({"seller_id":"s","item_id":"i","start_price":5,"duration_seconds":60,"buyout_prize":9})",
           "buyout_prize"},
          {"/v1/listings",
           R"({"seller_id":"s","item_id":"i","start_price":5,"duration_seconds":60,"accepts_reserved":true})",
           "accepts_reserved"},
          {"/v1/listings/l/bids", R"({"bidder_id":"a","amount":1,"guild":{"id":"g","amount":1}})", "guild"},
          {"/v1/listings/l/bids", R"({"bidder_id":"a","amount":1,"reservation_id":"r"})", "reservation_id"},
          {"/v1/listings/l/buyout", R"({"buyer_id":"a","guild":{"id":"g","amount":1}})", "guild"},
          {"/v1/listings/l/buyout", R"({"buyer_id":"a","price":5})", "price"},
          {"/v1/players/a/wallet/deposits", R"({"amount":1,"externalId":"x"})", "externalId"},
          {"/v1/transfers", R"({"from":"player:a","to":"player:b","amount":1,"fee":1})", "fee"}}) {
    const ProbeAnswer answer = world.post(target, body);
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_EQ(error_fields(answer), field) << body;
  }
}

TEST(MarketInput, EverythingThatIsWrongWithAListingIsToldAtOnce) {
  MarketWorld world;
  const auto fields = [&](const std::string& body) { return error_fields(world.post("/v1/listings", body)); };
  EXPECT_EQ(fields("{}"), "seller_id item_id start_price ends_at");
  EXPECT_EQ(
      fields(R"({"id":"","seller_id":5,"item_id":"i","item":{"id":"i"},"currency":"Gold","start_price":9,)"
             R"("buyout_price":8,"min_increment":10,"ends_at":"2026-06-02","duration_seconds":2592001,)"
             R"("anti_snipe":{"window_seconds":10,"extend_seconds":11,"max_extensions":101},)"
             R"("on_close":"heaven"})"),
      "id seller_id item_id item.family currency ends_at duration_seconds ends_at on_close buyout_price "
      "min_increment anti_snipe.extend_seconds anti_snipe.max_extensions");
  EXPECT_EQ(fields(R"({"seller_id":"s","item_id":"i","start_price":"9","buyout_price":8,"min_increment":10,)"
                   R"("duration_seconds":60,"anti_snipe":{"window_seconds":0}})"),
            "start_price anti_snipe.window_seconds anti_snipe.extend_seconds anti_snipe.max_extensions")
      << "what could not be read makes no further errors";
}

TEST(MarketInput, EndsAreJudgedByTheStoresClock) {
  MarketWorld world;
  world.deposit("s", 10);
  const auto fields = [&](const std::string& members) {
    return error_fields(
        world.post("/v1/listings",
                   R"({"seller_id":"s","item":{"id":"i","family":"f"},"start_price":9,)" + members + "}"));
  };
  EXPECT_EQ(fields(R"("ends_at":"2026-06-01T00:00:00.999999Z")"), "ends_at");
  EXPECT_EQ(fields(R"("ends_at":"2020-06-01T00:00:00Z")"), "ends_at");
  EXPECT_EQ(fields(R"("ends_at":"2026-07-01T00:00:00.000001Z")"), "ends_at");
  EXPECT_EQ(fields(R"("ends_at":"2026-06-02T00:00:00")"), "ends_at") << "no offset, so no end";
  EXPECT_EQ(fields(R"("duration_seconds":59,"anti_snipe":)"
                   R"({"window_seconds":30,"extend_seconds":30,"max_extensions":1})"),
            "anti_snipe.window_seconds");
  EXPECT_EQ(fields(R"("ends_at":"2026-07-01T00:00:00Z")"), "");
}

TEST(MarketInput, AttributesAreAnyObjectOfBoundedSize) {
  MarketWorld world;
  const auto put = [&](const std::string& id, const std::string& attributes) {
    return world.call("PUT", "/v1/items/" + id,
                      R"({"owner":"player:a","family":"f","attributes":)" + attributes + "}");
  };
  EXPECT_EQ(error_fields(put("i", "[]")), "attributes");
  EXPECT_EQ(error_fields(put("i", "\"x\"")), "attributes");
  EXPECT_EQ(error_fields(put("i", R"({"x":")" + std::string(16 * 1024 - 7, 'x') + "\"}")), "attributes");
  EXPECT_EQ(put("i", R"({"x":")" + std::string(16 * 1024 - 8, 'x') + "\"}").status, 201);
  const ProbeAnswer odd = put("j", R"({ "\u0000":"\ud83c\udf89", "n":1.50, "big":9223372036854775807 })");
  EXPECT_EQ(odd.status, 201);
  EXPECT_EQ(put("j", R"({"big":9223372036854775807,"n":1.5,"\u0000":"🎉"})").status, 200)
      << "the same, written otherwise";
  EXPECT_EQ(problem_code(put("j", R"({"big":9223372036854775806,"n":1.5,"\u0000":"🎉"})")), "item_exists");
}

TEST(MarketInput, IdsAreIds) {
  MarketWorld world;
  for (const std::string& id : {std::string("\"\""), std::string("5"), std::string("null"),
                                "\"" + std::string(129, 'x') + "\"", std::string("\"a\\u0000b\"")}) {
    EXPECT_EQ(error_fields(world.post("/v1/listings/l/bids", R"({"amount":1,"bidder_id":)" + id + "}")),
              "bidder_id")
        << id;
    EXPECT_EQ(error_fields(world.call("PUT", "/v1/items/i", R"({"owner":"player:a","family":)" + id + "}")),
              "family")
        << id;
  }
  for (const std::string target :
       {"/v1/players/%00/wallet", "/v1/listings/%ff", "/v1/items/", "/v1/listings//bids",
        "/v1/guilds//wallet/ledger", "/v1/listings/%zz/stream"}) {
    EXPECT_EQ(problem_code(world.call("GET", target)), "invalid_path") << target;
  }
  EXPECT_EQ(problem_code(world.post("/v1/listings//bids", R"({"bidder_id":"a","amount":1})")),
            "invalid_path");
}

TEST(MarketInput, EveryNameIsItselfInListingsAndBids) {
  MarketWorld world;
  for (const std::string name :
       {"guild:5", "player:", "house", "outside", "a|b", "\"q\"", "🎉", "ids,with,commas", "../x"}) {
    world.deposit("ann " + name, 1000);
    ASSERT_EQ(world.list(name, name).status, 201) << name;
    const ProbeAnswer placed = world.bid(name, "ann " + name, 100);
    ASSERT_EQ(placed.status, 201) << placed.body;
    EXPECT_EQ(text_member(object_of(placed).at("listing").as_object(), "seller_id"), name);
    EXPECT_EQ(problem_code(world.bid(name, name, 200)), "own_listing");
    ASSERT_EQ(world.buy(name, "ann " + name).status, 200) << name;
    EXPECT_EQ(world.gold(name), "575/0") << name;
  }
}

TEST(MarketInput, CallsThatMoveSomethingNeedAnIdempotencyKey) {
  MarketWorld world;
  for (const std::string target :
       {"/v1/players/a/wallet/deposits", "/v1/players/a/wallet/withdrawals", "/v1/guilds/a/wallet/deposits",
        "/v1/guilds/a/wallet/withdrawals", "/v1/transfers", "/v1/items/i/withdrawals", "/v1/listings",
        "/v1/listings/l/bids", "/v1/listings/l/buyout", "/v1/listings/l/cancel"}) {
    const ProbeAnswer without = world.call("POST", target, "{}");
    EXPECT_EQ(without.status, 400) << target;
    EXPECT_EQ(problem_code(without), "idempotency_key_missing") << target;
    EXPECT_EQ(problem_code(world.call("POST", target, "{}", {{"Idempotency-Key", "a b"}})),
              "idempotency_key_invalid")
        << target;
    EXPECT_EQ(problem_code(world.post(target, "[]")), "invalid_json") << target;
  }
}

TEST(MarketInput, AKeyBelongsToWhoActs) {
  MarketWorld world;
  const ProbeHeaders key = {{"Idempotency-Key", "k"}};
  const std::string one = R"({"amount":1})";
  for (const std::string target :
       {"/v1/players/5/wallet/deposits", "/v1/guilds/5/wallet/deposits",
        "/v1/players/guild:5/wallet/deposits", "/v1/players/player:5/wallet/deposits"}) {
    const ProbeAnswer answer = world.post(target, one, key);
    EXPECT_EQ(answer.status, 201) << target;
    EXPECT_EQ(answer.header("idempotency-replayed"), "") << target;
    EXPECT_EQ(world.post(target, one, key).header("idempotency-replayed"), "true") << target;
  }
  const ProbeAnswer other =
      world.post("/v1/transfers", R"({"from":"player:5","to":"guild:5","amount":1})", key);
  EXPECT_EQ(problem_code(other), "idempotency_key_reused") << "the same player in another call";
}

}  // namespace
}  // namespace hotrow::test
