#include <gtest/gtest.h>

#include "tests/core/market_world.hpp"

// Everything that can be done to a listing, after everything that can be done to it. The first wins, the
// second is told so, and the books balance.
namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;

constexpr const char* actions[] = {"bid", "raise", "buyout", "cancel", "void", "settle", "set_aside"};

/// One of `actions` as a command; the second of a pair comes from somebody else. Settling waits for the end.
CommandBody body_of(const std::string& action, bool is_second) {
  const std::string other = is_second ? "D" : "C";
  if (action == "bid") return PlaceBid{.listing = "sword", .bidder = other, .amount = is_second ? 300 : 200};
  if (action == "raise") return PlaceBid{.listing = "sword", .bidder = "B", .amount = is_second ? 160 : 150};
  if (action == "buyout") return BuyOut{.listing = "sword", .buyer = other};
  ChangeListing change{
      .listing = "sword", .action = ListingAction::cancel, .seller = "S", .reason = "a test"};
  if (action == "void") change.action = ListingAction::void_it;
  if (action == "settle") change.action = ListingAction::settle;
  if (action == "set_aside") change.action = ListingAction::set_aside;
  return change;
}

/// "<first> <second>: <told> <told> | B | C | D | S | house | place".
std::string outcome_of(const MarketWorld& start, const std::string& first, const std::string& second,
                       bool in_one_batch) {
  MarketWorld world = start;
  world.checks = first != "set_aside" && second != "set_aside";
  const std::vector<Command> both = {test::command_of(body_of(first, false)),
                                     test::command_of(body_of(second, true))};
  std::string told;
  if (in_one_batch) {
    if (first == "settle" || second == "settle") world.now = world.listing("sword").ends_at;
    for (const Decision& decision : world.decide(both))
      told += " " + std::string(answer_result(decision.answer));
  } else {
    if (first == "settle") world.now = world.listing("sword").ends_at;
    told += " " + std::string(answer_result(world.decide(both[0]).answer));
    if (second == "settle") world.now = world.listing("sword").ends_at;
    told += " " + std::string(answer_result(world.decide(both[1]).answer));
  }
  std::string text = first + " " + second + ":" + told;
  for (const char* player : {"B", "C", "D", "S"}) text += " | " + world.money(player);
  return text + " | " + std::to_string(world.house()) + " | " + world.place("sword");
}

// The price is 120 (B's first bid), 150 (B's raise), 200 (C) or 500; the cut is 5 %; the deposit of 1 is kept
// only where the item goes back without an operator.
const std::vector<std::string> after_a_bid_of_b = {
    "bid bid: accepted accepted | 1000/0 | 1000/0 | 700/300 | 999/1 | 0 | escrow of sword",
    "bid raise: accepted bid_too_low | 1000/0 | 800/200 | 1000/0 | 999/1 | 0 | escrow of sword",
    "bid buyout: accepted accepted | 1000/0 | 1000/0 | 500/0 | 1475/0 | 25 | inventory of player:D",
    "bid cancel: accepted has_bids | 1000/0 | 800/200 | 1000/0 | 999/1 | 0 | escrow of sword",
    "bid void: accepted accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "bid settle: accepted accepted | 1000/0 | 800/0 | 1000/0 | 1190/0 | 10 | inventory of player:C",
    "bid set_aside: accepted listing_set_aside | 1000/0 | 800/200 | 1000/0 | 999/1 | 0 | escrow of sword",
    "raise bid: accepted accepted | 1000/0 | 1000/0 | 700/300 | 999/1 | 0 | escrow of sword",
    "raise raise: accepted accepted | 840/160 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "raise buyout: accepted accepted | 1000/0 | 1000/0 | 500/0 | 1475/0 | 25 | inventory of player:D",
    "raise cancel: accepted has_bids | 850/150 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "raise void: accepted accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "raise settle: accepted accepted | 850/0 | 1000/0 | 1000/0 | 1143/0 | 7 | inventory of player:B",
    "raise set_aside: accepted listing_set_aside | 850/150 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "buyout bid: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout raise: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout buyout: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout cancel: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout void: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout settle: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout set_aside: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of "
    "player:C",
    "cancel bid: has_bids accepted | 1000/0 | 1000/0 | 700/300 | 999/1 | 0 | escrow of sword",
    "cancel raise: has_bids accepted | 840/160 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "cancel buyout: has_bids accepted | 1000/0 | 1000/0 | 500/0 | 1475/0 | 25 | inventory of player:D",
    "cancel cancel: has_bids has_bids | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "cancel void: has_bids accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "cancel settle: has_bids accepted | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "cancel set_aside: has_bids listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of sword",
    "void bid: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void raise: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void buyout: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void cancel: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void void: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void settle: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void set_aside: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "settle bid: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle raise: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle buyout: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle cancel: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle void: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle settle: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of player:B",
    "settle set_aside: accepted listing_closed | 880/0 | 1000/0 | 1000/0 | 1114/0 | 6 | inventory of "
    "player:B",
    "set_aside bid: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of "
    "sword",
    "set_aside raise: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside buyout: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside cancel: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside void: listing_set_aside accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of "
    "player:S",
    "set_aside settle: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside set_aside: listing_set_aside listing_set_aside | 880/120 | 1000/0 | 1000/0 | 999/1 | 0 | "
    "escrow of sword",
};

