#include <gtest/gtest.h>

#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::command_of;
using test::MarketWorld;
using test::open_market;
using test::sword;
using test::with_key;
using namespace std::chrono_literals;

const Owner buyer{.kind = OwnerKind::player, .id = "B"};

const ListingRow* listing_of(const Answer& answer) {
  const auto* outcome = std::get_if<Outcome>(&answer);
  if (outcome == nullptr) return nullptr;
  if (const auto* listing = std::get_if<ListingAnswer>(outcome)) return &listing->listing;
  if (const auto* bid = std::get_if<BidAnswer>(outcome)) return &bid->listing;
  if (const auto* buyout = std::get_if<BuyoutAnswer>(outcome)) return &buyout->listing;
  return nullptr;
}

/// Says it twice, with a day and much else in between, and expects the same answer and no second effect.
void expect_same_again(MarketWorld world, const CommandBody& body) {
  const Command command = with_key(command_of(body), "key");
  const Decision first = world.decide(command);
  EXPECT_FALSE(first.replayed);
  ASSERT_TRUE(is_stored(first.answer)) << command_kind(command);
  world.bid("sword", "D", 300);
  world.now = world.now + 24h;
  world.settle("sword");
  world.block("B");
  world.block("S");
  world.pause();
  const auto before = test::row_texts(world.rows());
  const Decision again = world.decide(command);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(test::text_of(again.answer), test::text_of(first.answer)) << command_kind(command);
  EXPECT_EQ(test::row_texts(world.rows()), before);
  const ListingRow* told = listing_of(first.answer);
  const ListingRow* retold = listing_of(again.answer);
  ASSERT_EQ(told == nullptr, retold == nullptr);
  if (told == nullptr) return;
  ASSERT_NE(retold->terms, nullptr);
  EXPECT_EQ(*retold->terms, *told->terms);
}

TEST(Replay, TellsEveryKindOfAnswerAgainAndDoesNothing_C49) {
  const MarketWorld world = open_market(sword("sword", 500));
  expect_same_again(world, MoveMoney{.owner = buyer, .amount = 5});
  expect_same_again(world, MoveMoney{.kind = LedgerReason::withdrawal, .owner = buyer, .amount = 5});
  expect_same_again(
      world, MoveMoney{.kind = LedgerReason::transfer, .owner = buyer, .to = Owner{.id = "C"}, .amount = 5});
  expect_same_again(world, CreateItem{.facts = {.id = "new", .family = "swords"}, .owner = buyer});
  expect_same_again(world, sword("another"));
  expect_same_again(world, PlaceBid{.listing = "sword", .bidder = "B", .amount = 100});
  expect_same_again(world, BuyOut{.listing = "sword", .buyer = "B"});
  expect_same_again(world, ChangeListing{.listing = "sword", .action = ListingAction::cancel, .seller = "S"});
  expect_same_again(world,
                    ChangeListing{.listing = "sword", .action = ListingAction::void_it, .reason = "a fraud"});
  expect_same_again(world, RestrictPlayer{.player = "Z", .trade_blocked = true, .reason = "a bot"});
  expect_same_again(world, ChangeMarket{.pause = true, .reason = "a patch"});
}

TEST(Replay, TellsASettlementAndAWithdrawnItemAgain) {
  MarketWorld world = open_market();
  world.hear(CreateItem{.facts = {.id = "shield", .family = "shields"}, .owner = buyer});
  world.now = world.now + 1h;
  expect_same_again(world, ChangeListing{.listing = "sword", .action = ListingAction::settle});
  expect_same_again(world, WithdrawItem{.item = "shield", .owner = buyer});
}

TEST(Replay, TellsFinalRefusalsAgain_C51) {
  const MarketWorld world = open_market(sword("sword", 500));
  expect_same_again(world, PlaceBid{.listing = "sword", .bidder = "B", .amount = 99});
  expect_same_again(world, PlaceBid{.listing = "sword", .bidder = "B", .amount = 500});
  expect_same_again(world, PlaceBid{.listing = "sword", .bidder = "poor", .amount = 100});
  expect_same_again(world, PlaceBid{.listing = "sword", .bidder = "S", .amount = 100});
  expect_same_again(world, BuyOut{.listing = "sword", .buyer = "B", .expected_price = 1});
  expect_same_again(world, ChangeListing{.listing = "sword", .action = ListingAction::cancel, .seller = "B"});
}

