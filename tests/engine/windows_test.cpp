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

Command within(std::chrono::milliseconds window, Command command) {
  command.envelope.gather_window = window;
  return command;
}

std::unique_ptr<Ticket> ticket_of(Command command) {
  auto ticket = std::make_unique<Ticket>();
  ticket->command = std::move(command);
  ticket->hot_keys = hot_keys(ticket->command);
  ticket->arrived = std::chrono::steady_clock::now();
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
    windows.hold(ticket_of(within(hours(1), bid("sword", bidder, amount))));
  }
  windows.drain();
  EXPECT_EQ(released, std::vector<std::string>{"bdca"});
}

TEST(Windows, CloseByThemselvesEachAtItsOwnTime) {
  std::latch closed(2);
  Windows windows([&](const Tickets&) { closed.count_down(); });
  windows.hold(ticket_of(within(hours(1), bid("never", "a", 1))));
  windows.hold(ticket_of(within(std::chrono::milliseconds(2), bid("late", "a", 1))));
  windows.hold(ticket_of(within(std::chrono::milliseconds(1), bid("early", "a", 1))));
  closed.wait();
}

TEST(Windows, HoldNothingAfterTheDrain) {
  int released = 0;
  Windows windows([&](const Tickets& tickets) { released += int(tickets.size()); });
  windows.drain();
  windows.hold(ticket_of(within(hours(1), bid("sword", "a", 1))));
  EXPECT_EQ(released, 1);
}

/// The engine's drain closes the window, so that no test has to wait for it.
TEST(Windows, ARefusedBidBeatsNobody) {
  const auto store = open_memory_store();
  Observer observer;
  auto engine = std::move(*Engine::start(*store, {}, observer));
  Collector collector(*engine);
  for (const char* player : {"seller", "anna", "ben"}) collector.ask(test::deposit(player, 100));
  collector.ask(test::create_listing("sword", "seller", 10));
  const std::size_t first = collector.submit(within(hours(1), bid("sword", "anna", 20)));
  const std::size_t second = collector.submit(within(hours(1), bid("sword", "poor", 90)));
  const std::size_t third = collector.submit(within(hours(1), bid("sword", "ben", 50)));
  engine->drain();
  const std::vector<Result<Reply>> replies = collector.wait();
  EXPECT_EQ(test::code_of(replies[second]->answer), RejectionCode::insufficient_funds);
  EXPECT_EQ(test::bid_of(replies[third]->answer).bid.n, 1);
  EXPECT_EQ(test::code_of(replies[first]->answer), RejectionCode::bid_too_low);
}

}  // namespace
}  // namespace hotrow
