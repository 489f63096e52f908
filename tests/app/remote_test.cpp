#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

#include "tests/app/program.hpp"

namespace hotrow {
namespace {

using boost::json::parse;
using test::Finished;
using test::Folder;
using test::RunningServer;

/// A server to be asked by the program's own commands.
class Remote : public testing::Test {
 protected:
  void SetUp() override { server_.wait_until_serving(); }

  Finished ask(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--url", server_.url()});
    return test::hotrow(arguments);
  }

  Folder folder_;
  RunningServer server_{{"--dev", "--database", "sqlite:" + folder_.path("hotrow.db")}};
};

TEST_F(Remote, APromotionIsCreatedShownAndClosed) {
  const Finished create =
      ask({"promotion", "create", "spring/1", "--title", "Every 100th", "--every", "100", "--winners", "10",
           "--ends-at", "2099-01-01T00:00:00+09:00", "--prize-amount", "5000"});
  ASSERT_EQ(create.exit_code, 0) << create.err;
  EXPECT_EQ(parse(create.out).at("rule"), parse(R"({"kind":"every","interval":100,"winners":10})"));

  const Finished show = ask({"promotion", "show", "spring/1"});
  ASSERT_EQ(show.exit_code, 0) << show.err;
  EXPECT_EQ(parse(show.out).at("state"), "open");
  EXPECT_EQ(parse(show.out).at("ends_at"), "2098-12-31T15:00:00.000000Z");

  EXPECT_EQ(ask({"promotion", "close", "spring/1", "--reason", "over"}).exit_code, 0);
  EXPECT_EQ(parse(ask({"promotion", "show", "spring/1"}).out).at("state"), "closed");
}

TEST_F(Remote, ARefusalIsPrintedAndFails) {
  const Finished show = ask({"promotion", "show", "nothing"});
  EXPECT_EQ(show.exit_code, 1);
  EXPECT_EQ(parse(show.err).at("code"), "promotion_not_found");
  EXPECT_EQ(ask({"promotion", "create", "x", "--title", "x", "--every", "10", "--winners", "0"}).exit_code,
            1);
}

TEST_F(Remote, NothingThatWasGivenForAPromotionIsDropped) {
  struct Given {
    int exit_code;  ///< 1: said by the server, 2: by the command line.
    std::vector<std::string> flags;
    const char* because;
  };
  const std::vector<Given> cases{
      {1, {"--nth", "3", "--max-entries", "0"}, "max_entries"},
      {1, {"--nth", "3", "--max-entries", "-1"}, "max_entries"},
      {1, {"--nth", "3", "--prize-amount", "0"}, "prize"},
      {1, {"--nth", "3", "--prize-amount", "-5"}, "prize"},
      {1, {"--first", "0"}, "rule"},
      {1, {"--nth", "3", "--starts-at", ""}, "starts_at"},
      {1, {"--nth", "3", "--ends-at", ""}, "ends_at"},
      {2, {"--nth", "3", "--prize-description", "a car"}, "--prize-amount"},
      {2, {"--nth", "3", "--prize-currency", "EUR"}, "--prize-amount"},
      {2, {"--nth", "3", "--winners", "2"}, "--every"},
      {2, {"--every", "3"}, "--winners"},
      {2, {"--nth", "3", "--first", "2"}, ""},
      {2, {"--nth", "3", "--terms-file", ""}, "--terms-file"},
  };
  for (const Given& given : cases) {
    std::vector<std::string> words{"promotion", "create", "p", "--title", "p"};
    words.insert(words.end(), given.flags.begin(), given.flags.end());
    const Finished create = ask(words);
    const std::string what = given.flags[given.flags.size() - 2] + " " + given.flags.back();
    EXPECT_EQ(create.exit_code, given.exit_code) << what << ": " << create.out << create.err;
    EXPECT_NE(create.err.find(given.because), std::string::npos) << what << ": " << create.err;
  }
  EXPECT_EQ(ask({"promotion", "show", "p"}).exit_code, 1) << "none of them made a promotion";
}

TEST_F(Remote, WhatCannotBeWrittenWasNotTold) {
  ASSERT_EQ(ask({"promotion", "create", "p", "--title", "p", "--nth", "2"}).exit_code, 0);
  for (const std::string command :
       {"events tail --no-follow --url " + server_.url(), "promotion show p --url " + server_.url(),
        "verify --json --database sqlite:" + folder_.path("hotrow.db")}) {
    const Finished full =
        test::run("sh", {"-c", std::string(HOTROW_PROGRAM) + " " + command + " > /dev/full"});
    EXPECT_EQ(full.exit_code, 1) << command << ": " << full.err;
  }
}

TEST_F(Remote, WhyNamesTheWinnerAndTheNeighbours) {
  ASSERT_EQ(ask({"promotion", "create", "p", "--title", "p", "--nth", "2,5"}).exit_code, 0);
  ASSERT_EQ(ask({"stampede", "--promotion", "p", "--users", "8", "--connections", "3"}).exit_code, 0);
  const Finished why = ask({"promotion", "why", "p", "5"});
  ASSERT_EQ(why.exit_code, 0) << why.err;
  EXPECT_EQ(parse(why.out).at("entry").at("ordinal"), 5);
  EXPECT_EQ(parse(why.out).at("neighbours").at("after").as_array().size(), 3U);
  EXPECT_EQ(ask({"promotion", "why", "p", "4"}).exit_code, 1);
}

TEST_F(Remote, TheFeedIsPrintedALineAnEvent) {
  ASSERT_EQ(ask({"promotion", "create", "p", "--title", "p", "--nth", "2"}).exit_code, 0);
  ASSERT_EQ(ask({"stampede", "--promotion", "p", "--users", "3"}).exit_code, 0);
  const Finished tail = ask({"events", "tail", "--no-follow"});
  ASSERT_EQ(tail.exit_code, 0) << tail.err;
  std::vector<std::string> ids;
  std::istringstream lines(tail.out);
  for (std::string line; std::getline(lines, line);) ids.emplace_back(parse(line).at("id").as_string());
  EXPECT_EQ(ids, (std::vector<std::string>{"promotion:p:1", "promotion-winner:p:2"}));

  const Finished winners = ask({"events", "tail", "--no-follow", "--types", "promotion.winner_determined"});
  EXPECT_EQ(parse(winners.out).at("id"), "promotion-winner:p:2");
}

TEST(CommandLine, NobodyListeningIsSaid) {
  const Finished show = test::hotrow({"promotion", "show", "p", "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(show.exit_code, 2);
  EXPECT_NE(show.err.find("127.0.0.1:1"), std::string::npos) << show.err;
}

TEST(CommandLine, UnknownWordsAndNoneAreUsageErrors) {
  EXPECT_EQ(test::hotrow({}).exit_code, 2);
  EXPECT_EQ(test::hotrow({"dance"}).exit_code, 2);
  EXPECT_EQ(test::hotrow({"serve", "--lane", "3"}).exit_code, 2);
  EXPECT_EQ(test::hotrow({"--help"}).exit_code, 0);
  EXPECT_EQ(test::hotrow({"version"}).out.find("hotrow "), 0U);
}

TEST(CommandLine, MigrateTellsAndDoes) {
  const Folder folder;
  const std::string database = "sqlite:" + folder.path("hotrow.db");
  const Finished before = test::hotrow({"migrate", "status", "--database", database});
  EXPECT_EQ(before.exit_code, 1);
  EXPECT_NE(before.out.find("applied: 0\npending: 1 "), std::string::npos) << before.out;
  EXPECT_EQ(test::hotrow({"migrate", "--database", database}).exit_code, 0);
  EXPECT_EQ(test::hotrow({"migrate", "status", "--database", database}).exit_code, 0);
}

}  // namespace
}  // namespace hotrow
