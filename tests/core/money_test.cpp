#include <gtest/gtest.h>

#include "hotrow/base/checked.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;

Owner player(std::string id) { return {.kind = OwnerKind::player, .id = std::move(id)}; }
Owner guild(std::string id) { return {.kind = OwnerKind::guild, .id = std::move(id)}; }

MoveMoney withdrawal(Owner owner, std::int64_t amount) {
  return {.kind = LedgerReason::withdrawal, .owner = std::move(owner), .amount = amount};
}

MoveMoney transfer(Owner from, Owner to, std::int64_t amount) {
  return {.kind = LedgerReason::transfer, .owner = std::move(from), .to = std::move(to), .amount = amount};
}

MoneyAnswer moved(MarketWorld& world, const MoveMoney& move) {
  return std::get<MoneyAnswer>(std::get<Outcome>(world.decide(test::command_of(move)).answer));
}

TEST(Money, ComesInGoesOutAndEachMovementIsOneLine) {
  MarketWorld world;
  EXPECT_EQ(moved(world, {.owner = player("B"), .amount = 100}).n, 1);
  const MoneyAnswer answer = moved(world, withdrawal(player("B"), 30));
  EXPECT_EQ(answer.n, 2);
  EXPECT_EQ(answer.wallet.available, 70);
  EXPECT_EQ(answer.wallet.version, 2);
  EXPECT_FALSE(answer.already);
  EXPECT_EQ(world.hear(withdrawal(player("B"), 71)), "insufficient_funds");
  EXPECT_EQ(world.hear(withdrawal(player("B"), 70)), "ok");
  EXPECT_EQ(world.money("B"), "0/0");
}

TEST(Money, ThatIsHeldCannotLeave_C12) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 900);
  EXPECT_EQ(world.hear(withdrawal(player("B"), 101)), "insufficient_funds");
  EXPECT_EQ(world.hear(transfer(player("B"), player("C"), 101)), "insufficient_funds");
  EXPECT_EQ(world.hear(withdrawal(player("B"), 100)), "ok");
  EXPECT_EQ(world.money("B"), "0/900");
}

TEST(Money, IsTransferredInOneCommandBetweenAnyTwoOwners) {
  MarketWorld world;
  world.deposit("B", 100);
  const MoneyAnswer answer = moved(world, transfer(player("B"), guild("B"), 60));
  EXPECT_EQ(answer.wallet.available, 40);
  EXPECT_EQ(answer.to->available, 60);
  EXPECT_EQ(answer.to->id.owner, guild("B"));
  EXPECT_EQ(world.hear(transfer(guild("B"), player("B"), 60)), "ok");
  EXPECT_EQ(world.money("B"), "100/0");
}

TEST(Money, OfEachCurrencyIsApart) {
  MarketWorld world;
  world.deposit("B", 100);
  world.hear(MoveMoney{.owner = player("B"), .currency = "krw", .amount = 5});
  EXPECT_EQ(world.money("B", "krw"), "5/0");
  EXPECT_EQ(world.hear(MoveMoney{
                .kind = LedgerReason::withdrawal, .owner = player("B"), .currency = "krw", .amount = 6}),
            "insufficient_funds");
  CreateListing create = sword();
  create.currency = "krw";
  world.hear(MoveMoney{.owner = player("S"), .currency = "krw", .amount = 5});
  EXPECT_EQ(world.list(create), "ok");
  EXPECT_EQ(world.bid("sword", "B", 100), "insufficient_funds");
}

TEST(Money, OfOwnersWithStrangeNamesIsTheirOwn) {
  MarketWorld world;
  std::int64_t amount = 1;
  const std::vector<Owner> owners = {player("guild:5"), player("player:"), player("house"),
                                     player("outside"), player("5"),       guild("5"),
                                     guild("house"),    player("a:gold"),  player("a")};
  for (const Owner& owner : owners) world.hear(MoveMoney{.owner = owner, .amount = amount++});
  amount = 1;
  for (const Owner& owner : owners) {
    EXPECT_EQ(std::get<WalletRow>(world.rows().at(wallet_key({.owner = owner}))).available, amount++);
    EXPECT_EQ(owner_from_string(to_string(owner)), owner);
  }
  EXPECT_EQ(world.house(), 0);
}

