#include <gtest/gtest.h>

#include <limits>

#include "hotrow/core/listing.hpp"
#include "tests/core/market_world.hpp"

// Somebody's hand was in the tables. Nothing moves, nobody goes on, and a void heals it.
namespace hotrow {
namespace {

using test::MarketWorld;
using test::open_market;
using test::sword;
using namespace std::chrono_literals;

Key gold(const std::string& player) { return wallet_key(player_wallet(player, "gold")); }

/// All rows but the listing and the events that tell that it was set aside.
std::vector<std::string> belongings(const MarketWorld& world) {
  test::RowMap rows = world.rows();
  std::erase_if(rows, [](const auto& entry) {
    return entry.first.kind == KeyKind::listing || entry.first.kind == KeyKind::event;
  });
  return test::row_texts(rows);
}

void move_out_of_escrow(MarketWorld& world) {
  auto& item = world.meddle<ItemRow>(item_key("sword"));
  item.location = ItemLocation::inventory;
  item.listing.clear();
}

/// B leads with 200; the buyout is 500.
MarketWorld led_market() {
  MarketWorld world = open_market(sword("sword", 500));
  EXPECT_EQ(world.bid("sword", "B", 200), "ok");
  return world;
}

TEST(Astray, AnItemMovedOutOfItsEscrowMovesNoMoney) {
  MarketWorld world = led_market();
  move_out_of_escrow(world);
  const auto before = belongings(world);
  EXPECT_EQ(world.buy_out("sword", "C"), "set_aside");
  EXPECT_EQ(belongings(world), before);
  EXPECT_EQ(world.listing("sword").set_aside, "its item is not in its escrow");
  EXPECT_EQ(world.listing("sword").status, ListingStatus::active);
  EXPECT_EQ(world.listing("sword").lead->bidder, "B");
  EXPECT_EQ(world.event_data("sword", "listing.set_aside"),
            R"({"listing_id":"sword","reason":"its item is not in its escrow"})");
}

TEST(Astray, NobodyGoesOnWithAListingThatIsSetAside) {
  MarketWorld world = led_market();
  move_out_of_escrow(world);
  world.buy_out("sword", "C");
  EXPECT_EQ(world.bid("sword", "C", 300), "listing_set_aside");
  EXPECT_EQ(world.bid("sword", "B", 300), "listing_set_aside");
  EXPECT_EQ(world.buy_out("sword", "C"), "listing_set_aside");
  EXPECT_EQ(world.cancel("sword"), "listing_set_aside");
  world.now = world.now + 2h;
  EXPECT_EQ(world.settle("sword"), "listing_set_aside");
  EXPECT_EQ(world.set_aside("sword"), "listing_set_aside");
}

TEST(Astray, AVoidHealsItAndLeavesTheItemWhereItIs) {
  MarketWorld world = led_market();
  move_out_of_escrow(world);
  world.meddle<ItemRow>(item_key("sword")).owner.id = "thief";
  world.buy_out("sword", "C");
  EXPECT_EQ(world.void_it("sword"), "ok");
  EXPECT_EQ(world.money("B"), "1000/0");
  EXPECT_EQ(world.money("S"), "1000/0");
  EXPECT_EQ(world.listing("sword").status, ListingStatus::voided);
  EXPECT_EQ(world.listing("sword").set_aside, "");
  EXPECT_EQ(world.place("sword"), "inventory of player:thief");
  EXPECT_NE(world.event_data("sword", "listing.voided").find(R"("item_to":null)"), std::string::npos);
  world.checks = true;
  EXPECT_EQ(world.deposit("B", 1), "ok");  // With every invariant checked again.
}

TEST(Astray, AnItemThatIsGoneOrInAnotherEscrowIsSeenByEveryEnd) {
  const auto gone = [](MarketWorld& world) { world.erase(item_key("sword")); };
  const auto elsewhere = [](MarketWorld& world) {
    world.meddle<ItemRow>(item_key("sword")).listing = "another";
  };
  const auto outside = [](MarketWorld& world) {
    world.meddle<ItemRow>(item_key("sword")).location = ItemLocation::outside;
  };
  for (const std::function<void(MarketWorld&)>& hand :
       {std::function<void(MarketWorld&)>(gone), {elsewhere}, {outside}}) {
    MarketWorld bought = led_market();
    hand(bought);
    EXPECT_EQ(bought.buy_out("sword", "C"), "set_aside");
    MarketWorld won = led_market();
    hand(won);
    won.now = won.now + 1h;
    EXPECT_EQ(won.settle("sword"), "set_aside");
    MarketWorld expired = open_market();
    hand(expired);
    EXPECT_EQ(expired.cancel("sword"), "set_aside");
    expired = open_market();
    hand(expired);
    expired.now = expired.now + 1h;
    EXPECT_EQ(expired.settle("sword"), "set_aside");
    EXPECT_EQ(expired.money("S"), "999/1");
    EXPECT_EQ(expired.void_it("sword"), "ok");
  }
}

TEST(Astray, ALeadersMissingHoldIsSeenByWhoeverWouldMoveIt) {
  const auto less = [](MarketWorld& world) { world.meddle<WalletRow>(gold("B")).held = 199; };
  const auto uncounted = [](MarketWorld& world) { world.meddle<WalletRow>(gold("B")).leading_bids = 0; };
  const auto gone = [](MarketWorld& world) { world.erase(gold("B")); };
  for (const std::function<void(MarketWorld&)>& hand :
       {std::function<void(MarketWorld&)>(less), {uncounted}, {gone}}) {
    for (const char* end : {"bid", "buyout", "own buyout", "settle", "void"}) {
      MarketWorld world = led_market();
      world.deposit("B", 1000);
      hand(world);
      const auto before = belongings(world);
      std::string told;
      if (end == std::string("bid")) told = world.bid("sword", "C", 300);
      if (end == std::string("buyout")) told = world.buy_out("sword", "C");
      if (end == std::string("own buyout")) told = world.buy_out("sword", "B");
      if (end == std::string("void")) told = world.void_it("sword");
      world.now = world.now + 1h;
      if (end == std::string("settle")) told = world.settle("sword");
      const bool has_nothing = world.money("B") == "none" && end == std::string("own buyout");
      EXPECT_EQ(told, has_nothing ? "insufficient_funds" : "set_aside") << end;
      EXPECT_EQ(belongings(world), before) << end;
    }
  }
}

TEST(Astray, ASellersMissingDepositIsSeenByEveryEnd) {
  for (const char* end : {"buyout", "cancel", "void", "expiry"}) {
    MarketWorld world = open_market(sword("sword", 500));
    world.meddle<WalletRow>(gold("S")).held = 0;
    const auto before = belongings(world);
    std::string told;
    if (end == std::string("buyout")) told = world.buy_out("sword", "B");
    if (end == std::string("cancel")) told = world.cancel("sword");
    if (end == std::string("void")) told = world.void_it("sword");
    world.now = world.now + 1h;
    if (end == std::string("expiry")) told = world.settle("sword");
    EXPECT_EQ(told, "set_aside") << end;
    EXPECT_EQ(belongings(world), before) << end;
    EXPECT_EQ(world.listing("sword").set_aside, "a wallet cannot give or take what this listing needs");
  }
}

TEST(Astray, AMissingHoldIsHealedByAVoidOnceTheWalletIsPutRight) {
  MarketWorld world = led_market();
  world.meddle<WalletRow>(gold("B")).held = 0;
  EXPECT_EQ(world.bid("sword", "C", 300), "set_aside");
  EXPECT_EQ(world.void_it("sword"), "set_aside");
  world.meddle<WalletRow>(gold("B")).held = 200;
  EXPECT_EQ(world.void_it("sword"), "ok");
  world.checks = true;
  EXPECT_EQ(world.deposit("B", 1), "ok");
  EXPECT_EQ(world.money("B"), "1001/0");
}

TEST(Astray, ASellerWhoseWalletCannotCountHisPayIsNotPaidWrongly) {
  MarketWorld world = open_market(sword("sword", 500));
  world.meddle<WalletRow>(gold("S")).available = std::numeric_limits<std::int64_t>::max() - 400;
  const auto before = belongings(world);
  EXPECT_EQ(world.buy_out("sword", "B"), "set_aside");
  EXPECT_EQ(belongings(world), before);
}

TEST(SetAside, ByTheServerSaysWhyAndBlocksNoOtherListing_C34) {
  MarketWorld world = led_market();
  world.list(sword("shield"));
  world.checks = false;
  EXPECT_EQ(world.set_aside("sword"), "set_aside");
  EXPECT_EQ(world.listing("sword").set_aside, "it fails");
  EXPECT_EQ(world.bid("shield", "C", 100), "ok");
  world.now = world.now + 1h;
  EXPECT_EQ(world.settle("shield"), "ok");
  EXPECT_EQ(world.void_it("sword"), "ok");
  EXPECT_EQ(world.place("sword"), "inventory of player:S");
  world.checks = true;
  EXPECT_EQ(world.deposit("B", 1), "ok");
}

TEST(SetAside, AnswersAreNotStoredSoThatARepeatIsJudgedAgain) {
  MarketWorld world = led_market();
  move_out_of_escrow(world);
  const Command buyout = test::with_key(test::command_of(BuyOut{.listing = "sword", .buyer = "C"}), "key");
  EXPECT_EQ(world.hear(buyout), "set_aside");
  EXPECT_EQ(world.hear(buyout), "listing_set_aside");
  world.void_it("sword");
  EXPECT_EQ(world.hear(buyout), "listing_closed");
  EXPECT_TRUE(world.decide(buyout).replayed);
}

}  // namespace
}  // namespace hotrow
