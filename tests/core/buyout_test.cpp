#include <gtest/gtest.h>

#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;

TEST(Buyout, PaysTheSellerAndTheHouseAndHandsTheItemOverInOneCommand_C37) {
  MarketWorld world = open_market(sword("sword", 500));
  EXPECT_EQ(world.money("S"), "999/1");
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("B"), "500/0");
  EXPECT_EQ(world.money("S"), "1475/0");
  EXPECT_EQ(world.house(), 25);
  EXPECT_EQ(world.place("sword"), "inventory of player:B");
  EXPECT_EQ(world.listing("sword").status, ListingStatus::sold);
  EXPECT_EQ(world.wallet("S").active_listings, 0);
  EXPECT_EQ(world.event_data("sword", "listing.sold"),
            R"({"listing_id":"sword","item_id":"sword","seller_id":"S","buyer_id":"B","price":500,)"
            R"("cut":25,"seller_part":475,"deposit_released":1,"via":"buyout"})");
}

TEST(Buyout, OfAListingThatTwoSawActiveGoesToTheFirst_C15_C16) {
  for (const char* second : {"B", "C"}) {
    MarketWorld world = open_market(sword("sword", 500));
    const std::vector<Command> both = {
        test::command_of(BuyOut{.listing = "sword", .buyer = "B"}),
        test::command_of(BuyOut{.listing = "sword", .buyer = second}),
        test::command_of(PlaceBid{.listing = "sword", .bidder = "D", .amount = 499})};
    const std::vector<Decision> decisions = world.decide(both);
    EXPECT_TRUE(std::holds_alternative<Outcome>(decisions[0].answer));
    EXPECT_EQ(test::code_of(decisions[1].answer), RejectionCode::listing_closed);
    EXPECT_EQ(test::code_of(decisions[2].answer), RejectionCode::listing_closed);
    EXPECT_EQ(world.money("B"), "500/0");
    EXPECT_EQ(world.money("C"), "1000/0");
    EXPECT_EQ(world.money("D"), "1000/0");
  }
}

TEST(Buyout, TellsTheLoserWhoBoughtAndForHowMuch) {
  MarketWorld world = open_market(sword("sword", 500));
  world.buy_out("sword", "B");
  const Answer answer = world.decide(test::command_of(BuyOut{.listing = "sword", .buyer = "C"})).answer;
  std::string told;
  for (const auto& [name, figure] : std::get<Rejection>(answer).figures) told += name + " ";
  EXPECT_EQ(told, "listing_status ends_at closed_at buyer_id price ");
}

TEST(Buyout, IsJudgedByTheBalanceInTheLockedRow) {
  MarketWorld world = open_market(sword("sword", 500));
  const Owner owner{.kind = OwnerKind::player, .id = "B"};
  const std::vector<Command> batch = {
      test::command_of(MoveMoney{.kind = LedgerReason::withdrawal, .owner = owner, .amount = 501}),
      test::command_of(BuyOut{.listing = "sword", .buyer = "B"})};
  EXPECT_EQ(test::code_of(world.decide(batch)[1].answer), RejectionCode::insufficient_funds);
  EXPECT_EQ(world.money("B"), "499/0");
}

TEST(Buyout, CountsTheBuyersOwnHoldAndGivesItBackIntoTheSameWalletFirst) {
  MarketWorld world = open_market(sword("sword", 1000));
  EXPECT_EQ(world.bid("sword", "B", 900), "ok");
  EXPECT_EQ(world.money("B"), "100/900");
  const std::int64_t lines = world.wallet("B").version;
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("B"), "0/0");
  EXPECT_EQ(world.wallet("B").version, lines + 1);  // The refund and the price are one line.
  EXPECT_EQ(world.wallet("B").leading_bids, 0);
  EXPECT_EQ(world.events("sword"), (std::vector<std::string>{"created", "bid_placed", "sold"}));
}

