#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "hotrow/app/stampede_check.hpp"
#include "hotrow/app/stampede_plan.hpp"

namespace hotrow {
namespace {

TEST(StampedePlan, TheSameSeedMakesTheSameCrowd) {
  const StampedePlanOptions options{.users = 200, .repeat_share = 0.3, .seed = 42};
  const StampedePlan plan = plan_stampede(options);
  EXPECT_EQ(plan.users, plan_stampede(options).users);
  EXPECT_EQ(plan.requests, plan_stampede(options).requests);
}

TEST(StampedePlan, AnotherSeedBringsNobodyAgain) {
  const StampedePlan first = plan_stampede({.users = 500, .seed = 1});
  const StampedePlan second = plan_stampede({.users = 500, .seed = 2});
  const std::set<std::string> users(first.users.begin(), first.users.end());
  EXPECT_EQ(users.size(), 500U);
  EXPECT_TRUE(
      std::ranges::none_of(second.users, [&](const std::string& user) { return users.contains(user); }));
}

TEST(StampedePlan, EverybodyComesAndSomeComeTwice) {
  const StampedePlan plan = plan_stampede({.users = 2'000, .repeat_share = 0.1, .seed = 7});
  std::vector<int> times(plan.users.size(), 0);
  for (const std::uint32_t user : plan.requests) ++times[user];
  EXPECT_EQ(std::ranges::count(times, 0), 0);
  EXPECT_GT(std::ranges::count(times, 2), 100);
  EXPECT_LT(std::ranges::count(times, 2), 300);
  const auto twins = std::ranges::adjacent_find(plan.requests);
  EXPECT_NE(twins, plan.requests.end()) << "nobody presses twice at the same moment";
}

/// Three people, of whom the second wins; the third came twice.
struct Scene {
  StampedePlan plan{.users = {"ann", "bob", "cem"}, .requests = {0, 1, 2, 2}};
  std::vector<EntryReceipt> receipts{
      {.user = 0, .status = 201, .ordinal = 1, .entered_at = "t1"},
      {.user = 1, .status = 201, .ordinal = 2, .winner = true, .entered_at = "t2"},
      {.user = 2, .status = 201, .ordinal = 3, .entered_at = "t3"},
      {.user = 2, .status = 200, .ordinal = 3, .already = true, .entered_at = "t3"},
  };
  PromotionListing listing{
      .rule = NthRule{{2, 9}},
      .entries = 3,
      .winner_count = 1,
      .winners = {{"bob", 2, true, "t2"}},
      .list = {{"ann", 1, false, "t1"}, {"bob", 2, true, "t2"}, {"cem", 3, false, "t3"}},
  };
};

struct Fault {
  const char* what;
  std::function<void(Scene&)> make;
  const char* found;
};

TEST(Contradictions, NoneAreFoundWhereAllAgree) {
  const Scene scene;
  EXPECT_EQ(contradictions(scene.plan, scene.receipts, scene.listing), std::vector<std::string>{});
}

TEST(Contradictions, EachFaultIsFoundAndNamed) {
  const std::vector<Fault> faults{
      {"a gap", [](Scene& s) { s.listing.list.erase(s.listing.list.begin()); },
       "the list has place 2 where place 1 is due"},
      {"a place twice", [](Scene& s) { s.listing.list[2].ordinal = 2; },
       "the list has place 2 where place 3 is due"},
      {"a person twice", [](Scene& s) { s.listing.list[2].user = "ann"; }, "the list has ann twice"},
      {"a wrong counter", [](Scene& s) { s.listing.entries = 4; },
       "the promotion counts 4 entries, the list ends at place 3"},
      {"an unlisted winner", [](Scene& s) { s.listing.list[1].winner = false; },
       "place 2 is a target and not listed as winner"},
      {"a winner off target", [](Scene& s) { s.listing.list[0].winner = true; },
       "place 1 is listed as winner and is no target"},
      {"no winner pinned", [](Scene& s) { s.listing.winners.clear(); }, "the promotion names 0 winners of 1"},
      {"a wrong count of winners", [](Scene& s) { s.listing.winner_count = 2; },
       "2 winners are pinned, 1 targets were reached"},
      {"another winner pinned", [](Scene& s) { s.listing.winners[0].user = "cem"; },
       "the pinned winner of place 2 is cem, not the one in the list"},
      {"two winners pinned", [](Scene& s) { s.listing.winners.push_back({"ann", 2, true, "t2"}); },
       "two winners are pinned at place 2"},
      {"a place told and not listed", [](Scene& s) { s.receipts[3].ordinal = s.receipts[2].ordinal = 4; },
       "cem was told place 4, which is not in the list"},
      {"a place of somebody else", [](Scene& s) { s.receipts[0].ordinal = 3; },
       "ann was told place 3, where the list has cem"},
      {"another time", [](Scene& s) { s.receipts[0].entered_at = "t9"; },
       "ann was told another time for place 1 than the list has"},
      {"a win told to a loser", [](Scene& s) { s.receipts[0].winner = true; },
       "ann at place 1 was told to have won"},
      {"a win not told", [](Scene& s) { s.receipts[1].winner = false; },
       "bob at place 2 was not told to have won"},
      {"two places for a repeat", [](Scene& s) { s.receipts[3].ordinal = 1; },
       "cem was told place 3 and place 1"},
      {"new twice", [](Scene& s) { s.receipts[3].already = false; },
       "cem was told twice that the entry is new"},
  };
  for (const Fault& fault : faults) {
    Scene scene;
    fault.make(scene);
    const std::vector<std::string> found = contradictions(scene.plan, scene.receipts, scene.listing);
    EXPECT_NE(std::ranges::find(found, fault.found), found.end())
        << fault.what << ": " << testing::PrintToString(found);
  }
}

TEST(Contradictions, APromotionNeedNotNameMoreThanAThousandWinners) {
  PromotionListing listing{.rule = FirstRule{1'500}, .entries = 1'500, .winner_count = 1'500};
  for (std::int64_t ordinal = 1; ordinal <= 1'500; ++ordinal) {
    listing.list.push_back({"user" + std::to_string(ordinal), ordinal, true, "t"});
    if (ordinal <= 1'000) listing.winners.push_back(listing.list.back());
  }
  EXPECT_EQ(contradictions({}, {}, listing), std::vector<std::string>{});
  listing.winners.pop_back();
  EXPECT_EQ(contradictions({}, {}, listing).size(), 1U);
}

TEST(Contradictions, WhoWasRefusedOrNeverAnsweredIsNone) {
  Scene scene;
  scene.plan.users.push_back("dan");
  scene.receipts.push_back({.user = 3, .status = 409, .code = "sold_out"});
  scene.receipts.push_back({.user = 3, .status = 0, .code = "busy"});
  EXPECT_TRUE(contradictions(scene.plan, scene.receipts, scene.listing).empty());
}

}  // namespace
}  // namespace hotrow