TEST(Replay, OfABidTellsItsListingAsItWasThen) {
  MarketWorld world = open_market();
  const Command bid = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "key");
  world.decide(bid);
  world.bid("sword", "C", 200);
  const Decision again = world.decide(bid);
  EXPECT_EQ(listing_of(again.answer)->lead->bidder, "B");
  EXPECT_EQ(std::get<BidAnswer>(std::get<Outcome>(again.answer)).wallet.held, 100);
}

TEST(Replay, DoesNotStandInTheWayOfWhatMaySucceedLater_C48) {
  MarketWorld world = open_market();
  const Command bid = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "bid");
  world.pause();
  EXPECT_EQ(world.hear(bid), "market_paused");
  world.pause(false);
  EXPECT_EQ(world.hear(bid), "ok");
  const Command settle =
      with_key(command_of(ChangeListing{.listing = "sword", .action = ListingAction::settle}), "settle");
  EXPECT_EQ(world.hear(settle), "not_ended");
  world.now = world.now + 1h;
  EXPECT_EQ(world.hear(settle), "ok");
  const Command unknown =
      with_key(command_of(PlaceBid{.listing = "new", .bidder = "B", .amount = 100}), "unknown");
  EXPECT_EQ(world.hear(unknown), "listing_not_found");
  world.list(sword("new"));
  EXPECT_EQ(world.hear(unknown), "ok");
}

TEST(Replay, OfAListingThatWasNotThereWhenLockedIsAConflictForTheStore) {
  MarketWorld world = open_market();
  const Command bid = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "key");
  world.decide(bid);
  RowSet rows;
  for (const auto& [key, row] : world.rows()) rows.put(key, row);
  rows.put(listing_key("sword"), std::nullopt);
  const Decision decision = decide(bid, rows, world.now);
  EXPECT_FALSE(decision.replayed);
  ASSERT_EQ(decision.changes.size(), 1u);
  EXPECT_EQ(decision.changes[0].key.kind, KeyKind::answer);
  EXPECT_EQ(decision.changes[0].how, RowWrite::How::insert);
}

TEST(Replay, OfAStaleVersionIsJudgedAgain) {
  MarketWorld world = open_market();
  PlaceBid body{.listing = "sword", .bidder = "B", .amount = 100, .if_version = 7};
  EXPECT_EQ(world.hear(with_key(command_of(body), "key")), "precondition_failed");
  body.if_version = 1;  // If-Match is no part of what the fingerprint is made of.
  EXPECT_EQ(world.hear(with_key(command_of(body), "key")), "ok");
}

TEST(Replay, TwinsInOneBatchHaveOneEffect) {
  MarketWorld world = open_market();
  const Command bid = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "key");
  const std::vector<Decision> decisions = world.decide(std::vector<Command>{bid, bid, bid});
  EXPECT_FALSE(decisions[0].replayed);
  EXPECT_TRUE(decisions[1].replayed);
  EXPECT_TRUE(decisions[2].replayed);
  EXPECT_EQ(world.listing("sword").bids, 1);
}

TEST(Replay, UnderAnotherPrincipalIsAnotherCommand_C49) {
  MarketWorld world = open_market();
  Command b = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "key");
  Command c = with_key(command_of(PlaceBid{.listing = "sword", .bidder = "C", .amount = 200}), "key");
  b.envelope.principal = "player:B";
  c.envelope.principal = "player:C";
  EXPECT_EQ(world.hear(b), "ok");
  EXPECT_EQ(world.hear(c), "ok");
  EXPECT_EQ(world.listing("sword").lead->bidder, "C");
}

TEST(Replay, WithAnotherAmountIsRefusedAndHasNoEffect_C49) {
  MarketWorld world = open_market();
  const Command bid =
      with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}), "key", "100");
  world.decide(bid);
  const Command other =
      with_key(command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 200}), "key", "200");
  EXPECT_EQ(world.hear(other), "idempotency_key_reused");
  EXPECT_EQ(world.listing("sword").lead->amount, 100);
}

}  // namespace
}  // namespace hotrow
