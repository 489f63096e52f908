#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

#include "tests/http/http_world.hpp"

// The calls that read promotions.
namespace hotrow::test {
namespace {

using namespace std::chrono_literals;

/// Walks a list to its end; `name` of each item.
std::vector<std::string> walk(HttpWorld& world, const std::string& target, std::string_view name) {
  std::vector<std::string> names;
  std::string cursor;
  do {
    const std::string mark = target.find('?') == std::string::npos ? "?" : "&";
    const ProbeAnswer page = world.call("GET", target + (cursor.empty() ? "" : mark + "cursor=" + cursor));
    EXPECT_EQ(page.status, 200) << page.body;
    if (page.status != 200) break;
    const boost::json::object object = object_of(page);
    for (const boost::json::value& item : object.at("items").as_array()) {
      names.emplace_back(item.at(name).as_string());
    }
    const boost::json::value& next = object.at("next_cursor");
    cursor = next.is_null() ? "" : std::string(next.as_string());
  } while (!cursor.empty());
  return names;
}

void enter_many(HttpWorld& world, int count) {
  std::string users;
  for (int i = 1; i <= count; ++i) users += (i > 1 ? ",\"u" : "\"u") + std::to_string(i) + "\"";
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/entries/batch", "{\"user_ids\":[" + users + "]}").status,
            200);
}

TEST(ListEntries, EveryPageSizeGivesTheSameList) {
  HttpWorld world;
  world.put_promotion("p");
  enter_many(world, 20);
  const std::vector<std::string> all = walk(world, "/v1/promotions/p/entries", "user_id");
  ASSERT_EQ(all.size(), 20U);
  EXPECT_EQ(all.front(), "u1");
  for (int limit : {1, 3, 10, 19, 20, 21, 1000}) {
    EXPECT_EQ(walk(world, "/v1/promotions/p/entries?limit=" + std::to_string(limit), "user_id"), all)
        << limit;
  }
}

TEST(ListEntries, IsStableWhileEntriesAreAdded) {
  HttpWorld world;
  world.put_promotion("p");
  enter_many(world, 4);
  const boost::json::object first = object_of(world.call("GET", "/v1/promotions/p/entries?limit=3"));
  world.enter("p", "new");
  const std::string cursor(first.at("next_cursor").as_string());
  const boost::json::object rest =
      object_of(world.call("GET", "/v1/promotions/p/entries?limit=3&cursor=" + cursor));
  ASSERT_EQ(rest.at("items").as_array().size(), 2U);
  EXPECT_EQ(rest.at("items").at(0).at("ordinal").as_int64(), 4);
}

TEST(Lists, ACursorBelongsToItsListAndFilters) {
  HttpWorld world;
  for (const std::string id : {"p", "q", "r"}) world.put_promotion(id);
  enter_many(world, 3);
  const auto cursor_of = [&](const std::string& target) {
    return std::string(object_of(world.call("GET", target)).at("next_cursor").as_string());
  };
  const std::string entries = cursor_of("/v1/promotions/p/entries?limit=1");
  const std::string open = cursor_of("/v1/promotions?limit=1&state=open");
  for (const std::string& target :
       {"/v1/promotions/q/entries?cursor=" + entries, "/v1/promotions/p/winners?cursor=" + entries,
        "/v1/promotions?cursor=" + open, "/v1/promotions?state=paused&cursor=" + open,
        std::string("/v1/promotions/p/entries?cursor=1"), "/v1/events?after=" + entries,
        std::string("/v1/promotions?cursor=")}) {
    const ProbeAnswer answer = world.call("GET", target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(problem_code(answer), "invalid_cursor") << target;
  }
}

TEST(ListPromotions, FiltersByTheStateOfNow) {
  HttpWorld world;
  world.put_promotion("open");
  world.put_promotion("ends", R"(,"ends_at":"2026-06-01T00:00:10Z")");
  world.call("PUT", "/v1/promotions/later",
             R"({"title":"T","rule":{"kind":"first","count":1},"starts_at":"2026-06-02T00:00:00Z"})");
  world.put_promotion("paused");
  world.call("POST", "/v1/promotions/paused/pause", R"({"reason":"r"})");
  const auto in_state = [&](const std::string& state) {
    std::string ids;
    for (const std::string& id : walk(world, "/v1/promotions?limit=1&state=" + state, "id")) ids += id + " ";
    return ids;
  };
  EXPECT_EQ(in_state("open"), "ends open ");
  EXPECT_EQ(in_state("scheduled"), "later ");
  EXPECT_EQ(in_state("paused"), "paused ");
  world.move_clock(10s);
  EXPECT_EQ(in_state("closing"), "ends ");
  EXPECT_EQ(walk(world, "/v1/promotions", "id"),
            (std::vector<std::string>{"ends", "later", "open", "paused"}));
}

TEST(GetPromotion, ShowsWinnersOfTheSameState) {
  HttpWorld world;
  world.call(
      "PUT", "/v1/promotions/p",
      R"({"title":"T","rule":{"kind":"every","interval":2,"winners":3},"starts_at":"2026-06-01T00:00:00Z"})");
  enter_many(world, 9);
  const boost::json::object promotion = object_of(world.call("GET", "/v1/promotions/p"));
  EXPECT_EQ(integer_member(promotion, "winner_count"), 3);
  ASSERT_EQ(promotion.at("winners").as_array().size(), 3U);
  EXPECT_EQ(promotion.at("winners").at(2).at("user_id").as_string(), "u6");
  EXPECT_EQ(walk(world, "/v1/promotions/p/winners?limit=2", "user_id"),
            (std::vector<std::string>{"u2", "u4", "u6"}));
}

TEST(GetEntry, SaysWhichOfBothIsMissing) {
  HttpWorld world;
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/entries/u")), "promotion_not_found");
  world.put_promotion("p");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/entries/u?wait_s=30")), "entry_not_found");
  world.enter("p", "u");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/entries/u").status, 200);
}

TEST(ExplainWinner, TellsEverythingThatTheRowsSay) {
  HttpWorld world({.with_keys = true});
  const ProbeHeaders alice = {{"Authorization", "Bearer operator-key"}};
  world.call(
      "PUT", "/v1/promotions/p",
      R"({"title":"T","rule":{"kind":"nth","targets":[3]},"starts_at":"2026-06-01T00:00:00Z","terms":"abc"})",
      alice);
  for (int i = 1; i <= 7; ++i) {
    world.enter("p", "u" + std::to_string(i),
                {{"Authorization", "Bearer service-key"}, {"X-Request-Id", "req-" + std::to_string(i)}});
  }
  world.call("POST", "/v1/promotions/p/close", R"({"reason":"enough"})", alice);

  const ProbeAnswer answer = world.call("GET", "/v1/promotions/p/winners/3", "", alice);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const boost::json::value story = boost::json::parse(answer.body);
  EXPECT_EQ(story.at("entry").at("user_id"), "u3");
  EXPECT_EQ(story.at("request_id"), "req-3");
  EXPECT_EQ(story.at("api_key"), "shop");
  EXPECT_EQ(story.at("server"), "server-1");
  EXPECT_EQ(story.at("terms_sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(story.at("neighbours").at("before").as_array().size(), 2U);
  EXPECT_EQ(story.at("neighbours").at("after").as_array().size(), 3U);
  EXPECT_EQ(story.at("event").at("id"), "promotion-winner:p:3");
  ASSERT_EQ(story.at("operator_actions").as_array().size(), 2U);
  EXPECT_EQ(story.at("operator_actions").at(0).at("type"), "promotion.changed");
  EXPECT_EQ(story.at("operator_actions").at(1).at("data").at("reason"), "enough");
}

TEST(ExplainWinner, OtherPlacesHaveNoStory) {
  HttpWorld world;
  world.put_promotion("p");
  enter_many(world, 2);
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/winners/2")), "winner_not_found");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/winners/3")), "winner_not_found");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/q/winners/3")), "promotion_not_found");
  for (const std::string bad : {"0", "-1", "1.0", "x", "9007199254740992", "99999999999999999999"}) {
    EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/p/winners/" + bad)), "invalid_path") << bad;
  }
}

TEST(AuditPromotion, ASoundOneIsOk) {
  HttpWorld world;
  world.put_promotion("p");
  enter_many(world, 10);
  const boost::json::object report = object_of(world.call("GET", "/v1/promotions/p/audit"));
  EXPECT_TRUE(report.at("ok").as_bool());
  EXPECT_EQ(integer_member(report, "entries"), 10);
  EXPECT_EQ(integer_member(report, "winners_pinned"), 1);
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/q/audit")), "promotion_not_found");
}

TEST(ExportEntries, HasEveryEntryInOrder) {
  HttpWorld world;
  world.put_promotion("p");
  for (int i = 0; i < 3; ++i) {
    std::string users;
    for (int n = 1; n <= 1000; ++n) users += (n > 1 ? ",\"u" : "\"u") + std::to_string(i * 1000 + n) + "\"";
    world.call("POST", "/v1/promotions/p/entries/batch", "{\"user_ids\":[" + users + "]}");
  }
  const ProbeAnswer answer = world.call("GET", "/v1/promotions/p/export");
  EXPECT_EQ(answer.header("content-type"), "application/x-ndjson");
  std::istringstream lines(answer.body);
  std::int64_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value entry = boost::json::parse(line);
    ++count;
    ASSERT_EQ(entry.at("ordinal").as_int64(), count);
    ASSERT_EQ(entry.at("winner").as_bool(), count == 3);
  }
  EXPECT_EQ(count, 3000);
}

