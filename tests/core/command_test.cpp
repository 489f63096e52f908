#include "hotrow/core/command.hpp"

#include <gtest/gtest.h>

#include "hotrow/core/listing.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::command_of;
using test::MarketWorld;
using test::open_market;
using test::sword;
using namespace std::chrono_literals;

const Owner player{.kind = OwnerKind::player, .id = "B"};
const Owner guild{.kind = OwnerKind::guild, .id = "B"};

std::string hot(const CommandBody& body) {
  std::string text;
  for (const Key& key : hot_keys(command_of(body))) text += (text.empty() ? "" : ", ") + describe(key);
  return text;
}

TEST(HotKeys, NameWhatACommandContendsForBeforeAnythingIsRead) {
  EXPECT_EQ(hot(MoveMoney{.owner = player, .currency = "krw", .amount = 1}), "wallet 'player' 'B'");
  EXPECT_EQ(hot(MoveMoney{.kind = LedgerReason::transfer, .owner = player, .to = guild, .amount = 1}),
            "wallet 'player' 'B', wallet 'guild' 'B'");
  EXPECT_EQ(hot(CreateItem{.facts = {.id = "i"}, .owner = player}), "item 'i'");
  EXPECT_EQ(hot(WithdrawItem{.item = "i", .owner = player}), "item 'i'");
  EXPECT_EQ(hot(sword("l")), "listing 'l', wallet 'player' 'S'");
  EXPECT_EQ(hot(PlaceBid{.listing = "l", .bidder = "B"}), "listing 'l', wallet 'player' 'B'");
  EXPECT_EQ(hot(BuyOut{.listing = "l", .buyer = "B"}), "listing 'l', wallet 'player' 'B'");
  EXPECT_EQ(hot(ChangeListing{.listing = "l", .action = ListingAction::cancel, .seller = "S"}),
            "listing 'l'");
  EXPECT_EQ(hot(RestrictPlayer{.player = "B"}), "player 'B'");
  EXPECT_EQ(hot(ChangeMarket{.pause = true}), "market");
  EXPECT_EQ(hot(SetPolicy{.policy = {.scope = PolicyScope::family, .id = "f"}}), "policy 'family' 'f'");
}

TEST(HotForm, IsTheKeyItselfButOfAWalletWithoutItsCurrency) {
  const Key wallet = wallet_key(player_wallet("B", "krw"));
  EXPECT_EQ(describe(hot_form(wallet)), "wallet 'player' 'B'");
  for (const Key& key : {listing_key("l"), item_key("i"), player_key("p"), promotion_key("p")}) {
    EXPECT_EQ(hot_form(key), key);
  }
}

TEST(HotForm, OfWhatATradeLocksIsWhatItsHotKeysName) {
  MarketWorld world = open_market(sword("sword", 500));
  RowSet rows;
  for (const auto& [key, row] : world.rows()) rows.put(key, row);
  for (const CommandBody& body :
       {CommandBody(PlaceBid{.listing = "sword", .bidder = "B", .amount = 100}),
        CommandBody(BuyOut{.listing = "sword", .buyer = "B"}), CommandBody(sword("new"))}) {
    Keys needed;
    keys_needed(command_of(body), rows, needed);
    for (const Key& hot : hot_keys(command_of(body))) {
      EXPECT_EQ(std::count_if(needed.begin(), needed.end(),
                              [&hot](const Key& key) { return hot_form(key) == hot; }),
                1)
          << describe(hot);
    }
  }
}

TEST(CommandKind, HasAnOwnNameForEach) {
  const std::vector<std::pair<CommandBody, std::string>> kinds = {
      {PutPromotion{}, "put_promotion"},
      {ChangePromotion{.promotion = "p", .action = PromotionAction::close}, "change_promotion"},
      {EnterPromotion{}, "enter_promotion"},
      {EnterPromotionBatch{}, "enter_promotion_batch"},
      {MoveMoney{}, "move_money"},
      {CreateItem{}, "create_item"},
      {WithdrawItem{}, "withdraw_item"},
      {CreateListing{}, "create_listing"},
      {PlaceBid{}, "place_bid"},
      {BuyOut{}, "buy_out"},
      {ChangeListing{.listing = "l", .action = ListingAction::settle}, "change_listing"},
      {RestrictPlayer{}, "restrict_player"},
      {ChangeMarket{}, "change_market"},
      {SetPolicy{}, "set_policy"}};
  EXPECT_EQ(kinds.size(), std::variant_size_v<CommandBody>);
  for (const auto& [body, kind] : kinds) EXPECT_EQ(command_kind(command_of(body)), kind);
}

