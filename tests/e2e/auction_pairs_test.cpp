#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <thread>

#include "tests/e2e/auction.hpp"

// Everything that can be done to a listing, at the same moment as everything else, on different servers: one
// comes first, the other is told so, and every wallet is as after one of the two orders.
namespace hotrow::test {
namespace {

constexpr std::array<const char*, 4> before_the_end = {"bid", "buyout", "cancel", "void"};

/// What happens to one listing: what its two callers do, its end, and a server that settles by itself.
enum class Step : std::uint8_t { first, second, end, worker };

struct Pair {
  std::string listing;
  std::string first;    ///< By B, who bids 200.
  std::string second;   ///< By D, who bids 300.
  bool is_led = false;  ///< L leads with 120 when both come.
  bool is_at_the_end = false;

  std::string person(const char* name) const { return listing + "-" + name; }
};

/// The rules in words, for a listing that starts at 100 and sells at 500 with a cut of 5 % and a deposit
/// of 1.
class Rules {
 public:
  explicit Rules(bool is_led) {
    if (is_led) lead("L", 120);
  }

  std::string take(const std::string& action, bool is_second) {
    const char* who = is_second ? "D" : "B";
    if (status_ != "active") return "409 listing_closed";
    if (action == "void") return close("voided", "", 0);
    if (action == "settle") return has_ended_ ? settle() : "409 not_ended";
    if (has_ended_) return "409 listing_closed";
    if (action == "buyout") return buy(who);
    if (action == "cancel") return leader_.empty() ? close("cancelled", "", 0) : "409 has_bids";
    const std::int64_t amount = is_second ? 300 : 200;
    if (amount <= price_) return "409 bid_too_low";
    lead(who, amount);
    return "201";
  }

  void end() { has_ended_ = true; }

  /// "<status> | L | B | D".
  std::string books() { return status_ + " | " + gold("L") + " | " + gold("B") + " | " + gold("D"); }

 private:
  std::string buy(const char* who) {
    release();
    return close("sold", who, 500);
  }

  std::string settle() {
    const std::string winner = leader_;
    const std::int64_t price = price_;
    release();
    return winner.empty() ? close("expired", "", 0) : close("sold", winner, price);
  }

  std::string close(const char* status, const std::string& buyer, std::int64_t price) {
    release();
    status_ = status;
    if (!buyer.empty()) available_[buyer] -= price;
    return "200";
  }

  void lead(const std::string& who, std::int64_t amount) {
    release();
    leader_ = who;
    price_ = amount;
  }

  void release() {
    leader_.clear();
    price_ = 0;
  }

  std::string gold(const std::string& who) {
    const std::int64_t held = who == leader_ ? price_ : 0;
    return std::to_string(available_[who] - held) + "/" + std::to_string(held);
  }

