#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <thread>

#include "tests/http/http_world.hpp"

// The calls that change promotions.
namespace hotrow::test {
namespace {

using namespace std::chrono_literals;

const std::string reason = R"({"reason":"because"})";

TEST(PutPromotion, Creates201AndTheSameAgainIs200) {
  HttpWorld world;
  const ProbeAnswer created = world.put_promotion("p");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.header("etag"), "\"1\"");
  EXPECT_EQ(text_member(object_of(created), "state"), "open");
  const ProbeAnswer again = world.put_promotion("p");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.header("etag"), "\"1\"");
}

TEST(PutPromotion, WhatItAnswersIsWhatIsReadAfterwards) {
  HttpWorld world;
  const ProbeAnswer put = world.put_promotion(
      "p", R"(,"ends_at":"2026-07-01T00:00:00Z","prize":{"amount":1,"currency":"KRW"},"terms":"t")");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p").body, put.body);
}

TEST(PutPromotion, FromTheFirstEntryOnItIsFrozen) {
  HttpWorld world;
  world.put_promotion("p");
  world.enter("p", "u");
  const ProbeAnswer frozen = world.put_promotion("p", R"(,"max_entries":10)");
  EXPECT_EQ(frozen.status, 409);
  EXPECT_EQ(problem_code(frozen), "promotion_frozen");
}

TEST(PutPromotion, MovingTheEndNeedsTheVersionSeen) {
  HttpWorld world;
  world.put_promotion("p", R"(,"ends_at":"2026-07-01T00:00:00Z")");
  const std::string later = R"(,"ends_at":"2026-08-01T00:00:00Z","reason":"rain")";
  EXPECT_EQ(problem_code(world.put_promotion("p", later)), "precondition_required");
  const std::string body = R"({"title":"Grand opening","rule":{"kind":"nth","targets":[3]},)"
                           R"("starts_at":"2026-06-01T00:00:00Z")" +
                           later + "}";
  const ProbeAnswer stale = world.call("PUT", "/v1/promotions/p", body, {{"If-Match", "\"7\""}});
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(stale.header("etag"), "\"1\"");
  EXPECT_EQ(integer_member(object_of(stale).at("current").as_object(), "version"), 1);
  const ProbeAnswer moved = world.call("PUT", "/v1/promotions/p", body, {{"If-Match", "\"1\""}});
  EXPECT_EQ(moved.status, 200) << moved.body;
  EXPECT_EQ(moved.header("etag"), "\"2\"");
}

TEST(PutPromotion, IfMatchStarNeverCreates) {
  HttpWorld world;
  const std::string body =
      R"({"title":"T","rule":{"kind":"first","count":1},"starts_at":"2026-06-01T00:00:00Z"})";
  EXPECT_EQ(problem_code(world.call("PUT", "/v1/promotions/p", body, {{"If-Match", "*"}})),
            "precondition_failed");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p").status, 404);
  world.call("PUT", "/v1/promotions/p", body);
  EXPECT_EQ(world.call("PUT", "/v1/promotions/p", body, {{"If-Match", "*"}}).status, 200);
}

TEST(PutPromotion, ATargetBeyondTheLastEntryIsRefused) {
  HttpWorld world;
  const ProbeAnswer answer = world.put_promotion("p", R"(,"max_entries":2)");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(problem_code(answer), "target_unreachable");
  EXPECT_EQ(integer_member(object_of(answer), "last_target"), 3);
}

TEST(ChangePromotion, PauseResumeAndClose) {
  HttpWorld world;
  world.put_promotion("p");
  EXPECT_EQ(text_member(object_of(world.call("POST", "/v1/promotions/p/pause", reason)), "state"), "paused");
  EXPECT_EQ(problem_code(world.enter("p", "u")), "promotion_paused");
  EXPECT_EQ(text_member(object_of(world.call("POST", "/v1/promotions/p/resume", reason)), "state"), "open");
  EXPECT_EQ(world.enter("p", "u").status, 201);
  const ProbeAnswer closed = world.call("POST", "/v1/promotions/p/close", reason);
  EXPECT_EQ(text_member(object_of(closed), "closed_by"), "operator:dev");
  EXPECT_EQ(boost::json::serialize(object_of(closed).at("targets_unreached")), "[3]");
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/close", reason).status, 200) << "closing twice is harmless";
  EXPECT_EQ(problem_code(world.call("POST", "/v1/promotions/p/pause", reason)), "promotion_closed");
}

