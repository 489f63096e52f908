#include "hotrow/engine/windows.hpp"

#include <gtest/gtest.h>

#include <latch>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/market_commands.hpp"

namespace hotrow {
namespace {

using std::chrono::hours;
using test::bid;
using test::Collector;

std::unique_ptr<Ticket> within(std::chrono::milliseconds window, Command command) {
  auto ticket = std::make_unique<Ticket>();
  ticket->command = std::move(command);
  ticket->hot_keys = hot_keys(ticket->command);
  ticket->arrived = std::chrono::steady_clock::now();
  ticket->gathers = window;
  return ticket;
}

std::string bidders(const Tickets& tickets) {
  std::string text;
  for (const auto& ticket : tickets) text += std::get<PlaceBid>(ticket->command.body).bidder;
  return text;
}

TEST(Windows, LetTheHighestGoFirstAndEqualsInOrderOfArrival) {
  std::vector<std::string> released;
  Windows windows([&](const Tickets& tickets) { released.push_back(bidders(tickets)); });
  for (const auto& [bidder, amount] : {std::pair{"a", 10}, {"b", 30}, {"c", 20}, {"d", 30}}) {
    windows.hold(within(hours(1), bid("sword", bidder, amount)));
  }
  windows.drain();
  EXPECT_EQ(released, std::vector<std::string>{"bdca"});
}

TEST(Windows, CloseByThemselvesEachAtItsOwnTime) {
  std::latch closed(2);
  Windows windows([&](const Tickets&) { closed.count_down(); });
  windows.hold(within(hours(1), bid("never", "a", 1)));
  windows.hold(within(std::chrono::milliseconds(2), bid("late", "a", 1)));
  windows.hold(within(std::chrono::milliseconds(1), bid("early", "a", 1)));
  closed.wait();
}

TEST(Windows, HoldNothingAfterTheDrain) {
  int released = 0;
  Windows windows([&](const Tickets& tickets) { released += int(tickets.size()); });
  windows.drain();
  windows.hold(within(hours(1), bid("sword", "a", 1)));
  EXPECT_EQ(released, 1);
}

/// The engine's drain closes the window, so that no test has to wait for it.
TEST(Windows, AWindowsHighestBidIsDecidedFirstAndARefusedOneBeatsNobody) {
  const auto store = open_memory_store();
  Observer observer;
  auto engine = std::move(*Engine::start(*store, {.gather_window = std::chrono::minutes(5)}, observer));
  Collector collector(*engine);
  for (const char* player : {"seller", "anna", "ben"}) collector.ask(test::deposit(player, 100));
  collector.ask(
      test::create_listing("sword", "seller", 10));  // From here on the engine knows the listing's end.
  const std::size_t first = collector.submit(bid("sword", "anna", 20));
  const std::size_t second = collector.submit(bid("sword", "poor", 90));
  const std::size_t third = collector.submit(bid("sword", "ben", 50));
  engine->drain();
  const std::vector<Result<Reply>> replies = collector.wait();
  EXPECT_EQ(test::code_of(replies[second]->answer), RejectionCode::insufficient_funds);
  EXPECT_EQ(test::bid_of(replies[third]->answer).bid.n, 1);
  EXPECT_EQ(test::code_of(replies[first]->answer), RejectionCode::bid_too_low);
}

/// The windows, if there were any, would be closed by the drain: what a policy says is seen in the order.
TEST(Windows, ArePolicysOfTheListingBeforeItsFamilysBeforeTheServers) {
  const auto store = open_memory_store();
  Observer observer;
  auto engine = std::move(*Engine::start(*store, {.gather_window = std::chrono::minutes(5)}, observer));
  Collector collector(*engine);
  for (const char* player : {"seller", "anna", "ben"}) collector.ask(test::deposit(player, 100));
  collector.ask(test::command_of(SetPolicy{.policy = {.scope = PolicyScope::family, .id = "swords"},
                                           .pressure = Pressure{.bid_window_ms = 0}}));
  collector.ask(test::create_listing("sword", "seller", 10));
  // The family's policy lets bids go at once, in the order in which they came.
  EXPECT_EQ(test::bid_of(collector.ask(bid("sword", "anna", 20))->answer).bid.n, 1);
  EXPECT_EQ(test::bid_of(collector.ask(bid("sword", "ben", 50))->answer).bid.n, 2);
  collector.ask(test::command_of(SetPolicy{.policy = {.scope = PolicyScope::listing, .id = "sword"},
                                           .pressure = Pressure{.bid_window_ms = 300'000}}));
  // This one still goes at once, and brings the listing's own policy with it.
  EXPECT_EQ(test::bid_of(collector.ask(bid("sword", "anna", 60))->answer).bid.n, 3);
  const std::size_t lower = collector.submit(bid("sword", "anna", 70));
  const std::size_t higher = collector.submit(bid("sword", "ben", 80));
  engine->drain();
  const std::vector<Result<Reply>> replies = collector.wait();
  EXPECT_EQ(test::bid_of(replies[higher]->answer).bid.n, 4);
  EXPECT_EQ(test::code_of(replies[lower]->answer), RejectionCode::bid_too_low);
}

/// Nobody is decided while the window is open, so that the row's queue fills.
TEST(QueueMax, IsHowManyMayWaitForARowHere) {
  const auto store = open_memory_store();
  Observer observer;
  auto engine = std::move(*Engine::start(*store, {.gather_window = std::chrono::minutes(5)}, observer));
  Collector collector(*engine);
  for (const char* player : {"seller", "a", "b", "c"}) collector.ask(test::deposit(player, 100));
  collector.ask(test::command_of(SetPolicy{.policy = {.scope = PolicyScope::family, .id = "swords"},
                                           .pressure = Pressure{.queue_max = 2}}));
  collector.ask(test::create_listing("sword", "seller", 10));
  const std::size_t first = collector.submit(bid("sword", "a", 20));
  const std::size_t second = collector.submit(bid("sword", "b", 30));
  const std::size_t third = collector.submit(bid("sword", "c", 40));
  EXPECT_TRUE(collector.ask(test::change_listing("sword", ListingAction::void_it)))
      << "operators are let through";
  engine->drain();
  const std::vector<Result<Reply>> replies = collector.wait();
  EXPECT_TRUE(replies[first]);
  EXPECT_TRUE(replies[second]);
  ASSERT_FALSE(replies[third]);
  EXPECT_EQ(replies[third].error().kind, ErrorKind::overloaded);
  EXPECT_EQ(replies[third].error().code, "queue_max");
}

TEST(Windows, NeverReachIntoTheLastMomentsOfAListing) {
  using std::chrono::milliseconds;
  const Command command = bid("sword", "anna", 1);
  const Row listing = ListingRow{.id = "sword", .ends_at = test::opening};
  const auto waits = [&](int left_ms) {
    return gather_time(command, listing, test::opening - milliseconds(left_ms), milliseconds(200)).count();
  };
  EXPECT_EQ(waits(10'000), 200);
  EXPECT_EQ(waits(450), 200);
  EXPECT_EQ(waits(449), 199);
  EXPECT_EQ(waits(251), 1);
  EXPECT_EQ(waits(250), 0);
  EXPECT_EQ(waits(-1), 0);
}

}  // namespace
}  // namespace hotrow
