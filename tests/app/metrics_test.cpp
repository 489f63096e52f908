#include "hotrow/telemetry/metrics.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace hotrow {
namespace {

using std::chrono::microseconds;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, RequestsAreCountedByRouteAndCode) {
  Metrics metrics("1.2.3");
  metrics.request_answered("/v1/promotions/{id}/entries", 201, microseconds(300));
  metrics.request_answered("/v1/promotions/{id}/entries", 201, microseconds(300));
  metrics.request_answered("/v1/promotions/{id}/entries", 409, microseconds(300));
  const std::string text = metrics.text();
  EXPECT_TRUE(
      has_line(text, R"(hotrow_http_requests_total{code="201",route="/v1/promotions/{id}/entries"} 2)"))
      << text;
  EXPECT_TRUE(
      has_line(text, R"(hotrow_http_requests_total{code="409",route="/v1/promotions/{id}/entries"} 1)"))
      << text;
  EXPECT_TRUE(has_line(text, R"(hotrow_http_request_duration_seconds_bucket{le="0.0005"} 3)")) << text;
  EXPECT_TRUE(has_line(text, R"(hotrow_http_request_duration_seconds_bucket{le="0.00025"} 0)")) << text;
  EXPECT_TRUE(has_line(text, R"(hotrow_build_info{version="1.2.3"} 1)")) << text;
}

TEST(Metrics, BucketsAreNamedByRoundNumbers) {
  std::istringstream lines(Metrics("").text());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bound = line.find("le=\"");
    if (bound == std::string::npos) continue;
    EXPECT_LE(line.find('"', bound + 4) - bound - 4, std::string_view("0.00025").size()) << line;
  }
}

TEST(Metrics, ABatchWithoutChangesHasNoCommitTime) {
  Metrics metrics("");
  metrics.batch_answered({.commands = 3, .writes = 0, .lock_time = microseconds(10)});
  metrics.batch_answered({.commands = 5, .writes = 11, .commit_time = microseconds(10)});
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(text, "hotrow_batch_commands_sum 8")) << text;
  EXPECT_TRUE(has_line(text, "hotrow_batch_commit_seconds_count 1")) << text;
  EXPECT_TRUE(has_line(text, "hotrow_batches_without_changes_total 1")) << text;
  EXPECT_TRUE(has_line(text, "hotrow_rows_written_total 11")) << text;
}

TEST(Metrics, FatesOfUnknownCommitsAreThereBeforeTheFirst) {
  Metrics metrics("");
  EXPECT_TRUE(has_line(metrics.text(), R"(hotrow_commit_unknown_total{fate="not_learnt"} 0)"));
  metrics.commit_in_doubt({.server = "a", .number = 1}, CommitFate::committed);
  EXPECT_TRUE(has_line(metrics.text(), R"(hotrow_commit_unknown_total{fate="committed"} 1)"));
}

TEST(Metrics, SettlementLagIsInSecondsAndGoesBackToNothing) {
  Metrics metrics("");
  EXPECT_TRUE(has_line(metrics.text(), "hotrow_settlement_lag_seconds 0"));
  metrics.settlement_lag_changed(microseconds(2'500'000));
  EXPECT_TRUE(has_line(metrics.text(), "hotrow_settlement_lag_seconds 2.5"));
  metrics.settlement_lag_changed(microseconds(0));
  EXPECT_TRUE(has_line(metrics.text(), "hotrow_settlement_lag_seconds 0"));
}

TEST(Metrics, EachLaneHasItsDepth) {
  Metrics metrics("");
  metrics.queue_changed(0, 3);
  metrics.queue_changed(1, 7);
  metrics.queue_changed(0, 0);
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(text, R"(hotrow_queue_depth{lane="0"} 0)")) << text;
  EXPECT_TRUE(has_line(text, R"(hotrow_queue_depth{lane="1"} 7)")) << text;
}

TEST(Metrics, ThreadsThatMeetANewSeriesTogetherCountAll) {
  Metrics metrics("");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&metrics] {
        for (int n = 0; n < 1'000; ++n)
          metrics.command_answered("enter", n % 2 == 0 ? "entered" : "sold_out");
      });
    }
  }
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(text, R"(hotrow_commands_total{kind="enter",result="entered"} 2000)")) << text;
  EXPECT_TRUE(has_line(text, R"(hotrow_commands_total{kind="enter",result="sold_out"} 2000)")) << text;
}

}  // namespace
}  // namespace hotrow
