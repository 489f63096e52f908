#include "hotrow/core/listing.hpp"

#include <gtest/gtest.h>

#include "hotrow/core/fees.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;
using namespace std::chrono_literals;

const Owner seller{.kind = OwnerKind::player, .id = "S"};

TEST(Listing, PutsItsItemIntoEscrowAndHoldsTheDepositInOneCommand_C19) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.place("sword"), "escrow of sword");
  EXPECT_EQ(world.money("S"), "999/1");
  EXPECT_EQ(world.wallet("S").active_listings, 1);
  EXPECT_EQ(world.event_data("sword", "listing.created"),
            R"({"listing_id":"sword","seller_id":"S","item_id":"sword","family":"swords","currency":"gold",)"
            R"("start_price":100,"buyout_price":null,"ends_at":"2026-06-01T01:00:00.000000Z","deposit":1})");
}

TEST(Listing, ThatIsRefusedLeavesTheItemWithItsOwner_C20) {
  MarketWorld world;
  world.hear(CreateItem{.facts = {.id = "sword", .family = "swords"}, .owner = seller});
  CreateListing create = sword();
  create.facts.reset();
  EXPECT_EQ(world.list(create), "insufficient_funds");
  EXPECT_EQ(world.place("sword"), "inventory of player:S");
  EXPECT_EQ(world.money("S"), "none");
  world.deposit("S", 1);
  EXPECT_EQ(world.list(create), "ok");
  EXPECT_EQ(world.money("S"), "0/1");
}

TEST(Listing, OfAnItemThatIsListedOrOfNobodyIsRefused) {
  MarketWorld world = open_market();
  CreateListing again = sword("other");
  again.facts.reset();
  again.item = "sword";
  EXPECT_EQ(world.list(again), "item_in_escrow");
  again.item = "unknown";
  EXPECT_EQ(world.list(again), "not_item_owner");
}

TEST(Listing, IdsAreNeverUsedAgain_C27) {
  MarketWorld world = open_market();
  world.cancel("sword");
  CreateListing again = sword();
  again.item = "another";
  again.facts->id = "another";
  EXPECT_EQ(world.list(again), "listing_exists");
  EXPECT_EQ(world.list(sword("new")), "ok");
}

