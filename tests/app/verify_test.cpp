#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <filesystem>

#include "tests/app/program.hpp"

namespace hotrow {
namespace {

using test::Finished;
using test::Folder;
using test::RunningServer;

struct Tampering {
  const char* what;
  const char* sql;
  std::vector<std::string> broken;  ///< Invariants that must be named.
};

/// One stampede for all tests here: a SQLite file of 1,200 entries, closed and at rest.
class Verify : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<Folder>();
    RunningServer server({"--dev", "--sample-data", "--database", "sqlite:" + folder_->path("hotrow.db")});
    ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
    ASSERT_EQ(test::hotrow({"stampede", "--url", server.url(), "--promotion", "launch", "--users", "1200"})
                  .exit_code,
              0);
    ASSERT_EQ(
        test::hotrow({"promotion", "close", "launch", "--reason", "over", "--url", server.url()}).exit_code,
        0);
    server.send_signal(SIGTERM);
    ASSERT_EQ(server.wait(), 0);
  }

  static void TearDownTestSuite() { folder_.reset(); }

  /// A copy that may be spoilt.
  static std::string copy(const Folder& folder) {
    const std::string path = folder.path("copy.db");
    std::filesystem::copy_file(folder_->path("hotrow.db"), path,
                               std::filesystem::copy_options::overwrite_existing);
    return path;
  }

  static inline std::unique_ptr<Folder> folder_;
};

TEST_F(Verify, EveryInvariantHoldsOfWhatAStampedeLeaves) {
  const Finished verify =
      test::hotrow({"verify", "--database", "sqlite:" + folder_->path("hotrow.db"), "--json"});
  EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
  const boost::json::value verdict = boost::json::parse(verify.out);
  EXPECT_EQ(verdict.at("ok"), true);
  EXPECT_EQ(verdict.at("promotions").at(0).at("entries"), 1200);
}

TEST_F(Verify, WhatWasChangedByHandIsNamed) {
  const std::vector<Tampering> cases{
      {"an entry removed",
       "DELETE FROM entry WHERE ordinal = 500",
       {"ordinals_without_gap", "counter_equals_entries"}},
      {"the last entry removed", "DELETE FROM entry WHERE ordinal = 1200", {"counter_equals_entries"}},
      {"a place changed", "UPDATE entry SET ordinal = 5000 WHERE ordinal = 700", {"ordinals_without_gap"}},
      {"an entry put in",
       "INSERT INTO entry SELECT promotion, 1201, 'mallory', entered_at, '', '' FROM entry WHERE ordinal = "
       "1200",
       {"counter_equals_entries"}},
      {"the winner rewritten",
       "UPDATE winner SET user_id = 'mallory'",
       {"winners_are_entrants", "winner_events"}},
      {"the winner's entry rewritten",
       "UPDATE entry SET user_id = 'mallory' WHERE ordinal = 1000",
       {"winners_are_entrants"}},
      {"the winner removed", "DELETE FROM winner", {"winners_pinned", "no_event_without_winner"}},
      {"the winner's event removed",
       "DELETE FROM event WHERE type = 'promotion.winner_determined'",
       {"winner_events", "events_without_gap"}},
      {"the closing's event removed", "DELETE FROM event WHERE type = 'promotion.closed'", {"closed_event"}},
      {"the counter turned back", "UPDATE promotion SET entries = 1100", {"counter_equals_entries"}},
      {"the prize of the winner's event rewritten",
       "UPDATE event SET data = json_set(data, '$.prize', json('{\"amount\":1}')) WHERE type = "
       "'promotion.winner_determined'",
       {"winner_events_as_pinned"}},
      {"the settings and nothing else rewritten",
       "UPDATE promotion SET settings = json_set(settings, '$.terms', 'none')",
       {"settings_as_told", "winner_events_as_pinned"}},
      {"the closing rewritten",
       "UPDATE promotion SET closed_by = 'schedule', closed_at = closed_at + 1",
       {"closed_as_told"}},
      {"the time by which lists go rewritten",
       "UPDATE promotion SET starts_at = starts_at - 1",
       {"columns_as_settings"}},
      {"the winner's rule rewritten",
       "UPDATE winner SET rule = '{\"kind\":\"first\",\"count\":1000}'",
       {"winners_by_the_rule"}},
      {"events swapped in the feed",
       "UPDATE event SET position = 1000000 WHERE sequence = 1 AND subject_kind = 'promotion'",
       {"events_in_order"}},
      {"the promotion removed",
       "DELETE FROM promotion",
       {"entries_have_a_promotion", "winners_have_a_promotion", "events_have_a_subject"}},
  };
  for (const Tampering& tampering : cases) {
    const Folder folder;
    const std::string path = copy(folder);
    const Finished sqlite = test::run("sqlite3", {path, tampering.sql});
    ASSERT_EQ(sqlite.exit_code, 0) << tampering.what << ": " << sqlite.err;
    const Finished verify = test::hotrow({"verify", "--database", "sqlite:" + path});
    EXPECT_EQ(verify.exit_code, 1) << tampering.what << ": " << verify.out << verify.err;
    for (const std::string& invariant : tampering.broken) {
      EXPECT_NE(verify.out.find("violated: " + invariant + " "), std::string::npos)
          << tampering.what << ": " << verify.out;
    }
  }
}

TEST_F(Verify, SettingsThatNobodyCanReadAreAViolationOfTheirPromotionAlone) {
  const Folder folder;
  const std::string path = copy(folder);
  ASSERT_EQ(
      test::run("sqlite3", {path,
                            "INSERT INTO promotion SELECT 'broken', '{\"secret\":1}', starts_at, ends_at, "
                            "phase, 0, 0, 1, 1, created_at, decided_at, closed_at, closed_by, "
                            "close_reason, queue_max FROM promotion WHERE id = 'launch'"})
          .exit_code,
      0);
  const Finished verify = test::hotrow({"verify", "--database", "sqlite:" + path});
  EXPECT_EQ(verify.exit_code, 1) << verify.out << verify.err;
  EXPECT_NE(verify.out.find("violated: settings_readable of promotion/broken"), std::string::npos)
      << verify.out;
  EXPECT_NE(verify.out.find("holds  launch: 1200 entries"), std::string::npos) << verify.out;
  EXPECT_EQ((verify.out + verify.err).find("secret"), std::string::npos) << verify.out << verify.err;

  RunningServer server({"--dev", "--database", "sqlite:" + path});
  ASSERT_NO_FATAL_FAILURE(server.wait_until_serving());
  HttpClient client = server.client();
  EXPECT_EQ(client.get("/v1/promotions/launch").value().status, 200);
  EXPECT_GE(client.get("/v1/promotions/broken").value().status, 500);
  EXPECT_EQ(client.send("POST", "/v1/promotions/broken/entries", R"({"user_id":"u"})").value().status, 500);
  EXPECT_EQ(server.log().find("secret"), std::string::npos) << server.log();
}

TEST_F(Verify, ADatabaseThatIsNotThereIsNoProof) {
  const Finished verify = test::hotrow({"verify", "--database", "sqlite:" + folder_->path("nowhere.db")});
  EXPECT_EQ(verify.exit_code, 2) << verify.out;
  EXPECT_FALSE(std::filesystem::exists(folder_->path("nowhere.db")));
}

}  // namespace
}  // namespace hotrow
