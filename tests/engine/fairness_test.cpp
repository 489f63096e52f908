#include <gtest/gtest.h>

#include "hotrow/engine/combiner.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/market_commands.hpp"

namespace hotrow {
namespace {

using test::bid;
using test::Collector;

std::unique_ptr<Ticket> ticket_of(Command command) {
  auto ticket = std::make_unique<Ticket>();
  ticket->command = std::move(command);
  ticket->hot_keys = hot_keys(ticket->command);
  ticket->share = std::make_shared<const Share>(*share_of(ticket->command));
  ticket->weight = 1;
  return ticket;
}

/// How many more of this bidder's commands the combiner takes.
int takes(Combiner& combiner, const std::string& bidder) {
  int taken = 0;
  for (;; ++taken) {
    auto ticket = ticket_of(bid("listing", bidder, 1));
    if (!combiner.has_room(*ticket)) return taken;
    combiner.push(std::move(ticket));
  }
}

TEST(Fairness, WhoCrowdsTheQueueLeavesRoomForOthers) {
  Combiner combiner({.queue_weight_max = 100});
  EXPECT_EQ(takes(combiner, "stuffer"), 50);
  EXPECT_EQ(takes(combiner, "stuffer"), 0);
  EXPECT_EQ(takes(combiner, "another stuffer"), 25);
  for (int i = 0; i < 12; ++i) {
    auto ticket = ticket_of(bid("listing", "person " + std::to_string(i), 1));
    ASSERT_TRUE(combiner.has_room(*ticket)) << i;
    combiner.push(std::move(ticket));
  }
}

TEST(Fairness, RoomIsGivenBackWhenABatchIsTaken) {
  Combiner combiner({.queue_weight_max = 100});
  EXPECT_EQ(takes(combiner, "stuffer"), 50);
  EXPECT_EQ(combiner.take().size(), 50u);
  EXPECT_EQ(takes(combiner, "stuffer"), 50);
}

/// An engine whose store somebody else writes to, so that nothing is decided until release().
class CrowdedListing : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* player : {"seller", "anna", "ben"}) ask(test::deposit(player, 1'000));
    ask(test::create_listing("sword", "seller", 1));
    stranger_->begin({.id = {.server = "stranger", .number = 1}});
    ASSERT_TRUE(stranger_->lock(Keys{listing_key("sword")}));
  }

  void ask(Command command) { ASSERT_TRUE(Collector(*engine_).ask(std::move(command))); }
  void release() { stranger_->rollback(); }

  std::unique_ptr<Store> store_ = open_memory_store();
  Observer observer_;
  std::unique_ptr<Engine> engine_ = std::move(*Engine::start(*store_, {}, observer_));
  std::unique_ptr<Transaction> stranger_ = std::move(*store_->open_transaction());
};

TEST_F(CrowdedListing, TheFifthUndecidedBidOfOneBidderIsTooMany) {
  Collector collector(*engine_);
  for (int i = 1; i <= 4; ++i) collector.submit(bid("sword", "anna", i));
  const Result<Reply> fifth = collector.ask(bid("sword", "anna", 5));
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().kind, ErrorKind::overloaded);
  EXPECT_EQ(fifth.error().code, "too_many_undecided");
  collector.submit(bid("sword", "ben", 100));  // Another bidder has a share of his own.
  release();
  std::vector<Result<Reply>> replies = collector.wait();
  EXPECT_EQ(test::bid_of(replies.back()->answer).listing.lead->bidder, "ben");
  EXPECT_TRUE(collector.ask(bid("sword", "anna", 200)));  // Decided ones do not count.
}

TEST_F(CrowdedListing, RepeatsUnderOneKeyAreOneBid) {
  Collector collector(*engine_);
  for (int i = 0; i < 10; ++i) collector.submit(test::with_key(bid("sword", "anna", 7), "key"));
  release();
  for (const Result<Reply>& reply : collector.wait()) {
    ASSERT_TRUE(reply);
    EXPECT_EQ(test::bid_of(reply->answer).bid.n, 1);
  }
}

}  // namespace
}  // namespace hotrow