TEST(Listing, DepositOnASaleOrAVoidComesBackAndOnAnExpiryOrACancelIsKept_C02) {
  MarketWorld sold = open_market(sword("sword", 10'000));
  sold.deposit("B", 10'000);
  sold.buy_out("sword", "B");
  EXPECT_EQ(sold.money("S"), "10500/0");  // 1000, and 10000 less 5 %.
  MarketWorld voided = open_market();
  voided.void_it("sword");
  EXPECT_EQ(voided.money("S"), "1000/0");
  EXPECT_EQ(voided.house(), 0);
  MarketWorld cancelled = open_market();
  cancelled.cancel("sword");
  EXPECT_EQ(cancelled.money("S"), "999/0");
  EXPECT_EQ(cancelled.house(), 1);
  MarketWorld expired = open_market();
  expired.now = expired.now + 1h;
  expired.settle("sword");
  EXPECT_EQ(expired.money("S"), "999/0");
  EXPECT_EQ(expired.house(), 1);
}

TEST(Listing, DepositIsWhatTheQuoteSays_C68) {
  for (const std::int64_t price : {1L, 99L, 100L, 199L, 10'000L, 123'457L}) {
    CreateListing create = sword();
    create.start_price = price;
    MarketWorld world;
    const std::int64_t quoted = listing_deposit(create.rates, price);
    world.deposit("S", quoted);
    EXPECT_EQ(world.list(create), "ok");
    EXPECT_EQ(world.wallet("S").held, quoted);
    EXPECT_EQ(world.listing("sword").terms->deposit, quoted);
  }
}

TEST(Listing, KeepsTheRatesItWasMadeWith) {
  CreateListing create = sword("sword", 1000);
  create.rates = {.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 3};
  MarketWorld world = open_market(create);
  world.buy_out("sword", "B");
  EXPECT_EQ(world.money("S"), "1997/0");
}

TEST(Cancel, WithALiveLeadIsRefusedAndChangesNothing_C01_C02_C03) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 200);
  EXPECT_EQ(world.cancel("sword"), "has_bids");
  EXPECT_EQ(world.money("B"), "800/200");
  EXPECT_EQ(world.money("S"), "999/1");
  EXPECT_EQ(world.place("sword"), "escrow of sword");
}

TEST(Cancel, GivesTheItemBackOnce_C23) {
  MarketWorld world = open_market();
  EXPECT_EQ(world.cancel("sword", "B"), "not_seller");
  EXPECT_EQ(world.cancel("sword"), "ok");
  EXPECT_EQ(world.place("sword"), "inventory of player:S");
  EXPECT_EQ(world.cancel("sword"), "listing_closed");
  EXPECT_EQ(
      world.event_data("sword", "listing.cancelled"),
      R"({"listing_id":"sword","item_id":"sword","seller_id":"S","item_to":"player:S","deposit_kept":1})");
}

TEST(Cancel, WithAnOldVersionAfterASaleIsToldThePresentState_C27) {
  MarketWorld world = open_market(sword("sword", 500));
  world.buy_out("sword", "B");
  const ChangeListing stale{
      .listing = "sword", .action = ListingAction::cancel, .seller = "S", .if_version = 1};
  const Answer answer = world.decide(test::command_of(stale)).answer;
  ASSERT_EQ(test::code_of(answer), RejectionCode::precondition_failed);
  const auto& current = std::get<Rejection>(answer).current;
  ASSERT_NE(current, nullptr);
  EXPECT_EQ(std::get<ListingAnswer>(current->state).listing.status, ListingStatus::sold);
  EXPECT_EQ(world.place("sword"), "inventory of player:B");
}

TEST(Void, GivesEverythingBackToWhereItCameFromThoughNobodyIsThere_C39) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 300);
  EXPECT_EQ(world.void_it("sword"), "ok");
  EXPECT_EQ(world.money("B"), "1000/0");
  EXPECT_EQ(world.money("S"), "1000/0");
  EXPECT_EQ(world.place("sword"), "inventory of player:S");
  EXPECT_EQ(world.listing("sword").closing->by, "operator:tests");
  EXPECT_EQ(
      world.event_data("sword", "listing.voided"),
      R"({"listing_id":"sword","item_id":"sword","seller_id":"S","item_to":"player:S","deposit_kept":0,)"
      R"("refunded":[{"owner":"player:B","amount":300}],"reason":"a fraud","by":"tests"})");
}

TEST(Settlement, IsPaidOnceAndARepeatIsToldThatItIsOver_C14_C25) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 300);
  world.now = world.now + 1h;
  EXPECT_EQ(world.settle("sword"), "ok");
  EXPECT_EQ(world.money("B"), "700/0");
  EXPECT_EQ(world.money("S"), "1285/0");
  EXPECT_EQ(world.place("sword"), "inventory of player:B");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.settle("sword"), "listing_closed");
  EXPECT_EQ(world.money("S"), "1285/0");
  EXPECT_EQ(world.event_data("sword", "listing.sold"),
            R"({"listing_id":"sword","item_id":"sword","seller_id":"S","buyer_id":"B","price":300,)"
            R"("cut":15,"seller_part":285,"deposit_released":1,"via":"bid"})");
}

TEST(Settlement, WithoutABidGivesTheItemBack_C32) {
  MarketWorld world = open_market();
  world.now = world.now + 24h * 365;
  EXPECT_EQ(world.settle("sword"), "ok");
  EXPECT_EQ(world.listing("sword").status, ListingStatus::expired);
  EXPECT_EQ(world.place("sword"), "inventory of player:S");
  EXPECT_EQ(
      world.event_data("sword", "listing.expired"),
      R"({"listing_id":"sword","item_id":"sword","seller_id":"S","item_to":"player:S","deposit_kept":1})");
}

TEST(Settlement, OfAnOldEndGoesToTheLeaderAtThePriceItHadThen_C32) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 300);
  world.now = world.now + 24h * 30;
  EXPECT_EQ(world.bid("sword", "C", 400), "listing_closed");
  EXPECT_EQ(world.settle("sword"), "ok");
  EXPECT_EQ(world.listing("sword").closing->price, 300);
}

