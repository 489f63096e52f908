#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/e2e/auction.hpp"

// The last moments of a listing, and a market that stands still: one clock decides, and nothing is settled
// early or twice.
namespace hotrow::test {
namespace {

namespace json = boost::json;

Timestamp time_in(const json::object& object, const char* name) {
  return parse_rfc3339(std::string(object.at(name).as_string())).value();
}

class AuctionClose : public AuctionTest {};

/// Two who outbid each other without a pause from shortly before the end until they are told that it is over.
class LastMoments {
 public:
  LastMoments(AuctionHouse& house, std::string listing) : house_(house), listing_(std::move(listing)) {}

  std::string person(std::size_t side) const { return listing_ + (side == 0 ? "-bob" : "-cem"); }

  void fight(std::size_t side, Timestamp from) {
    Client client(house_.port(side + listing_.size()));
    client.get("/healthz");
    wait_until(from);
    Heard last;
    while (last.result() != "409 listing_closed") {
      last = client.call_until_decided(bid(listing_, person(side), ++price_));
      if (last.is_done()) ++accepted_;
      const bool expected =
          last.is_done() || last.result() == "409 bid_too_low" || last.result() == "409 listing_closed";
      if (!expected) ADD_FAILURE() << last.result() << " " << last.text;
      if (!expected) return;
    }
  }