TEST(Owner, TextIsItsKindAndWhateverStandsBehindTheFirstColon) {
  EXPECT_EQ(owner_from_string("player:guild:5"), player("guild:5"));
  EXPECT_EQ(owner_from_string("guild:5"), guild("5"));
  EXPECT_EQ(owner_from_string("player:player:"), player("player:"));
  for (const char* text : {"", "5", "house:5", "Player:5", " player:5"}) {
    EXPECT_EQ(owner_from_string(text), std::nullopt) << text;
  }
}

TEST(ExternalId, MovesMoneyOnceAndTellsTheFirstEntryAgain) {
  MarketWorld world;
  const MoveMoney deposit{.owner = player("B"), .amount = 100, .external_id = "stripe-1"};
  EXPECT_EQ(moved(world, deposit).n, 1);
  world.deposit("B", 7);
  const MoneyAnswer again = moved(world, deposit);
  EXPECT_TRUE(again.already);
  EXPECT_EQ(again.n, 1);
  EXPECT_EQ(world.money("B"), "107/0");
}

TEST(ExternalId, WithOtherFiguresIsRefused) {
  MarketWorld world;
  const MoveMoney first{.owner = player("B"), .amount = 100, .external_id = "x"};
  world.hear(first);
  MoveMoney other = first;
  other.amount = 99;
  EXPECT_EQ(world.hear(other), "external_id_used");
  other = first;
  other.currency = "krw";
  EXPECT_EQ(world.hear(other), "external_id_used");
  other = first;
  other.kind = LedgerReason::withdrawal;
  EXPECT_EQ(world.hear(other), "external_id_used");
  other = transfer(player("B"), player("C"), 100);
  other.external_id = "x";
  EXPECT_EQ(world.hear(other), "external_id_used");
  EXPECT_EQ(world.money("B"), "100/0");
  EXPECT_EQ(world.hear(first), "ok");
}

TEST(ExternalId, BelongsToItsOwnerAlone) {
  MarketWorld world;
  for (const Owner& owner : {player("B"), player("C"), guild("B")}) {
    EXPECT_EQ(moved(world, {.owner = owner, .amount = 5, .external_id = "x"}).n, 1);
  }
  MoveMoney gift = transfer(player("C"), player("B"), 5);
  gift.external_id = "gift";
  EXPECT_FALSE(moved(world, gift).already);
  EXPECT_TRUE(moved(world, gift).already);
  gift.to = player("D");
  EXPECT_EQ(world.hear(gift), "external_id_used");
  // The receiver's own ids are untouched by what he was paid under.
  EXPECT_FALSE(moved(world, {.owner = player("B"), .amount = 1, .external_id = "gift"}).already);
}

TEST(ExternalId, OfARefusedMovementIsFree) {
  MarketWorld world;
  MoveMoney move = withdrawal(player("B"), 5);
  move.external_id = "x";
  EXPECT_EQ(world.hear(move), "insufficient_funds");
  world.deposit("B", 5);
  EXPECT_FALSE(moved(world, move).already);
}

TEST(BalanceLimit, IsTheLargestIntegerAndHeldMoneyCounts) {
  MarketWorld world;
  EXPECT_EQ(world.deposit("B", integer_max - 1), "ok");
  EXPECT_EQ(world.deposit("B", 2), "balance_limit");
  EXPECT_EQ(world.deposit("B", 1), "ok");
  EXPECT_EQ(world.deposit("B", 1), "balance_limit");
  world.deposit("S", 100);
  world.list(sword());
  EXPECT_EQ(world.bid("sword", "B", 100), "ok");
  EXPECT_EQ(world.deposit("B", 1), "balance_limit");
  EXPECT_EQ(world.hear(transfer(player("S"), player("B"), 1)), "balance_limit");
}

