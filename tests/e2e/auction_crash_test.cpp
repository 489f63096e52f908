#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "tests/e2e/auction.hpp"

// Servers that die: what was answered stays, what ended meanwhile is settled at the price it had, and nothing
// else is.
namespace hotrow::test {
namespace {

namespace json = boost::json;

class AuctionCrash : public AuctionTest {
 protected:
  void kill_all() {
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).process().kill_hard();
  }
  void start_all() {
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).launch();
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).wait_until_ready();
  }
};

TEST_P(AuctionCrash, WhatEndsWhileAllServersAreDownIsSettledAtTheNextStart_C32) {
  for (std::size_t round = 1; round <= rounds(1); ++round) {
    const std::string name = std::to_string(round) + "-";
    const Timestamp end = wall_clock_now() + std::chrono::milliseconds(2'000);
    std::vector<Call> calls = {list(name + "later"), deposit(name + "bob", 10'000),
                               deposit(name + "cem", 10'000)};
    std::vector<Call> bids;
    for (int i = 0; i < 20; ++i) {
      const std::string listing = name + std::to_string(i);
      calls.push_back(list(listing, {.ends_at = end}));
      if (i % 2 == 0) bids.push_back(bid(listing, name + "bob", 100 + i));
    }
    house_.set_up(calls);
    house_.set_up(bids);
    house_.set_up({bid(name + "0", name + "cem", 150)});
    ASSERT_LT(wall_clock_now(), end) << "too slow to be down in time";
    kill_all();
    wait_until(end);
    start_all();
    EXPECT_EQ(house_.call(bid(name + "0", name + "bob", 200)).result(), "409 listing_closed");
    EXPECT_EQ(house_.call(buy(name + "1", name + "bob")).result(), "409 listing_closed");
    std::int64_t paid = 0;
    for (int i = 0; i < 20; ++i) {
      const std::string listing = name + std::to_string(i);
      ASSERT_TRUE(eventually([&] { return house_.status(listing) != "active"; })) << listing;
      const Heard closed = house_.listing(listing);
      EXPECT_EQ(closed.string("status"), i % 2 == 0 ? "sold" : "expired") << listing;
      EXPECT_GE(closed.time("closed_at"), end) << listing;
      const std::string owner = house_.get("/v1/items/" + listing).string("owner");
      EXPECT_EQ(house_.events(listing, "listing.sold"), i % 2 == 0 ? 1 : 0) << listing;
      if (i % 2 == 1) {
        EXPECT_EQ(owner, "player:sam") << listing;
        continue;
      }
      EXPECT_EQ(closed.integer("price"), i == 0 ? 150 : 100 + i) << listing;
      EXPECT_EQ(owner, "player:" + name + (i == 0 ? "cem" : "bob")) << listing;
      paid += i == 0 ? 0 : 100 + i;
    }
    EXPECT_EQ(house_.gold(name + "bob"), std::to_string(10'000 - paid) + "/0");
    EXPECT_EQ(house_.gold(name + "cem"), "9850/0");
    EXPECT_EQ(house_.status(name + "later"), "active");
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_P(AuctionCrash, FiveRestartsSettleNothingThatHasNotEnded_C31) {
  house_.give("bob", 10'000);
  std::vector<Call> calls;
  std::vector<Call> bids;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(list(std::to_string(i)));
    if (i % 2 == 0) bids.push_back(bid(std::to_string(i), "bob", 100));
  }
  house_.set_up(calls);
  house_.set_up(bids);
  const std::vector<json::object> before = house_.items("/v1/players/sam/listings");
  ASSERT_EQ(before.size(), 20U);
  for (int restart = 1; restart <= 5; ++restart) {
    // One that has ended is settled: after it, the servers have looked for what is due.
    const std::string witness = "witness-" + std::to_string(restart);
    house_.set_up({list(witness, {.ends_at = wall_clock_now() + std::chrono::milliseconds(1'200)})});
    kill_all();
    start_all();
    ASSERT_TRUE(eventually([&] { return house_.status(witness) == "expired"; }));
  }
  for (const json::object& listing : before) {
    const Heard now = house_.listing(listing.at("id").as_string().c_str());
    EXPECT_EQ(now.string("status"), "active");
    for (const char* unchanged : {"ends_at", "version", "current_bid", "bid_count"}) {
      EXPECT_EQ(now.body.at(unchanged), listing.at(unchanged)) << unchanged;
    }
  }
  EXPECT_EQ(house_.gold("bob"), "9000/1000");
}

TEST_P(AuctionCrash, ABidThatWasAnsweredOutlivesAKillNine_C30) {
  house_.give("bob", 10'000);
  for (std::size_t round = 1; round <= rounds(6); ++round) {
    const std::string listing = std::to_string(round);
    house_.set_up({list(listing)});
    Client client(house_.port(round));
    const Call call = bid(listing, "bob", 150);
    const Heard told = client.call_until_decided(call);
    house_.site().server(round % house_.site().size()).process().kill_hard();
    ASSERT_EQ(told.result(), "201") << told.text;
    house_.site().server(round % house_.site().size()).start();
    const std::vector<json::object> bids = house_.items("/v1/listings/" + listing + "/bids");
    ASSERT_EQ(bids.size(), 1U);
    EXPECT_EQ(bids.front().at("id"), told.body.at("bid").at("id"));
    EXPECT_EQ(bids.front().at("placed_at"), told.body.at("bid").at("placed_at"));
    EXPECT_EQ(bids.front().at("amount").as_int64(), 150);
    EXPECT_EQ(house_.gold("bob"),
              std::to_string(10'000 - 150 * std::int64_t(round)) + "/" + std::to_string(150 * round));
    const Heard again = house_.call(call, round + 1);
    EXPECT_EQ(again.text, told.text);
    EXPECT_TRUE(again.replayed);
  }
}

/// Traders who bid on shared listings and buy out others, each call under its key until it is answered.
class Traders {
 public:
  struct Deed {
    Call call;
    Heard heard;
  };

  Traders(AuctionHouse& house, std::string name) : house_(house), name_(std::move(name)) {
    for (std::size_t i = 0; i < traders; ++i) threads_.emplace_back([this, i] { trade(i); });
  }
  ~Traders() { closing_ = true; }

  std::size_t answered() const { return answered_; }

  /// Everything done and told, when the last has an answer.
  std::vector<Deed> finish() {
    closing_ = true;
    threads_.clear();
    return std::move(deeds_);
  }

  std::string person(std::size_t i) const { return name_ + "trader-" + std::to_string(i); }
  static constexpr std::size_t traders = 6;
  static constexpr std::size_t shared = 3;

 private:
  void trade(std::size_t i) {
    for (std::size_t turn = 0; !closing_; ++turn) {
      const std::string shared_listing = name_ + "shared-" + std::to_string(turn % shared);
      const std::string own = person(i) + "-" + std::to_string(turn);
      if (turn % 4 == 3) {
        if (!ask(i, list(own)).is_done()) continue;
        ask(i, buy(own, person(i)));
      } else {
        ask(i, bid(shared_listing, person(i), ++price_));
      }
    }
  }

  /// The answer, from whichever server gives one.
  Heard ask(std::size_t i, const Call& call) {
    Heard heard;
    eventually([&] {
      heard = Client(house_.port(i + tries_++)).call(call);
      return heard.status != 0 && heard.status != 503;
    });
    if (heard.is_done()) ++answered_;
    const std::lock_guard lock(mutex_);
    deeds_.push_back({.call = call, .heard = heard});
    return heard;
  }

  AuctionHouse& house_;
  std::string name_;
  std::atomic<bool> closing_ = false;
  std::atomic<std::size_t> answered_ = 0;
  std::atomic<std::size_t> tries_ = 0;
  std::atomic<std::int64_t> price_ = 100;
  std::mutex mutex_;
  std::vector<Deed> deeds_;
  std::vector<std::jthread> threads_;
};

/// What was told as done is found as it was told.
void expect_found(AuctionHouse& house, const Traders::Deed& deed) {
  const Heard& heard = deed.heard;
  if (const json::value* bid = heard.body.if_contains("bid")) {
    const std::string listing = bid->at("listing_id").as_string().c_str();
    const std::vector<json::object> bids = house.items("/v1/listings/" + listing + "/bids");
    EXPECT_TRUE(std::ranges::any_of(bids, [&](const json::object& found) { return found == *bid; }))
        << heard.text;
  } else if (deed.call.target.ends_with("/buyout")) {
    const json::object& told = heard.body.at("listing").as_object();
    const std::string listing = told.at("id").as_string().c_str();
    EXPECT_EQ(house.listing(listing).string("buyer_id"), told.at("buyer_id").as_string()) << heard.text;
    EXPECT_EQ(house.get("/v1/items/" + listing).string("location"), "inventory") << heard.text;
  } else {
    EXPECT_EQ(house.listing(heard.string("id")).string("seller_id"), "sam") << heard.text;
  }
}

TEST_P(AuctionCrash, KillNineAtAnyMomentLosesNothingThatWasAnswered_C29) {
  for (std::size_t round = 1; round <= rounds(1); ++round) {
    std::mt19937_64 random(soak_seed() * 1'000'003 + round);
    const std::string name = std::to_string(round) + "-";
    std::vector<Call> calls;
    for (std::size_t i = 0; i < Traders::traders; ++i) {
      calls.push_back(deposit(name + "trader-" + std::to_string(i), 10'000'000));
    }
    for (std::size_t i = 0; i < Traders::shared; ++i) {
      calls.push_back(list(name + "shared-" + std::to_string(i), {.buyout_price = 10'000'000}));
    }
    house_.set_up(calls);
    Traders traders(house_, name);
    for (int kill = 0; kill < 4; ++kill) {
      const std::size_t until =
          traders.answered() + std::uniform_int_distribution<std::size_t>(5, 60)(random);
      ASSERT_TRUE(eventually([&] { return traders.answered() >= until; })) << "nobody gets an answer";
      Server& server = house_.site().server(random() % house_.site().size());
      server.process().kill_hard();
      server.start();
    }
    const std::size_t until = traders.answered() + 20;
    EXPECT_TRUE(eventually([&] { return traders.answered() >= until; })) << "the service does not recover";
    const std::vector<Traders::Deed> deeds = traders.finish();
    for (const Traders::Deed& deed : deeds) {
      const std::string result = deed.heard.result();
      EXPECT_TRUE(deed.heard.is_done() || result == "409 bid_too_low") << result << " " << deed.heard.text;
      if (deed.heard.is_done()) expect_found(house_, deed);
    }
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionCrash, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
