#include <gtest/gtest.h>

#include "tests/e2e/auction.hpp"
#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"

// Strangers in the auction's tables: who holds a row delays only those who need it, and a hand that has moved
// an item moves no money.
namespace hotrow::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Others than lanes, so that some of them share the lane of what is held.
constexpr int others = 8;

std::string other(int i) { return "other-" + std::to_string(i); }

/// An answer and how long it took.
struct Timed {
  Heard heard;
  milliseconds took{0};
};

Timed timed(AuctionHouse& house, const Call& call, std::size_t server = 0) {
  Client client(house.port(server));
  client.get("/healthz");
  const auto start = std::chrono::steady_clock::now();
  Heard heard = client.call(call);
  const auto took = std::chrono::steady_clock::now() - start;
  return {.heard = std::move(heard), .took = std::chrono::duration_cast<milliseconds>(took)};
}

/// Told within about the lock budget of a trade that nothing was done.
void expect_busy(const Timed& told) {
  EXPECT_EQ(told.heard.result(), "503 busy") << told.heard.text;
  if (told.heard.status != 503) return;
  EXPECT_TRUE(told.heard.body.at("retryable").as_bool());
  EXPECT_FALSE(told.heard.retry_after.empty());
  EXPECT_FALSE(told.heard.replayed);
  EXPECT_GE(told.took, milliseconds(150));
  EXPECT_LE(told.took, milliseconds(1'000));
}

void expect_others_go_on(AuctionHouse& house, std::int64_t price) {
  for (int i = 0; i < others; ++i) {
    for (const Heard& heard :
         house.at_once({bid(other(i), "bob", price), bid(other(i), "cem", price + 1)}, std::size_t(i))) {
      EXPECT_TRUE(heard.result() == "201" || heard.result() == "409 bid_too_low") << heard.text;
    }
  }
}

class AuctionStranger : public AuctionTest {
 protected:
  void open() {
    std::vector<Call> calls = {list("held"), deposit("pia", 1'000), deposit("bob", 10'000),
                               deposit("cem", 10'000)};
    for (int i = 0; i < others; ++i) calls.push_back(list(other(i)));
    house_.set_up(calls);
    house_.set_up({bid("held", "pia", 100)});
  }
};

TEST_P(AuctionStranger, WhoHoldsAListingDelaysOnlyWhoWantsIt_C48) {
  open();
  PostgresSession stranger(house_.database());
  stranger.query("BEGIN; SELECT * FROM hotrow.listing WHERE id = 'held' FOR UPDATE");
  const auto since = std::chrono::steady_clock::now();
  const Call held = bid("held", "bob", 150);
  for (std::int64_t turn = 0; std::chrono::steady_clock::now() - since < seconds(5); ++turn) {
    expect_busy(timed(house_, held, std::size_t(turn)));
    if (turn < 5) expect_others_go_on(house_, 100 + 10 * turn);
    ASSERT_FALSE(HasFailure()) << "turn " << turn;
  }
  const std::int64_t held_before = house_.get("/v1/players/bob/wallet").integer("held") +
                                   house_.get("/v1/players/cem/wallet").integer("held");
  std::int64_t leads = 0;
  for (int i = 0; i < others; ++i) leads += house_.listing(other(i)).integer("current_bid");
  EXPECT_EQ(held_before, leads) << "a bid that was told busy holds money";
  EXPECT_EQ(house_.gold("pia"), "900/100");
  stranger.query("ROLLBACK");
  const Heard now = house_.call(held);
  EXPECT_EQ(now.result(), "201") << now.text;
  EXPECT_FALSE(now.replayed);
  EXPECT_EQ(house_.gold("pia"), "1000/0");
  EXPECT_EQ(stranger.value("SELECT count(*) FROM hotrow.bid WHERE listing = 'held' AND bidder = 'bob'"), "1");
}

TEST_P(AuctionStranger, WhoHoldsALeadersWalletDelaysOnlyBidsOnThatListingAndThatWallet) {
  open();
  PostgresSession stranger(house_.database());
  stranger.query("BEGIN; SELECT * FROM hotrow.wallet WHERE owner = 'pia' FOR UPDATE");
  const Call held = bid("held", "bob", 150);
  const Call own = bid("other-0", "pia", 100);
  for (std::int64_t turn = 0; turn < 5; ++turn) {
    expect_busy(timed(house_, held, std::size_t(turn)));
    expect_busy(timed(house_, own, std::size_t(turn)));
    expect_others_go_on(house_, 110 + 10 * turn);
    EXPECT_EQ(house_.call(deposit("dan", 1), std::size_t(turn)).result(), "201");
    ASSERT_FALSE(HasFailure()) << "turn " << turn;
  }
  EXPECT_EQ(timed(house_, deposit("pia", 1)).heard.result(), "503 busy");
  stranger.query("ROLLBACK");
  EXPECT_EQ(house_.call(own).result(), "409 bid_too_low");
  EXPECT_EQ(house_.call(held).result(), "201");
  EXPECT_EQ(house_.gold("pia"), "1000/0");
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionStranger, testing::Values(Backend::postgres), name_of_backend);

class AuctionHand : public AuctionTest {
 protected:
  /// SQLite's file belongs to its server: a hand reaches it when that is down.
  void by_hand(const std::string& sql, const std::string& sqlite) {
    if (GetParam() == Backend::postgres) {
      run_sql(house_.database(), sql);
      return;
    }
    house_.site().server().process().signal(SIGTERM);
    ASSERT_EQ(house_.site().server().process().wait(seconds(25)), 0) << house_.site().server().log();
    run_sql(house_.database(), sqlite);
    house_.site().server().start();
  }

  void expect_set_aside(const Call& call, std::size_t server) {
    const Heard heard = house_.call(call, server);
    EXPECT_EQ(heard.result(), "409 listing_set_aside") << heard.text;
    EXPECT_EQ(house_.gold("pia"), "700/300");
    EXPECT_EQ(house_.gold("bob"), "1000/0");
    EXPECT_EQ(house_.gold("sam"), "999999/1");
    EXPECT_EQ(house_.house(), 0);
  }
};

TEST_P(AuctionHand, AnItemMovedOutOfItsEscrowMovesNoMoneyUntilAnOperatorVoidsTheListing) {
  house_.set_up({list("sword"), deposit("pia", 1'000), deposit("bob", 1'000)});
  house_.set_up({bid("sword", "pia", 300)});
  const std::string rest = "item SET location = 'inventory', listing = NULL WHERE id = 'sword'";
  ASSERT_NO_FATAL_FAILURE(by_hand("UPDATE hotrow." + rest, "UPDATE " + rest));
  const Call purchase = buy("sword", "bob");
  expect_set_aside(purchase, 0);
  expect_set_aside(purchase, 1);
  expect_set_aside(buy("sword", "pia"), 1);
  expect_set_aside(bid("sword", "bob", 400), 2);
  expect_set_aside(settle("sword"), 0);
  EXPECT_EQ(house_.status("sword"), "active");
  EXPECT_EQ(house_.events("sword", "listing.set_aside"), 1);

  const Finished verdict = verify(house_.database());
  EXPECT_EQ(verdict.exit_code, 1) << verdict.out << verdict.err;
  for (const std::string name : {"escrow_is_active_listings", "no_listing_is_set_aside"}) {
    EXPECT_NE(verdict.out.find("violated: " + name + " of "), std::string::npos) << verdict.out;
  }

  EXPECT_EQ(house_.call(void_it("sword")).result(), "200");
  EXPECT_EQ(house_.status("sword"), "voided");
  EXPECT_EQ(house_.gold("pia"), "1000/0");
  EXPECT_EQ(house_.gold("bob"), "1000/0");
  EXPECT_EQ(house_.gold("sam"), "1000000/0");
  EXPECT_EQ(house_.house(), 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, AuctionHand, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
