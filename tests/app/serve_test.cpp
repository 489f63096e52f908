#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <fstream>

#include "hotrow/app/load_driver.hpp"
#include "hotrow/app/stampede_check.hpp"
#include "tests/app/program.hpp"

namespace hotrow {
namespace {

using test::Finished;
using test::Folder;
using test::RunningServer;

std::vector<std::string> on_sqlite(const Folder& folder) {
  return {"--dev", "--sample-data", "--database", "sqlite:" + folder.path("hotrow.db")};
}

Finished verify(const Folder& folder) {
  return test::hotrow({"verify", "--database", "sqlite:" + folder.path("hotrow.db")});
}

TEST(Serve, AStampedeOnSqliteHasExactlyOneWinnerAtTheTarget) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());

  const Finished stampede =
      test::hotrow({"stampede", "--url", server.url(), "--promotion", "launch", "--users", "2000",
                    "--connections", "64", "--repeat-share", "0.2", "--seed", "5", "--json"});
  EXPECT_EQ(stampede.exit_code, 0) << stampede.out << stampede.err;
  const boost::json::value told = boost::json::parse(stampede.out);
  EXPECT_EQ(told.at("entries"), 2000);
  EXPECT_GT(told.at("requests").as_int64(), 2'000);
  EXPECT_EQ(told.at("unanswered"), 0);
  ASSERT_EQ(told.at("winners").as_array().size(), 1U);
  EXPECT_EQ(told.at("winners").at(0).at("ordinal"), 1000);

  const Finished beside = verify(folder);
  EXPECT_EQ(beside.exit_code, 0) << beside.out << beside.err;
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.log();
  EXPECT_EQ(verify(folder).exit_code, 0);
}

TEST(Serve, TheSameCrowdAgainIsToldTheSamePlaces) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  const std::vector<std::string> crowd{"stampede", "--url",  server.url(), "--promotion", "launch", "--users",
                                       "300",      "--seed", "9"};
  EXPECT_EQ(test::hotrow(crowd).exit_code, 0);
  const Finished again = test::hotrow(crowd);
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_NE(again.out.find("checked 300 entries"), std::string::npos) << again.out;
}

TEST(Serve, WhoIsToldBusyComesAgainUntilThereIsAPlace) {
  const Folder folder;
  std::vector<std::string> arguments = on_sqlite(folder);
  arguments.insert(arguments.end(), {"--queue-max", "4"});
  RunningServer server(arguments);
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  const Finished stampede = test::hotrow({"stampede", "--url", server.url(), "--promotion", "launch",
                                          "--users", "400", "--connections", "64", "--json"});
  EXPECT_EQ(stampede.exit_code, 0) << stampede.out << stampede.err;
  const boost::json::value told = boost::json::parse(stampede.out);
  EXPECT_GT(told.at("retried").as_int64(), 0);
  EXPECT_EQ(told.at("unanswered"), 0);
  EXPECT_EQ(told.at("entries"), 400);
}

TEST(Serve, WhoComesTooLateForTheFirstHundredIsRefusedAndNotRetried) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  ASSERT_EQ(test::hotrow({"promotion", "create", "tickets", "--title", "The first 100", "--first", "100",
                          "--url", server.url()})
                .exit_code,
            0);
  const Finished stampede = test::hotrow({"stampede", "--url", server.url(), "--promotion", "tickets",
                                          "--users", "150", "--repeat-share", "0", "--json"});
  EXPECT_EQ(stampede.exit_code, 0) << stampede.out << stampede.err;
  const boost::json::value told = boost::json::parse(stampede.out);
  EXPECT_EQ(told.at("refused"), 50);
  EXPECT_EQ(told.at("retried"), 0);
  EXPECT_EQ(told.at("winners").as_array().size(), 100U);
}

TEST(Serve, AStampedeWithoutItsPromotionSaysHowToCreateIt) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  const Finished stampede =
      test::hotrow({"stampede", "--url", server.url(), "--promotion", "spring", "--users", "1"});
  EXPECT_EQ(stampede.exit_code, 2);
  EXPECT_NE(stampede.err.find("hotrow promotion create spring"), std::string::npos) << stampede.err;
}

/// Asks until so many have entered; each question waits for its answer.
void wait_for_entries(const RunningServer& server, std::int64_t least) {
  HttpClient client = server.client();
  for (Result<PromotionListing> seen = fetch_promotion(client, "launch"); true;
       seen = fetch_promotion(client, "launch")) {
    ASSERT_TRUE(seen) << seen.error().detail;
    if (seen->entries >= least) return;
  }
}