TEST(ChangePromotion, OfThousandsOfUnreachedTargetsTheEndTellsHowMany) {
  HttpWorld world;
  world.call("PUT", "/v1/promotions/p",
             R"({"title":"T","rule":{"kind":"every","interval":1,"winners":5000},)"
             R"("starts_at":"2026-06-01T00:00:00Z"})");
  world.enter("p", "u");
  world.call("POST", "/v1/promotions/p/close", reason);
  const boost::json::object closed = object_of(world.call("GET", "/v1/promotions/p"));
  EXPECT_EQ(closed.at("targets_unreached").as_array().size(), 1000U);
  EXPECT_EQ(integer_member(closed, "targets_unreached_total"), 4999);
}

TEST(ChangePromotion, NeedsAReasonAndThePresentVersion) {
  HttpWorld world;
  world.put_promotion("p");
  EXPECT_EQ(error_fields(world.call("POST", "/v1/promotions/p/pause", "{}")), "reason");
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/pause", reason, {{"If-Match", "\"2\""}}).status, 412);
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/pause", reason, {{"If-Match", "\"1\""}}).status, 200);
  EXPECT_EQ(problem_code(world.call("POST", "/v1/promotions/q/pause", reason)), "promotion_not_found");
}

TEST(EnterPromotion, ExactlyTheThirdWins) {
  HttpWorld world;
  world.put_promotion("p");
  for (int i = 1; i <= 5; ++i) {
    const ProbeAnswer answer = world.enter("p", "u" + std::to_string(i));
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(integer_member(object_of(answer), "ordinal"), i);
    EXPECT_EQ(object_of(answer).at("winner").as_bool(), i == 3);
  }
}

TEST(EnterPromotion, ARepeatIsToldTheSamePlaceWhateverHasHappenedSince) {
  HttpWorld world;
  world.put_promotion("p");
  world.enter("p", "u");
  for (const std::string action : {"", "pause", "resume", "close"}) {
    if (!action.empty()) world.call("POST", "/v1/promotions/p/" + action, reason);
    const ProbeAnswer again = world.enter("p", "u");
    EXPECT_EQ(again.status, 200) << action;
    EXPECT_EQ(integer_member(object_of(again), "ordinal"), 1) << action;
    EXPECT_TRUE(object_of(again).at("already").as_bool()) << action;
  }
}

/// A promotion for a minute; the tests' clock stands at 00:00:00.
std::string from(const std::string& starts_at) {
  return R"({"title":"T","rule":{"kind":"nth","targets":[3]},"starts_at":"2026-06-01T)" + starts_at +
         R"(Z","ends_at":"2026-06-01T00:01:00Z"})";
}

TEST(EnterPromotion, RefusalsConsumeNoNumber) {
  HttpWorld world;
  world.call("PUT", "/v1/promotions/p", from("00:00:10"));
  const ProbeAnswer early = world.enter("p", "early");
  EXPECT_EQ(early.status, 409);
  EXPECT_EQ(problem_code(early), "promotion_not_started");
  EXPECT_EQ(text_member(object_of(early), "starts_at"), "2026-06-01T00:00:10.000000Z");
  EXPECT_GE(std::stoi("0" + early.header("retry-after")), 10);
  EXPECT_LE(std::stoi("0" + early.header("retry-after")), 13);
  world.call("PUT", "/v1/promotions/p", from("00:00:00"));
  EXPECT_EQ(integer_member(object_of(world.enter("p", "first")), "ordinal"), 1);
  world.move_clock(60s);
  EXPECT_EQ(problem_code(world.enter("p", "late")), "promotion_closed");
  EXPECT_EQ(problem_code(world.enter("q", "u")), "promotion_not_found");
}

TEST(EnterPromotion, SoldOutIsNotClosed) {
  HttpWorld world;
  world.call("PUT", "/v1/promotions/p",
             R"({"title":"T","rule":{"kind":"first","count":1},"starts_at":"2026-06-01T00:00:00Z"})");
  EXPECT_EQ(world.enter("p", "a").status, 201);
  EXPECT_EQ(problem_code(world.enter("p", "b")), "sold_out");
  EXPECT_EQ(text_member(object_of(world.call("GET", "/v1/promotions/p")), "state"), "open");
}

TEST(EnterPromotion, AUserWhomThePatternRefusesIs422) {
  HttpWorld world;
  world.put_promotion("p", R"(,"user_id_pattern":"[0-9]+")");
  EXPECT_EQ(error_fields(world.enter("p", "abc")), "user_id");
  EXPECT_EQ(world.enter("p", "123").status, 201);
}