  void expect_settled_once(Timestamp end) {
    ASSERT_TRUE(eventually([&] { return house_.status(listing_) != "active"; })) << "nobody settles";
    const Heard listing = house_.listing(listing_);
    EXPECT_EQ(listing.string("status"), "sold");
    EXPECT_EQ(listing.time("ends_at"), end);
    EXPECT_GE(listing.time("closed_at"), end);
    EXPECT_EQ(house_.events(listing_, "listing.sold"), 1);
    const std::vector<json::object> bids = house_.items("/v1/listings/" + listing_ + "/bids");
    EXPECT_EQ(bids.size(), accepted_);
    ASSERT_GT(bids.size(), 1U) << "nobody fought";
    for (const json::object& bid : bids) EXPECT_LT(time_in(bid, "placed_at"), end);
    const std::string winner = listing.string("buyer_id");
    EXPECT_EQ(winner, bids.back().at("bidder_id").as_string());
    EXPECT_EQ(listing.integer("price"), bids.back().at("amount").as_int64());
    const std::string& loser = winner == person(0) ? person(1) : person(0);
    EXPECT_EQ(house_.gold(winner), std::to_string(100'000 - listing.integer("price")) + "/0");
    EXPECT_EQ(house_.gold(loser), "100000/0");
  }

 private:
  AuctionHouse& house_;
  std::string listing_;
  std::atomic<std::int64_t> price_ = 100;
  std::atomic<std::size_t> accepted_ = 0;
};

TEST_P(AuctionClose, WhoFightsToTheLastMomentPaysOnceOrHasEverythingBack_C07_C14_C57) {
  for (std::size_t round = 1; round <= rounds(2); ++round) {
    const Timestamp end = wall_clock_now() + std::chrono::milliseconds(1'500);
    std::deque<LastMoments> fights;
    std::vector<Call> calls;
    for (int i = 0; i < 3; ++i) {
      const std::string listing = "sword-" + std::to_string(round) + "-" + std::to_string(i);
      fights.emplace_back(house_, listing);
      calls.push_back(list(listing, {.buyout_price = 1'000'000, .ends_at = end}));
      for (const std::size_t side : {0, 1}) calls.push_back(deposit(fights.back().person(side), 100'000));
    }
    house_.set_up(calls);
    {
      std::vector<std::jthread> threads;
      for (LastMoments& fight : fights) {
        for (const std::size_t side : {0, 1}) {
          threads.emplace_back([&, side] { fight.fight(side, end - std::chrono::milliseconds(300)); });
        }
      }
    }
    for (LastMoments& fight : fights) fight.expect_settled_once(end);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

/// Bids on every server until the market is paused. Returns all answers.
std::vector<Heard> trade_until_paused(AuctionHouse& house, const std::vector<std::string>& listings,
                                      std::atomic<std::int64_t>& price) {
  std::vector<std::vector<Heard>> heard(listings.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < listings.size(); ++i) {
      threads.emplace_back([&, i] {
        Client client(house.port(i));
        while (heard[i].empty() || heard[i].back().is_done()) {
          heard[i].push_back(
              client.call_until_decided(bid(listings[i], "bob-" + std::to_string(i), ++price)));
        }
      });
    }
    EXPECT_TRUE(eventually([&] { return price > 150; }));
    EXPECT_EQ(house.call(pause_market()).result(), "200");
  }
  std::vector<Heard> all;
  for (std::vector<Heard>& of : heard) std::move(of.begin(), of.end(), std::back_inserter(all));
  return all;
}

/// A promotion ends with the listings, and is closed by the same worker in the same turn, paused or not: once
/// it is closed, a server has looked and left the listings alone.
void put_witness(AuctionHouse& house, Timestamp end) {
  put_promotion(house.port(0), "witness",
                R"("title":"witness","rule":{"kind":"nth","targets":[1]},"starts_at":"2020-01-01T00:00:00Z",)"
                R"("ends_at":")" +
                    format_rfc3339(end) + '"');
}

bool has_closed_witness(AuctionHouse& house) {
  return house.get("/v1/promotions/witness").string("state") == "closed";
}

TEST_P(AuctionClose, APausedMarketSettlesNothingAndItsPauseIsGivenBack) {
  const std::vector<std::string> listings = {"one", "two", "three"};
  const Timestamp end = wall_clock_now() + std::chrono::milliseconds(2'500);
  std::vector<Call> calls = {list("unwanted", {.ends_at = end}), list("later")};
  for (std::size_t i = 0; i < listings.size(); ++i) {
    calls.push_back(list(listings[i], {.buyout_price = 1'000'000, .ends_at = end}));
    calls.push_back(deposit("bob-" + std::to_string(i), 1'000'000));
  }
  house_.set_up(calls);
  put_witness(house_, end + std::chrono::milliseconds(1));
  const Timestamp later = house_.listing("later").time("ends_at");
  std::atomic<std::int64_t> price = 100;
  for (const Heard& heard : trade_until_paused(house_, listings, price)) {
    EXPECT_TRUE(heard.is_done() || heard.result() == "409 market_paused") << heard.text;
  }
  const Heard pause = house_.call(pause_market());
  EXPECT_TRUE(pause.body.at("paused").as_bool());
  for (const Heard& heard : house_.at_once({bid("one", "bob-1", ++price), bid("two", "bob-2", ++price),
                                            buy("three", "bob-0"), cancel("later"), settle("unwanted")})) {
    EXPECT_EQ(heard.result(), "409 market_paused") << heard.text;
    EXPECT_TRUE(heard.body.at("retryable").as_bool());
    EXPECT_FALSE(heard.retry_after.empty());
  }
  EXPECT_TRUE(eventually([&] { return has_closed_witness(house_); }));
  for (const std::string listing : {"one", "two", "three", "unwanted", "later"}) {
    EXPECT_EQ(house_.status(listing), "active") << listing;
  }

  const Heard resumed = house_.call(resume_market(), 1);
  EXPECT_EQ(resumed.result(), "200");
  const auto length = resumed.time("server_time") - pause.time("paused_at");
  EXPECT_GT(length, std::chrono::microseconds(0));
  for (const std::string listing : {"one", "two", "three", "unwanted"}) {
    EXPECT_EQ(house_.listing(listing).time("ends_at"), end + length) << listing;
  }
  EXPECT_EQ(house_.listing("later").time("ends_at"), later + length);
  for (const Heard& heard : house_.at_once({bid("one", "bob-1", ++price), bid("two", "bob-2", ++price)})) {
    EXPECT_EQ(heard.result(), "201") << heard.text;
  }
  for (const std::string listing : {"one", "two", "three", "unwanted"}) {
    ASSERT_TRUE(eventually([&] { return house_.status(listing) != "active"; })) << listing;
    const Heard closed = house_.listing(listing);
    EXPECT_EQ(closed.string("status"), listing == "unwanted" ? "expired" : "sold") << listing;
    EXPECT_EQ(closed.time("ends_at"), end + length) << listing;
    EXPECT_GE(closed.time("closed_at"), end + length) << listing;
  }
  EXPECT_EQ(house_.status("later"), "active");
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionClose, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