TEST(Buyout, NeedsThePriceBeyondTheOwnHold) {
  MarketWorld world = open_market(sword("sword", 1001));
  EXPECT_EQ(world.bid("sword", "B", 900), "ok");
  const Answer answer = world.decide(test::command_of(BuyOut{.listing = "sword", .buyer = "B"})).answer;
  EXPECT_EQ(test::code_of(answer), RejectionCode::insufficient_funds);
  EXPECT_EQ(std::get<std::int64_t>(std::get<Rejection>(answer).figures[1].second), 101);
}

TEST(Buyout, GivesTheLeaderHisMoneyBackAndTellsHim) {
  MarketWorld world = open_market(sword("sword", 500));
  world.bid("sword", "B", 400);
  EXPECT_EQ(world.buy_out("sword", "C"), "ok");
  EXPECT_EQ(world.money("B"), "1000/0");
  EXPECT_EQ(world.event_data("sword", "listing.outbid"),
            R"({"listing_id":"sword","bid_id":"sword:1","outbid_bidder_id":"B",)"
            R"("refunded":[{"owner":"player:B","amount":400}],"by_amount":500})");
}

TEST(Buyout, NeverChargesAnotherPriceThanTheExpectedOne_C72) {
  MarketWorld world = open_market(sword("sword", 500));
  EXPECT_EQ(world.hear(BuyOut{.listing = "sword", .buyer = "B", .expected_price = 499}), "price_changed");
  EXPECT_EQ(world.hear(BuyOut{.listing = "sword", .buyer = "B", .expected_price = 501}), "price_changed");
  EXPECT_EQ(world.money("B"), "1000/0");
  EXPECT_EQ(world.hear(BuyOut{.listing = "sword", .buyer = "B", .expected_price = 500}), "ok");
}

TEST(Buyout, AfterTheEndAndBeforeTheSettlementIsTooLate) {
  MarketWorld world = open_market(sword("sword", 500));
  world.now = world.listing("sword").ends_at;
  EXPECT_EQ(world.buy_out("sword", "B"), "listing_closed");
  EXPECT_EQ(world.money("B"), "1000/0");
  world.now = world.now - std::chrono::microseconds(1);
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
}

TEST(Buyout, OfAPriceThatTheCutEatsWhollyLeavesTheSellerHisDeposit) {
  CreateListing create = sword("sword", 1);
  create.start_price = 1;
  MarketWorld world = open_market(create);
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("S"), "1000/0");
  EXPECT_EQ(world.house(), 1);
}

TEST(Buyout, WithoutAnyFeeMovesThePriceAndNoLineForNothing) {
  CreateListing create = sword("sword", 500);
  create.rates = {.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 0};
  MarketWorld world = open_market(create);
  EXPECT_EQ(world.money("S"), "1000/0");
  EXPECT_EQ(world.wallet("S").version, 1);
  EXPECT_EQ(world.wallet("S").active_listings, 1);
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("S"), "1500/0");
  EXPECT_EQ(world.house(), 0);
}

TEST(Buyout, OfAWholeCutSellerWithoutADepositWritesHimNoLine) {
  CreateListing create = sword("sword", 500);
  create.rates = {.deposit_bps = 0, .deposit_min = 0, .cut_bps = 10'000, .cut_min = 0};
  MarketWorld world = open_market(create);
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.money("S"), "1000/0");
  EXPECT_EQ(world.wallet("S").version, 1);
  EXPECT_EQ(world.wallet("S").active_listings, 0);
  EXPECT_EQ(world.house(), 500);
}

TEST(Buyout, WithTheItemGoingOutsideTellsTheGame_C17) {
  CreateListing create = sword("sword", 500);
  create.on_close = OnClose::outside;
  MarketWorld world = open_market(create);
  EXPECT_EQ(world.buy_out("sword", "B"), "ok");
  EXPECT_EQ(world.place("sword"), "outside of player:B");
  EXPECT_EQ(world.event_data("sword", "item.withdrawn"), R"({"item_id":"sword","owner":"player:B"})");
  EXPECT_EQ(world.hear(WithdrawItem{.item = "sword", .owner = {.kind = OwnerKind::player, .id = "B"}}),
            "item_outside");
}

}  // namespace
}  // namespace hotrow