// Case E01.
TEST(EnterPromotion, TwinsUnderOneKeyGetOneAnswer) {
  HttpWorld world;
  world.put_promotion("p");
  std::vector<std::string> bodies(32);
  {
    std::vector<std::jthread> clients;
    for (std::string& body : bodies) {
      clients.emplace_back([&] { body = world.enter("p", "u", {{"Idempotency-Key", "k"}}).body; });
    }
  }
  for (const std::string& body : bodies) EXPECT_EQ(body, bodies.front());
  EXPECT_EQ(integer_member(object_of(world.call("GET", "/v1/promotions/p")), "entries"), 1);
}

TEST(IdempotencyKey, TheSameRequestIsToldTheSameAgain) {
  HttpWorld world;
  world.put_promotion("p");
  const ProbeAnswer first = world.enter("p", "u", {{"Idempotency-Key", "k1"}});
  EXPECT_EQ(first.header("idempotency-replayed"), "");
  world.move_clock(5s);
  const ProbeAnswer again = world.call("POST", "/v1/promotions/%70/entries", "{ \"user_id\" : \"\\u0075\" }",
                                       {{"Idempotency-Key", "\"k1\""}});
  EXPECT_EQ(again.status, first.status);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotency-replayed"), "true");
}

TEST(IdempotencyKey, AStoredRefusalIsToldAgainByteForByte) {
  HttpWorld world;
  world.put_promotion("p");
  world.call("POST", "/v1/promotions/p/close", reason);
  const ProbeAnswer first = world.enter("p", "u", {{"Idempotency-Key", "k"}, {"X-Request-Id", "one"}});
  const ProbeAnswer again = world.enter("p", "u", {{"Idempotency-Key", "k"}, {"X-Request-Id", "two"}});
  EXPECT_EQ(first.status, 409);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("x-request-id"), "two");
  EXPECT_EQ(again.header("idempotency-replayed"), "true");
}

// Case E04.
TEST(IdempotencyKey, AnotherRequestUnderItIs422) {
  HttpWorld world;
  world.put_promotion("p");
  world.put_promotion("q");
  const std::string batch = R"({"user_ids":["a"]})";
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/entries/batch", batch, {{"Idempotency-Key", "k"}}).status,
            200);
  for (const auto& [target, body] : std::vector<std::pair<std::string, std::string>>{
           {"/v1/promotions/p/entries/batch", R"({"user_ids":["b"]})"},
           {"/v1/promotions/q/entries/batch", batch},
           {"/v1/promotions/p/pause", reason}}) {
    const ProbeAnswer other = world.call("POST", target, body, {{"Idempotency-Key", "k"}});
    EXPECT_EQ(other.status, 422) << target;
    EXPECT_EQ(problem_code(other), "idempotency_key_reused");
  }
  EXPECT_EQ(integer_member(object_of(world.call("GET", "/v1/promotions/p")), "entries"), 1);
}

TEST(IdempotencyKey, OneUserCannotBurnAnothersKey) {
  HttpWorld world;
  world.put_promotion("p");
  EXPECT_EQ(world.enter("p", "a", {{"Idempotency-Key", "k"}}).status, 201);
  EXPECT_EQ(world.enter("p", "b", {{"Idempotency-Key", "k"}}).status, 201);
}

TEST(IdempotencyKey, WhatMaySucceedLaterIsNotStored) {
  HttpWorld world;
  world.call("PUT", "/v1/promotions/p", from("00:00:10"));
  EXPECT_EQ(world.enter("p", "u", {{"Idempotency-Key", "k"}}).status, 409);
  world.call("PUT", "/v1/promotions/p", from("00:00:00"));
  EXPECT_EQ(world.enter("p", "u", {{"Idempotency-Key", "k"}}).status, 201);
}