TEST(BalanceLimit, NeverRefusesAPayoutOrARefund_C36) {
  MarketWorld world = open_market(sword("sword", 500));
  world.list(sword("shield"));
  world.deposit("S", integer_max - 1000);
  world.deposit("B", integer_max - 1000);
  EXPECT_EQ(world.bid("shield", "B", 200), "ok");
  EXPECT_EQ(world.buy_out("sword", "C"), "ok");
  EXPECT_EQ(world.wallet("S").available + world.wallet("S").held, integer_max + 475);
  EXPECT_EQ(world.bid("shield", "C", 300), "ok");
  EXPECT_EQ(world.money("B"), "9007199254740991/0");
  EXPECT_EQ(world.deposit("S", 1), "balance_limit");
  EXPECT_EQ(world.hear(withdrawal(player("S"), 1)), "ok");
}

TEST(BalanceLimit, IsNoBarrierToTheLargestSale) {
  CreateListing create = sword("sword", integer_max);
  create.start_price = integer_max - 1;
  create.rates = {.deposit_bps = 10'000, .deposit_min = 0, .cut_bps = 10'000, .cut_min = 0};
  MarketWorld world;
  world.deposit("S", integer_max);
  world.deposit("B", integer_max);
  EXPECT_EQ(world.list(create), "ok");
  EXPECT_EQ(world.money("S"), "1/9007199254740990");
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("B"), "0/0");
  EXPECT_EQ(world.house(), integer_max);
}

TEST(Item, IsCreatedOnceAndTheSameCreationIsToldThePresentState) {
  MarketWorld world;
  const CreateItem create{.facts = {.id = "sword", .family = "swords"}, .owner = player("B")};
  const auto told = [&world](const CreateItem& item) {
    const Answer answer = world.decide(test::command_of(item)).answer;
    if (std::holds_alternative<Rejection>(answer)) return std::string("refused");
    const auto& item_answer = std::get<ItemAnswer>(std::get<Outcome>(answer));
    return std::string(to_string(item_answer.item.location)) + (item_answer.created ? " created" : "");
  };
  EXPECT_EQ(told(create), "inventory created");
  EXPECT_EQ(told(create), "inventory");
  CreateItem other = create;
  other.owner = player("C");
  EXPECT_EQ(told(other), "refused");
  other = create;
  other.facts.family = "shields";
  EXPECT_EQ(told(other), "refused");
  other = create;
  other.facts.attributes = R"({"edge":1})";
  EXPECT_EQ(told(other), "refused");
  world.hear(WithdrawItem{.item = "sword", .owner = player("B")});
  EXPECT_EQ(told(create), "outside");  // And never again inside.
}

TEST(Item, LeavesForTheGameOnceAndTheGameIsTold) {
  MarketWorld world;
  world.hear(CreateItem{.facts = {.id = "sword", .family = "swords"}, .owner = guild("5")});
  EXPECT_EQ(world.hear(WithdrawItem{.item = "sword", .owner = player("5")}), "not_item_owner");
  EXPECT_EQ(world.hear(WithdrawItem{.item = "sword", .owner = guild("5")}), "ok");
  EXPECT_EQ(world.hear(WithdrawItem{.item = "sword", .owner = guild("5")}), "item_outside");
  const auto& event = std::get<EventRow>(world.rows().at(event_key("item", "sword", 1)));
  EXPECT_EQ(event.id, "item:sword:1");
  EXPECT_EQ(event.type, "item.withdrawn");
  EXPECT_EQ(event.data, R"({"item_id":"sword","owner":"guild:5"})");
}

}  // namespace
}  // namespace hotrow
