#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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
  arguments.insert(arguments.end(), {"--queue-max", "12"});
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
  for (int more = 0; more < 3; ++more) server.send_signal(more == 1 ? SIGINT : SIGTERM);
  ASSERT_NO_FATAL_FAILURE(server.wait_for_log("\"message\":\"already stopping\""));
  EXPECT_EQ(server.wait(), 0) << "further signals change nothing: " << server.log();
  const std::string log = server.log();
  EXPECT_EQ(log.find("already stopping"), log.rfind("already stopping")) << log;
}

/// Lets no file of a server grow, as a full disk would.
void limit_files(const RunningServer& server, rlim_t bytes) {
  const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
}

void wait_until_readiness_is(const RunningServer& server, int status) {
  HttpClient client = server.client();
  while (client.get("/readyz").value().status != status) std::this_thread::yield();
}

TEST(Serve, AFullDiskIsToldAsNothingDoneAndAsNotReadyUntilThereIsRoom) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  HttpClient client = server.client();
  const auto enter = [&] {
    return client.send("POST", "/v1/promotions/launch/entries", R"({"user_id":"u"})").value();
  };
  ASSERT_NO_FATAL_FAILURE(limit_files(server, 1));
  const HttpAnswer refused = enter();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("\"unavailable\""), std::string::npos) << refused.body;
  wait_until_readiness_is(server, 503);
  EXPECT_EQ(client.get("/v1/promotions/launch").value().status, 200) << "what is there can be read";
  ASSERT_NO_FATAL_FAILURE(limit_files(server, RLIM_INFINITY));
  wait_until_readiness_is(server, 200);
  const HttpAnswer entered = enter();
  EXPECT_EQ(entered.status, 201) << entered.body;
  EXPECT_NE(entered.body.find("\"ordinal\":1,"), std::string::npos) << entered.body;
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
      {"a database of another kind, without keys",
       {"--listen", "127.0.0.1:0", "--database", "foo"},
       "database: sqlite:PATH or postgresql://"},
      {"a database in memory",
       {"--listen", "127.0.0.1:0", "--dev", "--database", "sqlite::memory:"},
       "is no path of a file"},
      {"a switch that is neither on nor off",
       {"--listen", "127.0.0.1:0", "--dev=maybe", "--database", database},
       "--dev: \"maybe\" is neither true nor false"},
      {"a switch that is a number",
       {"--listen", "127.0.0.1:0", "--dev", "--prepared=2", "--database", database},
       "--prepared: \"2\" is neither true nor false"},
      {"a schema's name that is cut",
       {"--listen", "127.0.0.1:0", "--dev", "--schema", std::string(64, 'a'), "--database", database},
       "schema: "},
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

TEST(Serve, AVariableThatIsNoSettingIsRefusedWithTheNearest) {
  const Folder folder;
  ASSERT_EQ(setenv("HOTROW_LANE", "2", 1), 0);
  std::vector<std::string> arguments = on_sqlite(folder);
  arguments.insert(arguments.begin(), {"serve", "--listen", "127.0.0.1:0"});
  const Finished finished = test::hotrow(arguments);
  unsetenv("HOTROW_LANE");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.err.find("no setting is called HOTROW_LANE; is HOTROW_LANES meant?"), std::string::npos)
      << finished.err;
}

TEST(Serve, ASqliteFileUnderAnotherNameIsTheSameFile) {
  const Folder folder;
  RunningServer server(on_sqlite(folder));
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  std::filesystem::create_symlink(folder.path("hotrow.db"), folder.path("soft.db"));
  RunningServer soft({"--dev", "--database", "sqlite:" + folder.path("soft.db")});
  EXPECT_EQ(soft.wait(), 1);
  ASSERT_NO_FATAL_FAILURE(soft.wait_for_log("database_locked"));
  std::filesystem::create_hard_link(folder.path("hotrow.db"), folder.path("hard.db"));
  RunningServer hard({"--dev", "--database", "sqlite:" + folder.path("hard.db")});
  EXPECT_EQ(hard.wait(), 1);
  ASSERT_NO_FATAL_FAILURE(hard.wait_for_log("two_names"));
}

TEST(Serve, WhatIsNoDatabaseOfHotrowStaysAsItIs) {
  const Folder folder;
  ASSERT_EQ(test::run("sqlite3", {folder.path("foreign.db"), "CREATE TABLE t (x); INSERT INTO t VALUES (1)"})
                .exit_code,
            0);
  std::ofstream(folder.path("text.db")) << std::string(4096, 'x');
  const auto content = [&](const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder.path(name), std::ios::binary).rdbuf();
    return text.str();
  };
  for (const std::string name : {"foreign.db", "text.db"}) {
    const std::string before = content(name);
    RunningServer server({"--dev", "--database", "sqlite:" + folder.path(name)});
    EXPECT_EQ(server.wait(), 1);
    ASSERT_NO_FATAL_FAILURE(
        server.wait_for_log(name == "foreign.db" ? "another program's database" : "not a database"));
    EXPECT_EQ(content(name), before);
    EXPECT_FALSE(std::filesystem::exists(folder.path(name + ".lock")));
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