const std::vector<std::string> without_a_bid = {
    "bid bid: accepted accepted | 1000/0 | 1000/0 | 700/300 | 999/1 | 0 | escrow of sword",
    "bid buyout: accepted accepted | 1000/0 | 1000/0 | 500/0 | 1475/0 | 25 | inventory of player:D",
    "bid cancel: accepted has_bids | 1000/0 | 800/200 | 1000/0 | 999/1 | 0 | escrow of sword",
    "bid void: accepted accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "bid settle: accepted accepted | 1000/0 | 800/0 | 1000/0 | 1190/0 | 10 | inventory of player:C",
    "bid set_aside: accepted listing_set_aside | 1000/0 | 800/200 | 1000/0 | 999/1 | 0 | escrow of sword",
    "buyout bid: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout buyout: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout cancel: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout void: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout settle: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of player:C",
    "buyout set_aside: accepted listing_closed | 1000/0 | 500/0 | 1000/0 | 1475/0 | 25 | inventory of "
    "player:C",
    "cancel bid: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "cancel buyout: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "cancel cancel: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "cancel void: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "cancel settle: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "cancel set_aside: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of "
    "player:S",
    "void bid: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void buyout: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void cancel: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void void: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void settle: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "void set_aside: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of player:S",
    "settle bid: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "settle buyout: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "settle cancel: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "settle void: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "settle settle: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of player:S",
    "settle set_aside: accepted listing_closed | 1000/0 | 1000/0 | 1000/0 | 999/0 | 1 | inventory of "
    "player:S",
    "set_aside bid: listing_set_aside listing_set_aside | 1000/0 | 1000/0 | 1000/0 | 999/1 | 0 | escrow of "
    "sword",
    "set_aside buyout: listing_set_aside listing_set_aside | 1000/0 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside cancel: listing_set_aside listing_set_aside | 1000/0 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside void: listing_set_aside accepted | 1000/0 | 1000/0 | 1000/0 | 1000/0 | 0 | inventory of "
    "player:S",
    "set_aside settle: listing_set_aside listing_set_aside | 1000/0 | 1000/0 | 1000/0 | 999/1 | 0 | escrow "
    "of sword",
    "set_aside set_aside: listing_set_aside listing_set_aside | 1000/0 | 1000/0 | 1000/0 | 999/1 | 0 | "
    "escrow of sword",
};

TEST(EveryPairOnAListing, AfterALeadHasOneWinnerAndBalancedBooks_C26) {
  MarketWorld start = open_market(sword("sword", 500));
  start.bid("sword", "B", 120);
  std::size_t row = 0;
  for (const char* first : actions) {
    for (const char* second : actions) {
      const std::string outcome = outcome_of(start, first, second, false);
      ASSERT_LT(row, after_a_bid_of_b.size()) << outcome;
      EXPECT_EQ(outcome, after_a_bid_of_b[row++]);
    }
  }
}

TEST(EveryPairOnAListing, WithoutALeadHasOneWinnerAndBalancedBooks_C26) {
  const MarketWorld start = open_market(sword("sword", 500));
  std::size_t row = 0;
  for (const char* first : actions) {
    for (const char* second : actions) {
      if (first == actions[1] || second == actions[1]) continue;
      const std::string outcome = outcome_of(start, first, second, false);
      ASSERT_LT(row, without_a_bid.size()) << outcome;
      EXPECT_EQ(outcome, without_a_bid[row++]);
    }
  }
}

TEST(EveryPairOnAListing, InOneBatchIsToldWhatItIsToldAlone) {
  MarketWorld start = open_market(sword("sword", 500));
  for (const bool has_lead : {false, true}) {
    if (has_lead) start.bid("sword", "B", 120);
    for (const std::string first : actions) {
      for (const std::string second : actions) {
        if (first != "settle" && second == "settle") continue;  // The end comes between the two.
        EXPECT_EQ(outcome_of(start, first, second, true), outcome_of(start, first, second, false));
      }
    }
  }
}

}  // namespace
}  // namespace hotrow
