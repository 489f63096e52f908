#include <gtest/gtest.h>

#include "tests/e2e/auction.hpp"
#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"

// Everybody presses at the same moment, on every server: what is sold, led and paid is as if they had come
// one after the other.
namespace hotrow::test {
namespace {

class AuctionRaces : public AuctionTest {};

constexpr std::int64_t plenty = 10'000'000;

std::string numbered(const std::string& name, std::size_t number) {
  return name + "-" + std::to_string(number);
}

TEST_P(AuctionRaces, OfFiftyBidsOfAHundredFromAThousandTenAreAccepted_C40) {
  for (std::size_t round = 1; round <= rounds(5); ++round) {
    const std::string bob = numbered("bob", round);
    std::vector<Call> set_up = {deposit(bob, 1'000)};
    std::vector<Call> bids;
    for (std::size_t i = 0; i < 50; ++i) {
      const std::string listing = numbered(bob, i);
      set_up.push_back(list(listing));
      bids.push_back(bid(listing, bob, 100));
    }
    house_.set_up(set_up);
    const std::vector<Heard> heard = house_.at_once(bids, round);
    ASSERT_EQ(tally(heard), (Tally{{"201", 10}, {"402 insufficient_funds", 40}}));
    for (const Heard& refused : heard) {
      if (refused.is_done()) continue;
      EXPECT_EQ(refused.integer("available"), 0);
      EXPECT_EQ(refused.integer("needed"), 100);
    }
    EXPECT_EQ(house_.gold(bob), "0/1000");
    EXPECT_EQ(house_.items("/v1/players/" + bob + "/bids").size(), 10U);
  }
}

TEST_P(AuctionRaces, OfTwoEqualBidsOneLeadsAndWhoLedIsRefundedOnce_C09) {
  house_.set_up({deposit("pia", 1'000), deposit("bob", plenty), deposit("cem", plenty)});
  for (std::size_t round = 1; round <= rounds(100); ++round) {
    const std::string listing = numbered("sword", round);
    house_.set_up({list(listing)});
    house_.set_up({bid(listing, "pia", 100)});
    ASSERT_EQ(house_.gold("pia"), "900/100");
    const std::vector<Heard> heard =
        house_.at_once({bid(listing, "bob", 150), bid(listing, "cem", 150)}, round);
    ASSERT_EQ(tally(heard), (Tally{{"201", 1}, {"409 bid_too_low", 1}}));
    const Heard& refused = heard[heard[0].is_done() ? 1 : 0];
    EXPECT_EQ(refused.integer("current_bid"), 150);
    EXPECT_EQ(refused.integer("min_next_bid"), 151);
    EXPECT_EQ(house_.gold("pia"), "1000/0");
    EXPECT_EQ(house_.events(listing, "listing.outbid"), 1);
    EXPECT_EQ(house_.listing(listing).string("bidder_id"), heard[0].is_done() ? "bob" : "cem");
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_EQ(house_.total("bob") + house_.total("cem"), 2 * plenty);
}

/// What bids of 1,100 and 1,050 on a lead of 1,000 come to.
struct TwoBids {
  Heard higher;
  Heard lower;
};

void expect_one_order_of_two(AuctionHouse& house, const std::string& listing, const TwoBids& told) {
  EXPECT_EQ(told.higher.result(), "201");
  if (told.lower.is_done()) {
    EXPECT_EQ(house.listing(listing).integer("bid_count"), 3);
    EXPECT_EQ(house.events(listing, "listing.outbid"), 2);
  } else {
    EXPECT_EQ(told.lower.result(), "409 bid_too_low");
    EXPECT_EQ(told.lower.integer("current_bid"), 1'100);
    EXPECT_EQ(told.lower.integer("min_next_bid"), 1'101);
    EXPECT_EQ(house.listing(listing).integer("bid_count"), 2);
    EXPECT_EQ(house.events(listing, "listing.outbid"), 1);
  }
  EXPECT_EQ(house.listing(listing).integer("current_bid"), 1'100);
  EXPECT_EQ(house.listing(listing).string("bidder_id"), "bob");
  EXPECT_EQ(house.gold("pia"), "1000/0");
  EXPECT_EQ(house.gold("cem"), "2000/0");
}

TEST_P(AuctionRaces, ElevenHundredAndTenFiftyAgainstAThousandEndTheSameInBothOrders) {
  house_.set_up({deposit("pia", 1'000), deposit("bob", plenty), deposit("cem", 2'000)});
  const auto open = [&](const std::string& listing) {
    house_.set_up({list(listing, {.buyout_price = 9'000})});
    house_.set_up({bid(listing, "pia", 1'000)});
  };
  open("lower-first");
  const Heard lower = house_.call(bid("lower-first", "cem", 1'050));
  EXPECT_EQ(lower.result(), "201");
  expect_one_order_of_two(house_, "lower-first",
                          {.higher = house_.call(bid("lower-first", "bob", 1'100)), .lower = lower});
  open("higher-first");
  const Heard higher = house_.call(bid("higher-first", "bob", 1'100));
  const Heard late = house_.call(bid("higher-first", "cem", 1'050));
  EXPECT_EQ(late.result(), "409 bid_too_low");
  expect_one_order_of_two(house_, "higher-first", {.higher = higher, .lower = late});
  for (std::size_t round = 1; round <= rounds(60); ++round) {
    const std::string listing = numbered("sword", round);
    open(listing);
    const bool swapped = round % 2 == 0;
    std::vector<Call> calls = {bid(listing, "bob", 1'100), bid(listing, "cem", 1'050)};
    if (swapped) std::swap(calls[0], calls[1]);
    const std::vector<Heard> heard = house_.at_once(calls, round);
    expect_one_order_of_two(house_, listing,
                            {.higher = heard[swapped ? 1 : 0], .lower = heard[swapped ? 0 : 1]});
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_P(AuctionRaces, OfManyBuyoutsAndABidJustBelowOneSaleIsMade_C15_C16) {
  for (std::size_t round = 1; round <= rounds(60); ++round) {
    const std::string listing = numbered("sword", round);
    const std::string bob = numbered("bob", round);
    const std::string cem = numbered("cem", round);
    const std::string dan = numbered("dan", round);
    house_.set_up({list(listing), deposit(bob, 1'000), deposit(cem, 1'000), deposit(dan, 1'000)});
    const std::vector<Heard> heard = house_.at_once(
        {buy(listing, bob), buy(listing, bob), buy(listing, cem), bid(listing, dan, 499)}, round);
    const Tally buyouts = tally({heard.begin(), heard.begin() + 3});
    ASSERT_EQ(buyouts, (Tally{{"200", 1}, {"409 listing_closed", 2}}));
    EXPECT_TRUE(heard[3].result() == "201" || heard[3].result() == "409 listing_closed") << heard[3].text;
    const std::string& buyer = heard[2].is_done() ? cem : bob;
    for (const Heard& refused : heard) {
      if (refused.is_done()) continue;
      EXPECT_EQ(refused.string("listing_status"), "sold");
      EXPECT_EQ(refused.string("buyer_id"), buyer);
      EXPECT_EQ(refused.integer("price"), 500);
    }
    EXPECT_EQ(house_.gold(bob), buyer == bob ? "500/0" : "1000/0");
    EXPECT_EQ(house_.gold(cem), buyer == cem ? "500/0" : "1000/0");
    EXPECT_EQ(house_.gold(dan), "1000/0");
    EXPECT_EQ(house_.events(listing, "listing.sold"), 1);
    EXPECT_EQ(house_.get("/v1/items/" + listing).string("owner"), "player:" + buyer);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  const auto sold = std::int64_t(rounds(60));
  EXPECT_EQ(house_.gold("sam"), std::to_string(1'000'000 + 475 * sold) + "/0");
  EXPECT_EQ(house_.house(), 25 * sold);
}

/// Of spendings that only take, those accepted fit into the wallet, and none that would fit beside them all
/// is refused.
void expect_spent_within(std::int64_t wallet, const std::vector<std::int64_t>& amounts,
                         const std::vector<Heard>& heard) {
  std::int64_t spent = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) spent += heard[i].is_done() ? amounts[i] : 0;
  EXPECT_LE(spent, wallet);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (heard[i].is_done()) continue;
    EXPECT_EQ(heard[i].result(), "402 insufficient_funds");
    EXPECT_GT(spent + amounts[i], wallet);
    EXPECT_GE(heard[i].integer("available"), wallet - spent);
    EXPECT_LT(heard[i].integer("available"), amounts[i]);
  }
}

TEST_P(AuctionRaces, WithdrawalsNeverReachHeldMoney_C12) {
  for (std::size_t round = 1; round <= rounds(60); ++round) {
    const std::string bob = numbered("bob", round);
    const std::string one = numbered("one", round);
    const std::string two = numbered("two", round);
    house_.set_up({list(one), list(two), deposit(bob, 600)});
    const std::vector<Heard> heard = house_.at_once(
        {withdraw(bob, 600), bid(one, bob, 400), withdraw(bob, 200), bid(two, bob, 300)}, round);
    expect_spent_within(600, {600, 400, 200, 300}, heard);
    const std::int64_t held = (heard[1].is_done() ? 400 : 0) + (heard[3].is_done() ? 300 : 0);
    const std::int64_t left = 600 - (heard[0].is_done() ? 600 : 0) - (heard[2].is_done() ? 200 : 0);
    EXPECT_EQ(house_.gold(bob), std::to_string(left - held) + "/" + std::to_string(held));
    const Heard more = house_.call(withdraw(bob, left - held + 1));
    EXPECT_EQ(more.result(), "402 insufficient_funds");
    EXPECT_EQ(more.integer("available"), left - held);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_P(AuctionRaces, OfTwoBuyoutsThatTogetherExceedTheWalletOneIsPaid) {
  for (std::size_t round = 1; round <= rounds(60); ++round) {
    const std::string bob = numbered("bob", round);
    const std::string one = numbered("one", round);
    const std::string two = numbered("two", round);
    house_.set_up({list(one), list(two), deposit(bob, 900)});
    const std::vector<Heard> heard = house_.at_once({buy(one, bob), buy(two, bob)}, round);
    ASSERT_EQ(tally(heard), (Tally{{"200", 1}, {"402 insufficient_funds", 1}}));
    const Heard& refused = heard[heard[0].is_done() ? 1 : 0];
    EXPECT_EQ(refused.integer("available"), 400);
    EXPECT_EQ(refused.integer("needed"), 500);
    EXPECT_EQ(house_.gold(bob), "400/0");
    EXPECT_EQ(house_.status(one), heard[0].is_done() ? "sold" : "active");
    EXPECT_EQ(house_.status(two), heard[0].is_done() ? "active" : "sold");
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

std::string deadlocks(const std::string& database) {
  return PostgresSession(database).value(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
}

/// Bob and cem outbid each other on both listings at once, each time in opposite order, until the first ends.
/// Returns how often.
std::size_t outbid_each_other(AuctionHouse& house, const std::string& one, const std::string& two) {
  std::size_t times = 0;
  bool open = true;
  for (std::int64_t price = 100; open; ++price, ++times) {
    const bool bob_first = price % 2 == 0;
    const std::string first = bob_first ? "bob" : "cem";
    const std::string second = bob_first ? "cem" : "bob";
    const std::vector<Heard> heard =
        house.at_once({bid(one, first, price), bid(two, second, price), settle(one)}, std::size_t(price));
    EXPECT_EQ(heard[1].result(), "201") << heard[1].text;
    const Tally others = tally({heard[0], heard[2]});
    open = others == Tally{{"201", 1}, {"409 not_ended", 1}};
    if (open) continue;
    // The last bid came before the end or after it, the settlement before a server's own or after it.
    EXPECT_TRUE(heard[0].result() == "201" || heard[0].result() == "409 listing_closed") << heard[0].text;
    const std::string settled = heard[2].result();
    EXPECT_TRUE(settled == "200" || settled == "409 listing_closed" || settled == "409 not_ended")
        << heard[2].text;
  }
  return times;
}

TEST_P(AuctionRaces, TwoWhoOutbidEachOtherOnTwoListingsWhileOneIsSettledNeverDeadlock_C47) {
  house_.set_up({deposit("bob", plenty), deposit("cem", plenty)});
  const auto sum = [&] {
    return house_.total("sam") + house_.total("bob") + house_.total("cem") + house_.house();
  };
  std::size_t times = 0;
  for (std::size_t round = 1; times < rounds(500); ++round) {
    const std::string one = numbered("one", round);
    const std::string two = numbered("two", round);
    const auto end = wall_clock_now() + std::chrono::seconds(2);
    house_.set_up({list(one, {.buyout_price = plenty, .ends_at = end}), list(two, {.buyout_price = plenty})});
    times += outbid_each_other(house_, one, two);
    EXPECT_TRUE(eventually([&] { return house_.status(one) == "sold"; }));
    EXPECT_EQ(house_.events(one, "listing.sold"), 1);
    EXPECT_EQ(sum(), 1'000'000 + 2 * plenty);
    house_.set_up({void_it(two)});
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_EQ(house_.busy(), 0U);
  if (GetParam() == Backend::postgres) {
    EXPECT_EQ(deadlocks(house_.database()), "0");
  }
}

/// Everybody was told the same, word for word, and one of them as what was done just now.
void expect_one_answer(const std::vector<Heard>& heard, const std::string& result) {
  std::size_t fresh = 0;
  for (const Heard& one : heard) {
    EXPECT_EQ(one.result(), result) << one.text;
    EXPECT_EQ(one.text, heard.front().text);
    fresh += one.replayed ? 0 : 1;
  }
  EXPECT_EQ(fresh, 1U);
}

TEST_P(AuctionRaces, OneKeyFiredTwentyTimesHasOneEffectAndOneAnswerAlsoAfterTheEnd_C49_E01) {
  house_.give("bob", plenty);
  std::vector<Call> bids;
  std::vector<Heard> told;
  const auto end = wall_clock_now() + std::chrono::seconds(4);
  for (std::size_t round = 1; round <= rounds(20); ++round) {
    const std::string listing = numbered("sword", round);
    const Timestamp open_for_all = std::max(end, wall_clock_now() + std::chrono::seconds(2));
    house_.set_up({list(listing, {.ends_at = open_for_all})});
    bids.push_back(bid(listing, "bob", 150));
    const std::vector<Heard> heard = house_.at_once(std::vector<Call>(20, bids.back()), round);
    expect_one_answer(heard, "201");
    EXPECT_EQ(house_.listing(listing).integer("bid_count"), 1);
    told.push_back(heard.front());
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_EQ(house_.gold("bob"), std::to_string(plenty - 150 * std::int64_t(told.size())) + "/" +
                                    std::to_string(150 * told.size()));
  for (std::size_t i = 0; i < bids.size(); ++i) {
    ASSERT_TRUE(eventually([&] { return house_.status(numbered("sword", i + 1)) == "sold"; }));
    for (const Heard& again : house_.at_once(std::vector<Call>(3, bids[i]))) {
      EXPECT_EQ(again.result(), "201") << again.text;
      EXPECT_EQ(again.text, told[i].text);
      EXPECT_TRUE(again.replayed);
    }
  }
  const Heard late = house_.call(bid("sword-1", "bob", 200));
  EXPECT_EQ(late.result(), "409 listing_closed");
}

TEST_P(AuctionRaces, AKeyBelongsToOneBidderAndOneBid_C49) {
  house_.set_up({list("sword"), deposit("bob", 1'000), deposit("cem", 1'000)});
  const Call first = bid("sword", "bob", 150);
  Call raised = bid("sword", "bob", 160);
  Call of_another = bid("sword", "cem", 170);
  raised.key = of_another.key = first.key;
  EXPECT_EQ(house_.call(first).result(), "201");
  EXPECT_EQ(tally(house_.at_once({raised, raised, raised})), (Tally{{"422 idempotency_key_reused", 3}}));
  EXPECT_EQ(house_.gold("bob"), "850/150");
  const Heard independent = house_.call(of_another, 1);
  EXPECT_EQ(independent.result(), "201");
  EXPECT_FALSE(independent.replayed);
  EXPECT_EQ(house_.gold("bob"), "1000/0");
  EXPECT_EQ(house_.gold("cem"), "830/170");
}

TEST_P(AuctionRaces, OneKeyOfABuyoutPaysOnce_C49) {
  house_.give("bob", plenty);
  for (std::size_t round = 1; round <= rounds(20); ++round) {
    const std::string listing = numbered("sword", round);
    house_.set_up({list(listing)});
    expect_one_answer(house_.at_once(std::vector<Call>(20, buy(listing, "bob")), round), "200");
    EXPECT_EQ(house_.gold("bob"), std::to_string(plenty - 500 * std::int64_t(round)) + "/0");
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionRaces, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