  std::map<std::string, std::int64_t> available_ = {{"L", 1'000}, {"B", 1'000}, {"D", 1'000}};
  std::string status_ = "active";
  std::string leader_;
  std::int64_t price_ = 0;
  bool has_ended_ = false;
};

/// "<told first> + <told second> = <books>" of every order in which this can happen.
std::set<std::string> possible(const Pair& pair) {
  std::vector<Step> steps = {Step::first, Step::second};
  if (pair.is_at_the_end) steps.insert(steps.end(), {Step::end, Step::worker});
  std::set<std::string> all;
  do {
    Rules rules(pair.is_led);
    std::array<std::string, 2> told;
    for (const Step step : steps) {
      if (step == Step::first) told[0] = rules.take(pair.first, false);
      if (step == Step::second) told[1] = rules.take(pair.second, true);
      if (step == Step::end) rules.end();
      if (step == Step::worker) rules.take("settle", false);
    }
    // By the end of the test somebody has settled what ended.
    if (pair.is_at_the_end) rules.take("settle", false);
    all.insert(told[0] + " + " + told[1] + " = " + rules.books());
  } while (std::ranges::next_permutation(steps).found);
  return all;
}

std::string shown(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

class AuctionPairs : public AuctionTest {
 protected:
  Call call_for(const Pair& pair, bool is_second) const {
    const std::string& action = is_second ? pair.second : pair.first;
    const std::string who = pair.person(is_second ? "D" : "B");
    if (action == "bid") return bid(pair.listing, who, is_second ? 300 : 200);
    if (action == "buyout") return buy(pair.listing, who);
    if (action == "cancel") return cancel(pair.listing);
    return action == "void" ? void_it(pair.listing) : settle(pair.listing);
  }

  void open(const std::vector<Pair>& pairs, std::optional<Timestamp> ends_at) {
    std::vector<Call> calls;
    std::vector<Call> leads;
    for (const Pair& pair : pairs) {
      calls.push_back(list(pair.listing, {.ends_at = ends_at}));
      for (const char* name : {"L", "B", "D"}) calls.push_back(deposit(pair.person(name), 1'000));
      if (pair.is_led) leads.push_back(bid(pair.listing, pair.person("L"), 120));
    }
    house_.set_up(calls);
    house_.set_up(leads);
  }

  void expect_one_order(const Pair& pair, const Heard& first, const Heard& second) {
    std::string line = first.result() + " + " + second.result() + " = " + house_.status(pair.listing);
    for (const char* name : {"L", "B", "D"}) line += " | " + house_.gold(pair.person(name));
    const std::set<std::string> orders = possible(pair);
    EXPECT_TRUE(orders.contains(line)) << pair.listing << ": " << pair.first << " and " << pair.second
                                       << (pair.is_led ? " of a led one" : "") << " came to\n  " << line
                                       << "\nand not to one of" << shown(orders);
    const std::int64_t ends =
        house_.events(pair.listing, "listing.sold") + house_.events(pair.listing, "listing.expired") +
        house_.events(pair.listing, "listing.cancelled") + house_.events(pair.listing, "listing.voided");
    EXPECT_EQ(ends, house_.status(pair.listing) == "active" ? 0 : 1) << pair.listing;
  }
};

TEST_P(AuctionPairs, OfTwoActionsAtOnceOneComesFirst_C26) {
  for (std::size_t round = 1; round <= rounds(3); ++round) {
    std::vector<Pair> pairs;
    for (const char* first : before_the_end) {
      for (const char* second : before_the_end) {
        for (const bool is_led : {false, true}) {
          const std::string listing = std::to_string(round) + "-" + std::to_string(pairs.size());
          pairs.push_back({.listing = listing, .first = first, .second = second, .is_led = is_led});
        }
      }
    }
    open(pairs, std::nullopt);
    for (const Pair& pair : pairs) {
      const std::vector<Heard> heard = house_.at_once({call_for(pair, false), call_for(pair, true)}, round);
      expect_one_order(pair, heard[0], heard[1]);
    }
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

/// Settles until somebody has; the last answer.
Heard settle_when_due(Client& client, const Pair& pair) {
  Heard heard = client.call_until_decided(settle(pair.listing));
  while (heard.result() == "409 not_ended") heard = client.call_until_decided(settle(pair.listing));
  return heard;
}

TEST_P(AuctionPairs, OfAnActionAndTheSettlementAtOnceOneComesFirst_C26) {
  std::mt19937_64 random(soak_seed());
  for (std::size_t round = 1; round <= rounds(2); ++round) {
    const Timestamp end = wall_clock_now() + std::chrono::seconds(3);
    std::vector<Pair> pairs;
    for (const std::string first : {"bid", "buyout", "cancel", "void", "settle"}) {
      for (const bool is_led : {false, true}) {
        const std::string listing = std::to_string(round) + "-" + std::to_string(pairs.size());
        pairs.push_back({.listing = listing,
                         .first = first,
                         .second = "settle",
                         .is_led = is_led,
                         .is_at_the_end = true});
      }
    }
    open(pairs, end);
    std::vector<std::array<Heard, 2>> heard(pairs.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::chrono::microseconds around(std::uniform_int_distribution<int>(-60'000, 10'000)(random));
        threads.emplace_back([&, i, at = end + around] {
          Client client(house_.port(i));
          client.get("/healthz");
          wait_until(at);
          heard[i][0] = pairs[i].first == "settle" ? settle_when_due(client, pairs[i])
                                                   : client.call_until_decided(call_for(pairs[i], false));
        });
        threads.emplace_back([&, i] {
          Client client(house_.port(i + 1));
          client.get("/healthz");
          wait_until(end - std::chrono::milliseconds(5));
          heard[i][1] = settle_when_due(client, pairs[i]);
        });
      }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) expect_one_order(pairs[i], heard[i][0], heard[i][1]);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionPairs, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
