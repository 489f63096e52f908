#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "tests/http/http_world.hpp"

// GET /v1/events.
namespace hotrow::test {
namespace {

struct Page {
  std::vector<std::string> ids;
  std::string cursor;
};

Page page_of(const ProbeAnswer& answer) {
  Page page;
  const boost::json::object object = object_of(answer);
  for (const boost::json::value& event : object.at("items").as_array()) {
    page.ids.emplace_back(event.at("id").as_string());
  }
  page.cursor = text_member(object, "next_cursor");
  return page;
}

TEST(EventFeed, HasEveryCommittedEventOnce) {
  HttpWorld world;
  world.put_promotion("p");
  for (const std::string user : {"a", "b", "c"}) world.enter("p", user);
  world.call("POST", "/v1/promotions/p/close", R"({"reason":"r"})");
  const std::vector<std::string> expected = {"promotion:p:1", "promotion-winner:p:3", "promotion-closed:p"};
  EXPECT_EQ(page_of(world.call("GET", "/v1/events")).ids, expected);
  std::vector<std::string> walked;
  std::string cursor;
  for (;;) {
    const Page page =
        page_of(world.call("GET", "/v1/events?limit=1" + (cursor.empty() ? "" : "&after=" + cursor)));
    if (page.ids.empty()) break;
    walked.insert(walked.end(), page.ids.begin(), page.ids.end());
    cursor = page.cursor;
  }
  EXPECT_EQ(walked, expected);
}

TEST(EventFeed, EventsAreCloudEventsOfThisInstance) {
  HttpWorld world;
  world.put_promotion("p");
  const boost::json::value body = boost::json::parse(world.call("GET", "/v1/events").body);
  const boost::json::value& event = body.at("items").at(0);
  EXPECT_EQ(event.at("source"), "/hotrow/test");
  EXPECT_EQ(event.at("subject"), "promotion/p");
  EXPECT_EQ(event.at("sequence"), "00000000000000000001");
  EXPECT_EQ(world.call("GET", std::string(event.at("dataschema").as_string())).status, 200);
}

TEST(EventFeed, FiltersByTypeAndStillGoesOn) {
  HttpWorld world;
  world.put_promotion("p");
  for (const std::string user : {"a", "b", "c"}) world.enter("p", user);
  const Page page =
      page_of(world.call("GET", "/v1/events?types=promotion.winner_determined,promotion.closed"));
  EXPECT_EQ(page.ids, (std::vector<std::string>{"promotion-winner:p:3"}));
  world.call("POST", "/v1/promotions/p/pause", R"({"reason":"r"})");
  const Page next = page_of(world.call("GET", "/v1/events?types=promotion.closed&after=" + page.cursor));
  EXPECT_TRUE(next.ids.empty());
  EXPECT_NE(next.cursor, page.cursor) << "what did not match is passed";
}

TEST(EventFeed, ALongPollIsAnsweredByTheNextEvent) {
  HttpWorld world;
  world.put_promotion("p");
  const std::string cursor = page_of(world.call("GET", "/v1/events")).cursor;
  RawClient client(world.port());
  client.send("GET /v1/events?wait_s=30&types=promotion.closed&after=" + cursor +
              " HTTP/1.1\r\nHost: h\r\n\r\n");
  world.call("POST", "/v1/promotions/p/pause", R"({"reason":"r"})");
  world.call("POST", "/v1/promotions/p/close", R"({"reason":"r"})");
  EXPECT_EQ(page_of(client.receive()).ids, (std::vector<std::string>{"promotion-closed:p"}));
}

TEST(EventFeed, ALongPollEndsEmptyWhenItsTimeIsUp) {
  HttpWorld world;
  world.put_promotion("p");
  const std::string cursor = page_of(world.call("GET", "/v1/events")).cursor;
  const Page page = page_of(world.call("GET", "/v1/events?wait_s=1&after=" + cursor));
  EXPECT_TRUE(page.ids.empty());
  EXPECT_EQ(page.cursor, cursor);
}

TEST(EventFeed, ACursorOfAnotherStoreIsRefused) {
  WorldOptions options;
  options.server.instance_id = "another";
  HttpWorld other(options);
  HttpWorld world;
  for (HttpWorld* store : {&other, &world}) {
    for (const std::string id : {"p", "q", "r"}) store->put_promotion(id);
  }
  const std::string cursor = page_of(other.call("GET", "/v1/events?limit=2")).cursor;
  EXPECT_EQ(page_of(other.call("GET", "/v1/events?after=" + cursor)).ids.size(), 1U);
  EXPECT_EQ(problem_code(world.call("GET", "/v1/events?after=" + cursor)), "invalid_cursor");

  const std::string next = text_member(object_of(other.call("GET", "/v1/promotions?limit=1")), "next_cursor");
  EXPECT_EQ(other.call("GET", "/v1/promotions?cursor=" + next).status, 200);
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions?cursor=" + next)), "invalid_cursor");
}

TEST(EventFeed, ACursorBeyondTheEndHasExpired) {
  HttpWorld before;
  HttpWorld restored;
  for (HttpWorld* store : {&before, &restored}) store->put_promotion("p");
  const std::string at_the_end = page_of(before.call("GET", "/v1/events")).cursor;
  before.put_promotion("q");
  const std::string lost = page_of(before.call("GET", "/v1/events")).cursor;
  for (const std::string more : {"", "&wait_s=30", "&types=promotion.closed"}) {
    const ProbeAnswer answer = restored.call("GET", "/v1/events?after=" + lost + more);
    EXPECT_EQ(answer.status, 410) << more;
    EXPECT_EQ(problem_code(answer), "cursor_expired");
    const boost::json::object problem = object_of(answer);
    EXPECT_NE(text_member(problem, "detail").find("beyond the end"), std::string::npos);
    const std::string oldest = text_member(problem, "oldest_cursor");
    EXPECT_EQ(page_of(restored.call("GET", "/v1/events?after=" + oldest)).ids.size(), 1U);
  }
  EXPECT_EQ(page_of(restored.call("GET", "/v1/events?after=" + at_the_end)).cursor, at_the_end);
}

TEST(EventFeed, StoppingAnswersThoseWhoWait) {
  HttpWorld world;
  const std::string cursor = page_of(world.call("GET", "/v1/events")).cursor;
  RawClient client(world.port());
  client.send("GET /v1/events?wait_s=30&after=" + cursor + " HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(world.call("GET", "/healthz").status, 200);
  world.server().stop();
  EXPECT_EQ(client.receive().status, 200);
}

}  // namespace
}  // namespace hotrow::test
