#include <gtest/gtest.h>

#include "hotrow/base/hash.hpp"
#include "tests/http/http_world.hpp"

// Server-Sent Events.
namespace hotrow::test {
namespace {

std::string stream_text(const std::string& promotion, const std::string& headers = "") {
  return "GET /v1/promotions/" + promotion + "/stream HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PromotionStream, BeginsWithASnapshotAndTellsWhatFollows) {
  HttpWorld world;
  world.put_promotion("p");
  world.enter("p", "u1");
  RawClient client(world.port());
  client.send(stream_text("p"));
  std::string text = client.receive_until("event: snapshot");
  EXPECT_NE(text.find("Content-Type: text/event-stream"), std::string::npos);
  EXPECT_NE(text.find("X-Accel-Buffering: no"), std::string::npos);
  world.enter("p", "u2");
  world.enter("p", "u3");
  text = client.receive_until("event: winner");
  EXPECT_NE(text.find("id: 2\nevent: winner\ndata: {\"promotion_id\":\"p\",\"ordinal\":3,\"user_id\":\"u3\""),
            std::string::npos)
      << text;
  client.receive_until("\"entries\":3,\"winner_count\":1,\"state\":\"open\"");
  world.call("POST", "/v1/promotions/p/close", R"({"reason":"enough"})");
  text = client.receive_until("event: closed");
  EXPECT_NE(text.find("id: 3\nevent: closed\n"), std::string::npos) << text;
}

TEST(PromotionStream, AnEventIsToldOnceToEachListener) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient first(world.port());
  first.send(stream_text("p"));
  first.receive_until("event: snapshot");
  for (const std::string user : {"a", "b", "c"}) world.enter("p", user);
  RawClient second(world.port());
  second.send(stream_text("p"));
  const std::string snapshot = second.receive_until("event: snapshot");
  EXPECT_NE(snapshot.find("\"winner_count\":1"), std::string::npos) << "the snapshot has it already";
  world.call("POST", "/v1/promotions/p/close", R"({"reason":"enough"})");
  EXPECT_EQ(count_of(first.receive_until("event: closed"), "event: winner"), 1U);
  EXPECT_EQ(count_of(second.receive_until("event: closed"), "event: winner"), 0U);
}

TEST(PromotionStream, ResumesBehindTheLastEventSeen) {
  HttpWorld world;
  world.call(
      "PUT", "/v1/promotions/p",
      R"({"title":"T","rule":{"kind":"every","interval":1,"winners":9},"starts_at":"2026-06-01T00:00:00Z"})");
  for (const std::string user : {"a", "b", "c", "d"}) world.enter("p", user);  // Events 2 to 5.
  RawClient client(world.port());
  client.send(stream_text("p", "Last-Event-ID: 3\r\n"));
  const std::string text = client.receive_until("id: 5\n");
  EXPECT_EQ(text.find("id: 3\n"), std::string::npos);
  EXPECT_LT(text.find("id: 4\nevent: winner"), text.find("id: 5\nevent: winner"));
  RawClient wrong(world.port());
  wrong.send(stream_text("p", "Last-Event-ID: x\r\n"));
  EXPECT_EQ(wrong.receive().status, 400);
}

TEST(PromotionStream, IsRefusedForAPromotionThatIsNotThere) {
  HttpWorld world;
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/stream")), "promotion_not_found");
}

TEST(PromotionStream, IsBounded) {
  WorldOptions options;
  options.server.limits.streams_max = 1;
  HttpWorld world(options);
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(stream_text("p"));
  client.receive_until("event: snapshot");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/stream")), "busy");
}

TEST(PromotionStream, EndsWholeWhenTheServerStops) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(stream_text("p"));
  client.receive_until("event: snapshot");
  world.server().stop();
  EXPECT_TRUE(client.receive_until("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n"));
}

TEST(PromotionStream, EndsWhenItsKeyIsTakenAway) {
  HttpWorld world({.with_keys = true});
  world.call("PUT", "/v1/promotions/p",
             R"({"title":"T","rule":{"kind":"first","count":9},"starts_at":"2026-06-01T00:00:00Z"})",
             {{"Authorization", "Bearer operator-key"}});
  RawClient revoked(world.port());
  RawClient kept(world.port());
  revoked.send(stream_text("p", "Authorization: Bearer reader-key\r\n"));
  kept.send(stream_text("p", "Authorization: Bearer service-key\r\n"));
  revoked.receive_until("event: snapshot");
  kept.receive_until("event: snapshot");
  const auto loaded_at = std::chrono::steady_clock::now();
  world.load_keys("renamed service " + to_hex(sha256("service-key")));
  const std::string text = revoked.receive_to_the_end();
  EXPECT_LT(std::chrono::steady_clock::now() - loaded_at, std::chrono::seconds(1));
  EXPECT_NE(text.find(": the API key is not valid any more\n\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\n0\r\n\r\n")) << text;
  world.call("POST", "/v1/promotions/p/entries", R"({"user_id":"u"})",
             {{"Authorization", "Bearer service-key"}});
  kept.receive_until("\"entries\":1");
}

TEST(PromotionStream, HeadDoesNotListen) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(
      "HEAD /v1/promotions/p/stream HTTP/1.1\r\nHost: h\r\n\r\nGET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string text = client.receive_until("{\"status\":\"ok\"}");
  EXPECT_EQ(text.find("snapshot"), std::string::npos);
}

}  // namespace
}  // namespace hotrow::test