TEST(EnterPromotionBatch, AnswersEachInTheOrderGiven) {
  HttpWorld world;
  world.put_promotion("p", R"(,"max_entries":4)");
  world.enter("p", "early");
  const ProbeAnswer answer =
      world.call("POST", "/v1/promotions/p/entries/batch", R"({"user_ids":["a","early","b","a","c","d"]})",
                 {{"Idempotency-Key", "k"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  std::string told;
  const boost::json::object body = object_of(answer);
  for (const boost::json::value& result : body.at("results").as_array()) {
    const boost::json::object& one = result.as_object();
    told += std::string(one.at("user_id").as_string()) + ":";
    told += one.contains("problem") ? std::string(one.at("problem").at("code").as_string())
                                    : std::to_string(one.at("ordinal").as_int64());
    told += " ";
  }
  EXPECT_EQ(told, "a:2 early:1 b:3 a:2 c:4 d:sold_out ");
  const ProbeAnswer replay =
      world.call("POST", "/v1/promotions/p/entries/batch", R"({"user_ids":["a","early","b","a","c","d"]})",
                 {{"Idempotency-Key", "k"}});
  EXPECT_EQ(replay.body, answer.body);
}

TEST(Access, RolesAreEnforced) {
  HttpWorld world({.with_keys = true});
  const auto with = [](const std::string& key) { return ProbeHeaders{{"Authorization", "Bearer " + key}}; };
  const std::string body =
      R"({"title":"T","rule":{"kind":"first","count":1},"starts_at":"2026-06-01T00:00:00Z"})";
  const ProbeAnswer nobody = world.call("PUT", "/v1/promotions/p", body);
  EXPECT_EQ(nobody.status, 401);
  EXPECT_TRUE(nobody.header("www-authenticate").starts_with("Bearer"));
  EXPECT_EQ(world.call("PUT", "/v1/promotions/p", body, with("wrong")).status, 401);
  EXPECT_EQ(world.call("PUT", "/v1/promotions/p", body, {{"Authorization", "Basic operator-key"}}).status,
            401);
  EXPECT_EQ(problem_code(world.call("PUT", "/v1/promotions/p", body, with("service-key"))), "forbidden");
  EXPECT_EQ(world.call("PUT", "/v1/promotions/p", body, with("operator-key")).status, 201);
  EXPECT_EQ(world.call("GET", "/v1/promotions/p", "", with("reader-key")).status, 200);
  EXPECT_EQ(problem_code(world.enter("p", "u", with("reader-key"))), "forbidden");
  EXPECT_EQ(world.enter("p", "u", with("service-key")).status, 201);
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/export", "", with("service-key")).status, 403);
  EXPECT_EQ(world.call("GET", "/metrics").status, 401);
  EXPECT_EQ(world.call("GET", "/metrics", "", with("reader-key")).status, 200);
  for (const std::string open : {"/", "/healthz", "/readyz", "/openapi.json", "/problems/busy"}) {
    EXPECT_EQ(world.call("GET", open).status, 200) << open;
  }
}

TEST(Access, KeysOfDifferentOwnersDoNotShareIdempotencyKeys) {
  HttpWorld world({.with_keys = true});
  const ProbeHeaders operator_key = {{"Authorization", "Bearer operator-key"}, {"Idempotency-Key", "k"}};
  const ProbeHeaders service_key = {{"Authorization", "Bearer service-key"}, {"Idempotency-Key", "k"}};
  world.call("PUT", "/v1/promotions/p",
             R"({"title":"T","rule":{"kind":"nth","targets":[1]},"starts_at":"2026-06-01T00:00:00Z"})",
             operator_key);
  EXPECT_EQ(world.enter("p", "u", service_key).status, 201);
  const ProbeAnswer other = world.enter("p", "u", operator_key);
  EXPECT_EQ(other.status, 200);
  EXPECT_EQ(other.header("idempotency-replayed"), "");
}

TEST(RequestId, IsEchoedOrMade) {
  HttpWorld world;
  EXPECT_EQ(world.call("GET", "/healthz", "", {{"X-Request-Id", "mine-1"}}).header("x-request-id"), "mine-1");
  const std::string made =
      world.call("GET", "/healthz", "", {{"X-Request-Id", "not one"}}).header("x-request-id");
  EXPECT_FALSE(made.empty());
  EXPECT_NE(made, "not one");
  EXPECT_NE(world.call("GET", "/healthz").header("x-request-id"), made);
}

TEST(Observer, IsToldOfEveryRequest) {
  HttpWorld world({.with_keys = true});
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  world.call("GET", "/v1/promotions/p", "",
             {{"Authorization", "Bearer reader-key"}, {"X-Request-Id", "r1"}, {"traceparent", trace}});
  world.call("GET", "/nowhere");
  const auto seen = world.observer().seen();
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[0].route, "/v1/promotions/{promotion_id}");
  EXPECT_EQ(seen[0].method, "GET");
  EXPECT_EQ(seen[0].status, 404);
  EXPECT_EQ(seen[0].code, "promotion_not_found");
  EXPECT_EQ(seen[0].request_id, "r1");
  EXPECT_EQ(seen[0].traceparent, trace);
  EXPECT_EQ(seen[0].api_key, "bob");
  EXPECT_EQ(seen.back().route, "");
}

}  // namespace
}  // namespace hotrow::test