TEST(LockBudget, IsShortForBidsAndBuyouts) {
  EXPECT_EQ(lock_budget(command_of(PlaceBid{})), 200ms);
  EXPECT_EQ(lock_budget(command_of(BuyOut{})), 200ms);
  EXPECT_EQ(lock_budget(command_of(MoveMoney{})), 2s);
  EXPECT_EQ(lock_budget(command_of(ChangeListing{.listing = "l", .action = ListingAction::settle})), 2s);
  EXPECT_EQ(lock_budget(command_of(CreateListing{})), 2s);
}

/// Fails when the command writes more rows than its weight says.
void expect_within_weight(MarketWorld& world, const CommandBody& body) {
  static int number = 0;
  const Command command = test::with_key(command_of(body), "key" + std::to_string(++number));
  const Decision decision = world.decide(command);
  EXPECT_TRUE(std::holds_alternative<Outcome>(decision.answer)) << command_kind(command);
  EXPECT_LE(decision.changes.size(), weight(command)) << command_kind(command);
}

TEST(Weight, IsNotLessThanTheRowsThatTheLargestOfAKindWrites) {
  CreateListing create = sword("sword", 500);
  create.on_close = OnClose::outside;
  create.anti_snipe = AntiSnipe{.window_seconds = 1800, .extend_seconds = 1800, .max_extensions = 100};
  MarketWorld world;
  for (const char* name : {"S", "B", "C", "D"}) world.deposit(name, 10'000);
  MoveMoney gift{.kind = LedgerReason::transfer, .owner = player, .to = guild, .amount = 1};
  gift.external_id = "x";
  expect_within_weight(world, gift);
  expect_within_weight(world, CreateItem{.facts = {.id = "i", .family = "f"}, .owner = player});
  expect_within_weight(world, WithdrawItem{.item = "i", .owner = player});
  expect_within_weight(world, RestrictPlayer{.player = "Z", .trade_blocked = true, .reason = "a bot"});
  expect_within_weight(world, ChangeMarket{.pause = true, .reason = "a patch"});
  expect_within_weight(world, ChangeMarket{.pause = false, .reason = "a patch"});
  expect_within_weight(world, SetPolicy{.players = PlayerLimits{.max_leading_bids = 5}});
  expect_within_weight(world, create);
  world.now = world.now + 50min;
  expect_within_weight(world, PlaceBid{.listing = "sword", .bidder = "B", .amount = 100});
  world.now = world.now + 5min;
  expect_within_weight(world, PlaceBid{.listing = "sword", .bidder = "C", .amount = 200});
  expect_within_weight(world, BuyOut{.listing = "sword", .buyer = "D"});
  for (const ListingAction action : {ListingAction::settle, ListingAction::void_it}) {
    CreateListing other = sword(action == ListingAction::settle ? "settled" : "voided");
    other.on_close = OnClose::outside;
    expect_within_weight(world, other);
    world.bid(other.listing, "B", 100);
    if (action == ListingAction::settle) world.now = world.now + 1h;
    expect_within_weight(world,
                         ChangeListing{.listing = other.listing, .action = action, .reason = "a test"});
  }
}

TEST(DueCommand, OfAListingSettlesItAndThePoisonedOneIsSetAside) {
  const auto due = std::get<ChangeListing>(due_command(listing_key("l")));
  EXPECT_EQ(due.listing, "l");
  EXPECT_EQ(due.action, ListingAction::settle);
  const auto poison = std::get<ChangeListing>(*poison_command(listing_key("l"), "it fails"));
  EXPECT_EQ(poison.listing, "l");
  EXPECT_EQ(poison.action, ListingAction::set_aside);
  EXPECT_EQ(poison.reason, "it fails");
  EXPECT_FALSE(poison_command(promotion_key("p"), "it fails"));
}

TEST(AnswerResult, TellsRepeatsAndListingsThatWereSetAsideFromAcceptedOnes) {
  EXPECT_EQ(answer_result(Outcome(MoneyAnswer{})), "accepted");
  EXPECT_EQ(answer_result(Outcome(MoneyAnswer{.already = true})), "already");
  EXPECT_EQ(answer_result(Outcome(SetAsideAnswer{})), "listing_set_aside");
  EXPECT_EQ(answer_result(Outcome(BidAnswer{})), "accepted");
  EXPECT_EQ(answer_result(Rejection{.code = RejectionCode::bid_too_low, .detail = ""}), "bid_too_low");
}

TEST(RoutingHash, OfAuctionKeysIsTheSameInEveryBuild) {
  EXPECT_EQ(routing_hash(listing_key("sword")), 0x9e6edc348d4220deULL);
  EXPECT_EQ(routing_hash(hot_form(wallet_key({.owner = player}))), 0x1fba7f58344b8d68ULL);
  EXPECT_EQ(routing_hash(hot_form(wallet_key({.owner = guild}))), 0xc542a0470200debfULL);
}

}  // namespace
}  // namespace hotrow