TEST(ExportEntries, WhoHasOneMayAskForTheNext) {
  HttpWorld world;
  world.put_promotion("p");
  world.enter("p", "u");
  RawClient client(world.port());
  for (int i = 0; i < 200; ++i) {
    client.send("GET /v1/promotions/p/export HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_EQ(client.receive().status, 200) << i;
  }
}

TEST(ExportEntries, CsvQuotesWhatNeedsIt) {
  HttpWorld world;
  world.put_promotion("p");
  world.call("POST", "/v1/promotions/p/entries", R"({"user_id":"a,\"b\""})", {{"X-Request-Id", "r1"}});
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/export?format=csv").body,
            "ordinal,user_id,winner,entered_at,request_id,api_key\r\n"
            "1,\"a,\"\"b\"\"\",false,2026-06-01T00:00:00.000000Z,r1,dev\r\n");
}

TEST(ExportEntries, OfAnEmptyPromotionIsWhole) {
  HttpWorld world;
  world.put_promotion("p");
  const ProbeAnswer answer = world.call("GET", "/v1/promotions/p/export");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/q/export")), "promotion_not_found");
}

TEST(ExportEntries, BeyondItsTimeItIsCutShortForAllToSee) {
  WorldOptions options;
  options.server.limits.export_time_max = std::chrono::milliseconds(0);
  HttpWorld world(options);
  world.put_promotion("p");
  enter_many(world, 10);
  RawClient client(world.port());
  client.send("GET /v1/promotions/p/export HTTP/1.1\r\nHost: h\r\n\r\n");
  client.receive_until("Transfer-Encoding: chunked");
  EXPECT_EQ(client.receive_to_the_end().find("\r\n0\r\n\r\n"), std::string::npos);
}

