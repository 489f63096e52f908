#include <gtest/gtest.h>

#include "tests/e2e/auction.hpp"

// What no single listing's lock protects: a player's limits over many listings, at once on every server.
namespace hotrow::test {
namespace {

class AuctionLimits : public AuctionTest {
 protected:
  void limit(const std::string& player, const std::string& limits) {
    const Heard heard = house_.put("/v1/policies/players/" + player, limits);
    ASSERT_EQ(heard.status, 200) << heard.text;
  }
};

std::string numbered(const std::string& name, std::size_t number) {
  return name + "-" + std::to_string(number);
}

TEST_P(AuctionLimits, OfManyBidsAtOnceExactlyTheLimitLeads_C44) {
  for (std::size_t round = 1; round <= rounds(5); ++round) {
    const std::string bob = numbered("bob", round);
    std::vector<Call> set_up = {deposit(bob, 1'000'000)};
    std::vector<Call> bids;
    for (std::size_t i = 0; i < 30; ++i) {
      set_up.push_back(list(numbered(bob, i)));
      bids.push_back(bid(numbered(bob, i), bob, 100));
    }
    house_.set_up(set_up);
    limit(bob, R"({"max_leading_bids":7})");
    const std::vector<Heard> heard = house_.at_once(bids, round);
    ASSERT_EQ(tally(heard), (Tally{{"201", 7}, {"409 limit_reached", 23}}));
    for (const Heard& refused : heard) {
      if (refused.is_done()) continue;
      EXPECT_EQ(refused.integer("limit"), 7);
      EXPECT_EQ(refused.integer("used"), 7);
    }
    EXPECT_EQ(house_.gold(bob), "999300/700");
  }
}

TEST_P(AuctionLimits, APlaceThatIsOutbidIsFreeInTheSameTransaction_C44) {
  house_.set_up({deposit("bob", 1'000'000), deposit("cem", 1'000'000), list("first"), list("second")});
  limit("bob", R"({"max_leading_bids":1})");
  for (std::size_t round = 1; round <= rounds(20); ++round) {
    const std::int64_t amount = std::int64_t(round) * 10 + 100;
    const std::string led = round % 2 == 1 ? "first" : "second";
    const std::string free = round % 2 == 1 ? "second" : "first";
    ASSERT_EQ(house_.call(bid(led, "bob", amount)).result(), "201") << round;
    ASSERT_EQ(house_.call(bid(free, "bob", amount + 5)).result(), "409 limit_reached") << round;
    // Whoever comes first: bob has a place again once cem leads, and never two.
    const std::vector<Heard> heard =
        house_.at_once({bid(led, "cem", amount + 1), bid(free, "bob", amount + 5)}, round);
    EXPECT_EQ(heard[0].result(), "201");
    EXPECT_TRUE(heard[1].result() == "201" || heard[1].result() == "409 limit_reached") << heard[1].text;
    if (heard[1].is_done()) ASSERT_EQ(house_.call(bid(free, "cem", amount + 6)).result(), "201");
  }
}

TEST_P(AuctionLimits, OfManyListingsAtOnceExactlyTheLimitIsOpen_C44) {
  house_.set_up({deposit("sam", 1'000'000)});
  limit("default", R"({"max_active_listings":7})");
  std::vector<Call> creates;
  for (std::size_t i = 0; i < 30; ++i) creates.push_back(list(numbered("sword", i)));
  const std::vector<Heard> heard = house_.at_once(creates);
  EXPECT_EQ(tally(heard), (Tally{{"201", 7}, {"409 limit_reached", 23}}));
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionLimits, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