TEST(Settlement, GoesToABlockedLeaderAndFromABlockedSeller) {
  MarketWorld world = open_market();
  world.bid("sword", "B", 300);
  world.block("B");
  world.block("S");
  world.now = world.now + 1h;
  EXPECT_EQ(world.settle("sword"), "ok");
  EXPECT_EQ(world.place("sword"), "inventory of player:B");
}

TEST(Listing, GoesOutsideWhateverEndsIt) {
  for (const char* end : {"cancel", "expiry", "void"}) {
    CreateListing create = sword();
    create.on_close = OnClose::outside;
    MarketWorld world = open_market(create);
    if (end == std::string("cancel")) world.cancel("sword");
    if (end == std::string("void")) world.void_it("sword");
    world.now = world.now + 1h;
    if (end == std::string("expiry")) world.settle("sword");
    EXPECT_EQ(world.place("sword"), "outside of player:S") << end;
    EXPECT_EQ(world.event_data("sword", "item.withdrawn"), R"({"item_id":"sword","owner":"player:S"})");
  }
}

std::string faults_of(const CreateListing& create) {
  std::string fields;
  for (const FieldError& fault : listing_faults(create)) fields += fault.field + " ";
  return fields;
}

TEST(ListingInput, IsFaultyWhereItSaysSo_C62_C64) {
  const CreateListing good = sword("sword", 100);
  EXPECT_EQ(faults_of(good), "");
  CreateListing create = good;
  create.buyout_price = 99;
  EXPECT_EQ(faults_of(create), "buyout_price ");
  create = good;
  create.min_increment = 100;
  EXPECT_EQ(faults_of(create), "");
  create.min_increment = 101;
  EXPECT_EQ(faults_of(create), "min_increment ");
  create = good;
  for (const auto duration : {-1s, 0s, std::chrono::seconds(24h * 30) + 1s, std::chrono::seconds::max()}) {
    create.duration = duration;
    EXPECT_EQ(faults_of(create), "duration_seconds ") << duration.count();
  }
  create.anti_snipe = AntiSnipe{.window_seconds = 3601, .extend_seconds = 0, .max_extensions = 101};
  create.duration = 24h;
  EXPECT_EQ(faults_of(create),
            "anti_snipe.window_seconds anti_snipe.extend_seconds anti_snipe.max_extensions ");
  create.anti_snipe = AntiSnipe{.window_seconds = 10, .extend_seconds = 11, .max_extensions = 0};
  EXPECT_EQ(faults_of(create), "anti_snipe.extend_seconds anti_snipe.max_extensions ");
  create.anti_snipe = AntiSnipe{.window_seconds = 3600, .extend_seconds = 3600, .max_extensions = 100};
  EXPECT_EQ(faults_of(create), "");
}

TEST(ListingEnd, IsFromASecondToThirtyDaysFromNowToTheMicrosecond) {
  MarketWorld world;
  world.deposit("S", 100);
  const auto list = [&world](std::chrono::microseconds from_now, const char* id) {
    CreateListing create = sword(id);
    create.ends_at = world.now + from_now;
    return world.list(create);
  };
  EXPECT_EQ(list(1s - 1us, "a"), "validation_failed");
  EXPECT_EQ(list(1s, "a"), "ok");
  EXPECT_EQ(list(24h * 30 + 1us, "b"), "validation_failed");
  EXPECT_EQ(list(24h * 30, "b"), "ok");
  EXPECT_EQ(list(-1h, "c"), "validation_failed");
}

TEST(ListingEnd, LeavesTheSnipersWindowAtMostHalfTheDuration) {
  MarketWorld world;
  world.deposit("S", 100);
  CreateListing create = sword();
  create.anti_snipe = AntiSnipe{.window_seconds = 1801, .extend_seconds = 1, .max_extensions = 1};
  EXPECT_EQ(world.list(create), "validation_failed");
  create.anti_snipe->window_seconds = 1800;
  EXPECT_EQ(world.list(create), "ok");
}

}  // namespace
}  // namespace hotrow