TEST(ExportEntries, AClientThatDoesNotReadHoldsUpOnlyOtherExports) {
  WorldOptions options;
  options.server.limits.send_buffer_bytes_max = 4096;
  HttpWorld world(options);
  world.put_promotion("p");
  const std::string tail(100, 'x');
  for (int i = 0; i < 25; ++i) {
    std::string users;
    for (int n = 0; n < 1000; ++n) {
      users += (n > 0 ? ",\"" : "\"") + std::to_string(i * 1000 + n) + tail + "\"";
    }
    world.call("POST", "/v1/promotions/p/entries/batch", "{\"user_ids\":[" + users + "]}");
  }
  RawClient deaf(world.port(), RawClient::Window::small);
  deaf.send("GET /v1/promotions/p/export HTTP/1.1\r\nHost: h\r\n\r\n");
  ProbeAnswer second;
  while (second.status != 503) second = world.call("GET", "/v1/promotions/p/export");
  EXPECT_EQ(problem_code(second), "busy");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/audit").status, 200);
  EXPECT_EQ(world.call("GET", "/v1/promotions/p").status, 200);
  deaf.receive_until("\r\n0\r\n\r\n");
  const ProbeAnswer whole = deaf.receive();
  EXPECT_EQ(std::count(whole.body.begin(), whole.body.end(), '\n'), 25'000)
      << "all of it comes once it reads";
}

}  // namespace
}  // namespace hotrow::test
