#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <map>
#include <set>
#include <thread>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/site.hpp"

namespace hotrow::test {
namespace {

namespace json = boost::json;

/// Reads the feed of one server from its beginning by long polls, on a thread of its own.
class FeedReader {
 public:
  explicit FeedReader(std::uint16_t port)
      : thread_([this, port](const std::stop_token& stop) { run(port, stop); }) {}

  std::size_t count() const { return count_; }

  /// Stops, and returns everything read, in order.
  std::vector<json::object> take() {
    thread_.request_stop();
    thread_.join();
    return std::move(events_);
  }

 private:
  void run(std::uint16_t port, const std::stop_token& stop) {
    HttpProbe probe(port);
    std::string cursor;
    while (!stop.stop_requested()) {
      const auto answer =
          probe.get("/v1/events?limit=7&wait_s=1" + (cursor.empty() ? "" : "&after=" + cursor));
      if (!answer || answer->status != 200) continue;
      const json::value page = json::parse(answer->body);
      for (const json::value& event : page.at("items").as_array()) events_.push_back(event.as_object());
      if (page.at("next_cursor").is_string()) cursor = page.at("next_cursor").as_string().c_str();
      count_ = events_.size();
    }
  }

  std::vector<json::object> events_;
  std::atomic<std::size_t> count_ = 0;
  std::jthread thread_;
};

std::int64_t sequence_of(const json::object& event) {
  const json::value& sequence = event.at("sequence");
  return sequence.is_string() ? std::stoll(sequence.as_string().c_str()) : sequence.as_int64();
}

/// Each id once, and each subject's sequence 1, 2, 3, ... in the order read.
void expect_dense(const std::vector<json::object>& events) {
  std::set<std::string> ids;
  std::map<std::string, std::int64_t> latest;
  for (const json::object& event : events) {
    const std::string id = event.at("id").as_string().c_str();
    const std::string subject = event.at("subject").as_string().c_str();
    EXPECT_TRUE(ids.insert(id).second) << id << " came twice";
    EXPECT_EQ(sequence_of(event), ++latest[subject]) << subject << " at " << id;
  }
}

void expect_feed_complete(Site& site) {
  constexpr int promotions = 6;
  for (int i = 0; i < promotions; ++i) {
    put_promotion(site.server().port(), "p" + std::to_string(i),
                  R"("title":"e2e","rule":{"kind":"every","interval":5,"winners":1000},)"
                  R"("starts_at":"2020-01-01T00:00:00Z")");
  }
  std::vector<std::unique_ptr<FeedReader>> readers;
  for (const std::uint16_t port : site.ports()) readers.push_back(std::make_unique<FeedReader>(port));
  std::vector<std::unique_ptr<Crowd>> crowds;
  for (int i = 0; i < promotions; ++i) {
    crowds.push_back(std::make_unique<Crowd>(CrowdOptions{.ports = site.ports(),
                                                          .promotion = "p" + std::to_string(i),
                                                          .connections = 8,
                                                          .visits_max = 500,
                                                          .leave_share = 0,
                                                          .seed = static_cast<std::uint64_t>(i)}));
  }
  for (int i = 0; i < promotions; ++i) {
    const std::vector<Visit> visits = crowds[static_cast<std::size_t>(i)]->wait_for_all();
    const std::string promotion = "p" + std::to_string(i);
    const auto closed = HttpProbe(site.server().port())
                            .send("POST", "/v1/promotions/" + promotion + "/close", R"({"reason":"done"})");
    ASSERT_TRUE(closed && closed->status == 200);
    expect_told_the_truth(site, promotion, visits);
  }
  const auto all = std::size_t(read_number(site.database(), "SELECT count(*) FROM event"));
  EXPECT_GE(all, static_cast<std::size_t>(promotions) * 101);
  for (const auto& reader : readers) {
    EXPECT_TRUE(eventually([&] { return reader->count() >= all; })) << reader->count() << " of " << all;
  }
  for (const auto& reader : readers) {
    const std::vector<json::object> events = reader->take();
    EXPECT_EQ(events.size(), all);
    expect_dense(events);
  }
}

TEST(Feed, EveryReaderOnThreeServersReadsEveryEventOnceAndInOrder_D01) {
  Site site({.database = fresh_database(), .servers = 3, .flags = {"--migrate"}});
  expect_feed_complete(site);
}

TEST(Feed, ReaderOnSqliteReadsEveryEventOnceAndInOrder) {
  Site site;
  expect_feed_complete(site);
}

}  // namespace
}  // namespace hotrow::test
