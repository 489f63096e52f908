#include <gtest/gtest.h>

#include "tests/http/market_world.hpp"

// If-Match and If-None-Match.
namespace hotrow::test {
namespace {

const std::string reason = R"({"reason":"because"})";
const std::string settings =
    R"({"title":"T","rule":{"kind":"first","count":1},"starts_at":"2026-06-01T00:00:00Z"})";

TEST(IfMatch, OfSeveralTagsAnyMayMatch) {
  HttpWorld world;
  world.put_promotion("p");
  const auto pause = [&](const std::string& tags) {
    return world.call("POST", "/v1/promotions/p/pause", reason, {{"If-Match", tags}}).status;
  };
  EXPECT_EQ(pause("\"6\", \"999\""), 412);
  EXPECT_EQ(pause("W/\"1\", \"999\""), 412) << "a weak tag never matches";
  EXPECT_EQ(pause("\"1\" \"2\""), 400);
  EXPECT_EQ(pause("\"6\", *"), 400);
  EXPECT_EQ(pause("\"6\",\t\"1\" ,"), 200);
}

TEST(IfNoneMatch, AStarOnlyEverCreates) {
  MarketWorld world;
  const ProbeHeaders only_create = {{"If-None-Match", "*"}};
  EXPECT_EQ(world.call("PUT", "/v1/promotions/p", settings, only_create).status, 201);
  const ProbeAnswer again = world.call("PUT", "/v1/promotions/p", settings, only_create);
  EXPECT_EQ(again.status, 412) << "also when nothing would change";
  EXPECT_EQ(problem_code(again), "precondition_failed");
  EXPECT_EQ(again.header("etag"), "\"1\"");
  EXPECT_EQ(text_member(object_of(again).at("current").as_object(), "id"), "p");

  const std::string item = R"({"family":"sword","owner":"player:anna"})";
  EXPECT_EQ(world.call("PUT", "/v1/items/i", item, only_create).status, 201);
  EXPECT_EQ(problem_code(world.call("PUT", "/v1/items/i", item, only_create)), "precondition_failed");
  EXPECT_EQ(world.call("PUT", "/v1/items/i", item).status, 200);
}

TEST(IfNoneMatch, OnAPutTakesNothingButAStar) {
  HttpWorld world;
  EXPECT_EQ(problem_code(world.call("PUT", "/v1/promotions/p", settings, {{"If-None-Match", "\"1\""}})),
            "invalid_header");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p").status, 404);
}

TEST(IfNoneMatch, WhoHasThePresentVersionIsToldSoWithoutABody) {
  MarketWorld world;
  world.put_promotion("p");
  world.list("l");
  world.deposit("anna", 5);
  for (const std::string target : {"/v1/promotions/p", "/v1/listings/l", "/v1/players/anna/wallet"}) {
    for (const std::string tags : {"\"1\"", "W/\"1\"", "\"7\", \"1\"", "*"}) {
      RawClient client(world.port());
      client.send(request_text("GET", target, "", {{"If-None-Match", tags}}) +
                  request_text("GET", "/healthz", "", {}));
      const ProbeAnswer same = client.receive();
      EXPECT_EQ(same.status, 304) << target << " " << tags;
      EXPECT_EQ(same.body, "");
      EXPECT_EQ(same.header("etag"), "\"1\"");
      EXPECT_EQ(same.header("content-length"), "");
      EXPECT_EQ(same.header("content-type"), "");
      EXPECT_EQ(client.receive().body, R"({"status":"ok"})") << "and the connection goes on";
    }
    const ProbeAnswer changed = world.call("GET", target, "", {{"If-None-Match", "\"2\""}});
    EXPECT_EQ(changed.status, 200) << target;
    EXPECT_EQ(changed.header("cache-control"), "no-store")
        << "a version says nothing of counters and clocks: no cache may ask by itself";
  }
  EXPECT_EQ(world.call("GET", "/v1/promotions/q", "", {{"If-None-Match", "*"}}).status, 404);
  EXPECT_EQ(world.call("GET", "/v1/promotions", "", {{"If-None-Match", "*"}}).status, 200) << "has no ETag";
}

}  // namespace
}  // namespace hotrow::test