TEST(Serve, WhatWasAnsweredBeforeSigtermIsInTheTable_K01) {
  const Folder folder;
  const StampedePlan plan = plan_stampede({.users = 60'000, .repeat_share = 0.05, .seed = 11});
  Result<LoadReport> report = failure(ErrorKind::fatal, "", "");
  {
    RunningServer server(on_sqlite(folder));
    ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
    const LoadOptions load{.url = *parse_http_url(server.url()),
                           .promotion = "launch",
                           .connections = 64,
                           .patience = std::chrono::seconds(0)};
    std::jthread crowd([&] { report = drive_load(plan, load); });
    wait_for_entries(server, 1'500);
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
  }
  ASSERT_TRUE(report) << report.error().detail;
  EXPECT_GT(report->total.unanswered, 0U) << "the crowd was over before the signal";
  EXPECT_GE(report->total.answered, 1'500U);
  EXPECT_EQ(verify(folder).exit_code, 0);

  RunningServer again(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(again.wait_until_serving());
  HttpClient client = again.client();
  const Result<PromotionListing> listing = fetch_listing(client, "launch");
  ASSERT_TRUE(listing) << listing.error().detail;
  EXPECT_EQ(contradictions(plan, report->receipts, *listing), std::vector<std::string>{});
}

TEST(Serve, AKilledServerLosesNothingThatItAnswered) {
  const Folder folder;
  const StampedePlan plan = plan_stampede({.users = 60'000, .seed = 12});
  Result<LoadReport> report = failure(ErrorKind::fatal, "", "");
  {
    RunningServer server(on_sqlite(folder));
    ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
    const LoadOptions load{.url = *parse_http_url(server.url()),
                           .promotion = "launch",
                           .connections = 64,
                           .patience = std::chrono::seconds(0)};
    std::jthread crowd([&] { report = drive_load(plan, load); });
    wait_for_entries(server, 1'500);
    server.send_signal(SIGKILL);
    EXPECT_EQ(server.wait(), 128 + SIGKILL);
  }
  ASSERT_TRUE(report) << report.error().detail;
  RunningServer again(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(again.wait_until_serving());
  HttpClient client = again.client();
  const Result<PromotionListing> listing = fetch_listing(client, "launch");
  ASSERT_TRUE(listing) << listing.error().detail;
  EXPECT_EQ(contradictions(plan, report->receipts, *listing), std::vector<std::string>{});
  EXPECT_EQ(verify(folder).exit_code, 0);
}

TEST(Serve, ReadinessTurnsBeforeTheServerStopsListening) {
  const Folder folder;
  std::vector<std::string> arguments = on_sqlite(folder);
  arguments.insert(arguments.end(), {"--drain-delay", "5s"});
  RunningServer server(arguments);
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  HttpClient client = server.client();
  EXPECT_EQ(client.get("/readyz").value().status, 200);
  server.send_signal(SIGTERM);
  ASSERT_NO_FATAL_FAILURE(server.wait_for_log("\"message\":\"stopping\""));
  int status = 200;
  while (status == 200) {
    const Result<HttpAnswer> ready = server.client().get("/readyz");
    ASSERT_TRUE(ready) << "stopped listening while still ready";
    status = ready->status;
  }
  EXPECT_EQ(status, 503);
  EXPECT_EQ(server.client().get("/v1/promotions/launch").value().status, 200);
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 128 + SIGTERM) << "a second signal ends it at once";
}

struct Refused {
  const char* what;
  std::vector<std::string> arguments;
  const char* because;
};

TEST(Serve, WhatMustNotBeServedIsRefusedWithItsReason) {
  const Folder folder;
  const std::string database = "sqlite:" + folder.path("hotrow.db");
  std::ofstream(folder.path("bad-keys")) << "shop service nonsense\n";
  const std::vector<Refused> cases{
      {"every address without keys",
       {"--listen", "0.0.0.0:0", "--database", database},
       "api-keys-file: needed on 0.0.0.0"},
      {"every address in dev",
       {"--listen", "0.0.0.0:0", "--dev", "--database", database},
       "dev: only on a loopback address"},
      {"no keys and no dev", {"--listen", "127.0.0.1:0", "--database", database}, "api-keys-file: needed"},
      {"no database", {"--listen", "127.0.0.1:0", "--dev"}, "database: missing"},
      {"a database of another kind",
       {"--listen", "127.0.0.1:0", "--dev", "--database", "mysql://x"},
       "sqlite:PATH or postgresql://"},
      {"keys with a fault",
       {"--listen", "127.0.0.1:0", "--api-keys-file", folder.path("bad-keys"), "--database", database},
       "line 1"},
  };
  for (const Refused& refused : cases) {
    std::vector<std::string> arguments{"serve"};
    arguments.insert(arguments.end(), refused.arguments.begin(), refused.arguments.end());
    const Finished finished = test::hotrow(arguments);
    EXPECT_NE(finished.exit_code, 0) << refused.what;
    EXPECT_NE(finished.err.find(refused.because), std::string::npos) << refused.what << ": " << finished.err;
  }
}

TEST(Serve, ASecondServerOnOneSqliteFileIsRefused) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  RunningServer second(on_sqlite(folder));
  EXPECT_EQ(second.wait(), 1);
  ASSERT_NO_FATAL_FAILURE(second.wait_for_log("database_locked"));
}

}  // namespace
}  // namespace hotrow
