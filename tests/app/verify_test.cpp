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

TEST_F(Verify, ADatabaseThatIsNotThereIsNoProof) {
  const Finished verify = test::hotrow({"verify", "--database", "sqlite:" + folder_->path("nowhere.db")});
  EXPECT_EQ(verify.exit_code, 2) << verify.out;
  EXPECT_FALSE(std::filesystem::exists(folder_->path("nowhere.db")));
}

}  // namespace
}  // namespace hotrow
