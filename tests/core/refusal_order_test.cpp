#include <gtest/gtest.h>

#include "hotrow/base/checked.hpp"
#include "tests/core/precedence.hpp"

// Every refusal of the auction in its place: of two that apply, the earlier one is told.
namespace hotrow {
namespace {

using test::command_of;
using test::expect_precedence;
using test::key_used_before;
using test::MarketWorld;
using test::Obstacle;
using test::open_market;
using test::paused_market;
using test::sword;
using namespace std::chrono_literals;

const Owner seller{.kind = OwnerKind::player, .id = "S"};
const Owner buyer{.kind = OwnerKind::player, .id = "B"};

template <class Body>
Obstacle blocked(std::string Body::* player) {
  return {RejectionCode::player_blocked, [player](MarketWorld& world, Command& command) {
            world.block(std::get<Body>(command.body).*player);
          }};
}

template <class Body>
Obstacle unknown_listing() {
  return {RejectionCode::listing_not_found,
          [](MarketWorld&, Command& command) { std::get<Body>(command.body).listing = "none"; }};
}

template <class Body>
Obstacle old_version() {
  return {RejectionCode::precondition_failed,
          [](MarketWorld&, Command& command) { std::get<Body>(command.body).if_version = 99; }};
}

Obstacle ended() {
  return {RejectionCode::listing_closed, [](MarketWorld& world, Command&) { world.now = world.now + 1h; }};
}

template <class Body>
Obstacle voided() {
  return {RejectionCode::listing_closed, [](MarketWorld& world, Command& command) {
            EXPECT_EQ(world.void_it(std::get<Body>(command.body).listing), "ok");
          }};
}

template <class Body>
Obstacle set_aside() {
  return {RejectionCode::listing_set_aside, [](MarketWorld& world, Command& command) {
            world.checks = false;
            EXPECT_EQ(world.set_aside(std::get<Body>(command.body).listing), "set_aside");
          }};
}

template <class Body>
Obstacle own_listing(std::string Body::* player) {
  return {RejectionCode::own_listing,
          [player](MarketWorld&, Command& command) { std::get<Body>(command.body).*player = "S"; }};
}

Obstacle poor(const std::string& player) {
  return {RejectionCode::insufficient_funds, [player](MarketWorld& world, Command&) {
            const Owner owner{.kind = OwnerKind::player, .id = player};
            const std::int64_t all = world.wallet(player).available;
            world.hear(MoveMoney{.kind = LedgerReason::withdrawal, .owner = owner, .amount = all});
          }};
}

TEST(RefusalOrder, OfABidIsThatOfTheContract) {
  CreateListing create = sword("sword", 500);
  create.min_increment = 50;
  MarketWorld base = open_market(create);
  base.bid("sword", "C", 400);
  const Obstacle use_buyout{RejectionCode::use_buyout, [](MarketWorld&, Command& command) {
                              std::get<PlaceBid>(command.body).amount = 510;
                            }};
  const Obstacle too_low{RejectionCode::bid_too_low, [](MarketWorld& world, Command& command) {
                           EXPECT_EQ(world.bid("sword", "C", 480), "ok");
                           std::get<PlaceBid>(command.body).amount = 510 - 1 - 20;
                         }};
  expect_precedence(base, command_of(PlaceBid{.listing = "sword", .bidder = "B", .amount = 460}),
                    {key_used_before(), paused_market(), blocked(&PlaceBid::bidder),
                     unknown_listing<PlaceBid>(), old_version<PlaceBid>(), ended(), set_aside<PlaceBid>(),
                     own_listing(&PlaceBid::bidder), use_buyout, too_low, poor("B")});
}

TEST(RefusalOrder, OfABuyoutIsThatOfTheContract) {
  MarketWorld base = open_market(sword("sword", 500));
  base.list(sword("plain"));
  const Obstacle no_buyout{RejectionCode::no_buyout, [](MarketWorld&, Command& command) {
                             std::get<BuyOut>(command.body).listing = "plain";
                           }};
  const Obstacle price_changed{RejectionCode::price_changed, [](MarketWorld&, Command& command) {
                                 std::get<BuyOut>(command.body).expected_price = 499;
                               }};
  expect_precedence(base, command_of(BuyOut{.listing = "sword", .buyer = "B", .expected_price = 500}),
                    {key_used_before(), paused_market(), blocked(&BuyOut::buyer), unknown_listing<BuyOut>(),
                     old_version<BuyOut>(), ended(), set_aside<BuyOut>(), own_listing(&BuyOut::buyer),
                     no_buyout, price_changed, poor("B")});
}

TEST(RefusalOrder, OfACancelIsThatOfTheContract) {
  const Obstacle not_seller{RejectionCode::not_seller, [](MarketWorld&, Command& command) {
                              std::get<ChangeListing>(command.body).seller = "B";
                            }};
  const Obstacle has_bids{RejectionCode::has_bids, [](MarketWorld& world, Command&) {
                            EXPECT_EQ(world.bid("sword", "B", 100), "ok");
                          }};
  const ChangeListing cancel{.listing = "sword", .action = ListingAction::cancel, .seller = "S"};
  const std::vector<Obstacle> before = {key_used_before(), paused_market(), unknown_listing<ChangeListing>(),
                                        old_version<ChangeListing>(), not_seller};
  for (const Obstacle& closed : {ended(), voided<ChangeListing>()}) {
    std::vector<Obstacle> obstacles = before;
    obstacles.insert(obstacles.end(), {closed, set_aside<ChangeListing>(), has_bids});
    expect_precedence(open_market(), command_of(cancel), obstacles);
  }
}

TEST(RefusalOrder, OfASettlementIsThatOfTheContract) {
  MarketWorld base = open_market();
  CreateListing later = sword("later");
  later.duration = 2h;
  base.list(later);
  base.now = base.now + 1h;
  const Obstacle not_ended{RejectionCode::not_ended, [](MarketWorld&, Command& command) {
                             std::get<ChangeListing>(command.body).listing = "later";
                           }};
  expect_precedence(
      base, command_of(ChangeListing{.listing = "sword", .action = ListingAction::settle}),
      {key_used_before(), paused_market(), unknown_listing<ChangeListing>(), old_version<ChangeListing>(),
       voided<ChangeListing>(), set_aside<ChangeListing>(), not_ended});
}

TEST(RefusalOrder, OfAVoidIsThatOfTheContractAndAPauseDoesNotStopIt) {
  const Command command =
      command_of(ChangeListing{.listing = "sword", .action = ListingAction::void_it, .reason = "a fraud"});
  expect_precedence(open_market(), command,
                    {key_used_before(), unknown_listing<ChangeListing>(), old_version<ChangeListing>(),
                     voided<ChangeListing>()});
  MarketWorld base = open_market();
  base.pause();
  EXPECT_EQ(base.hear(command), "ok");
}

TEST(RefusalOrder, OfSettingAsideIsThatOfItsKin) {
  MarketWorld base = open_market();
  base.checks = false;
  for (const auto& [obstacle, code] :
       {std::pair(paused_market(), "market_paused"), std::pair(voided<ChangeListing>(), "listing_closed"),
        std::pair(set_aside<ChangeListing>(), "listing_set_aside")}) {
    MarketWorld other = base;
    Command command = command_of(ChangeListing{.listing = "sword", .action = ListingAction::set_aside});
    obstacle.put(other, command);
    EXPECT_EQ(other.hear(command), code);
  }
  EXPECT_EQ(base.set_aside("none"), "listing_not_found");
}

TEST(RefusalOrder, OfANewListingIsThatOfTheContract) {
  MarketWorld base = open_market();
  const Command with_new_item = command_of(sword("shield"));
  CreateListing known = sword("shield");
  known.facts.reset();
  base.hear(CreateItem{.facts = {.id = "shield", .family = "shields"}, .owner = seller});
  base.hear(CreateItem{.facts = {.id = "gone", .family = "shields"}, .owner = seller});
  base.hear(WithdrawItem{.item = "gone", .owner = seller});
  const Obstacle too_long{RejectionCode::validation_failed, [](MarketWorld&, Command& command) {
                            std::get<CreateListing>(command.body).duration = 24h * 30 + 1s;
                          }};
  const Obstacle exists{RejectionCode::listing_exists, [](MarketWorld&, Command& command) {
                          std::get<CreateListing>(command.body).listing = "sword";
                        }};
  const Obstacle not_owner{RejectionCode::not_item_owner, [](MarketWorld& world, Command& command) {
                             EXPECT_EQ(world.deposit("Q", 10), "ok");
                             std::get<CreateListing>(command.body).seller = "Q";
                           }};
  const Obstacle in_escrow{RejectionCode::item_in_escrow, [](MarketWorld&, Command& command) {
                             std::get<CreateListing>(command.body).item = "sword";
                           }};
  const Obstacle outside{RejectionCode::item_outside, [](MarketWorld&, Command& command) {
                           std::get<CreateListing>(command.body).item = "gone";
                         }};
  for (const Obstacle& place : {in_escrow, outside}) {
    expect_precedence(base, command_of(known),
                      {key_used_before(), paused_market(), blocked(&CreateListing::seller), too_long, exists,
                       not_owner, place, poor("S")});
  }
  const Obstacle item_exists{
      RejectionCode::item_exists, [](MarketWorld& world, Command&) {
        world.hear(CreateItem{.facts = {.id = "shield", .family = "swords"}, .owner = buyer});
      }};
  expect_precedence(open_market(), with_new_item,
                    {key_used_before(), paused_market(), blocked(&CreateListing::seller), too_long, exists,
                     item_exists, poor("S")});
}

TEST(RefusalOrder, OfMoneyIsThatOfTheContract) {
  MarketWorld base;
  base.deposit("B", 100);
  base.hear(MoveMoney{.owner = buyer, .amount = 1, .external_id = "used"});
  const Obstacle is_blocked{RejectionCode::player_blocked,
                            [](MarketWorld& world, Command&) { world.block("B"); }};
  const Obstacle used{RejectionCode::external_id_used, [](MarketWorld&, Command& command) {
                        std::get<MoveMoney>(command.body).external_id = "used";
                      }};
  const Obstacle full{RejectionCode::balance_limit,
                      [](MarketWorld& world, Command&) { world.deposit("S", integer_max); }};
  const Obstacle full_self{RejectionCode::balance_limit,
                           [](MarketWorld& world, Command&) { world.deposit("B", integer_max - 101); }};
  const Command deposit = command_of(MoveMoney{.owner = buyer, .amount = 50});
  const Command withdrawal =
      command_of(MoveMoney{.kind = LedgerReason::withdrawal, .owner = buyer, .amount = 50});
  const Command transfer =
      command_of(MoveMoney{.kind = LedgerReason::transfer, .owner = buyer, .to = seller, .amount = 50});
  expect_precedence(base, deposit, {key_used_before(), used, old_version<MoveMoney>(), full_self});
  expect_precedence(base, withdrawal,
                    {key_used_before(), is_blocked, used, old_version<MoveMoney>(), poor("B")});
  expect_precedence(base, transfer, {key_used_before(), used, old_version<MoveMoney>(), full, poor("B")});
}

TEST(RefusalOrder, OfItemsIsThatOfTheContract) {
  MarketWorld base = open_market();
  base.hear(CreateItem{.facts = {.id = "shield", .family = "shields"}, .owner = seller});
  base.hear(CreateItem{.facts = {.id = "gone", .family = "shields"}, .owner = seller});
  base.hear(WithdrawItem{.item = "gone", .owner = seller});
  const auto item = [](RejectionCode code, const char* id) {
    return Obstacle{code,
                    [id](MarketWorld&, Command& command) { std::get<WithdrawItem>(command.body).item = id; }};
  };
  const Obstacle is_blocked{RejectionCode::player_blocked, [](MarketWorld& world, Command& command) {
                              world.block(std::get<WithdrawItem>(command.body).owner.id);
                            }};
  const Obstacle not_owner{RejectionCode::not_item_owner, [](MarketWorld&, Command& command) {
                             std::get<WithdrawItem>(command.body).owner = buyer;
                           }};
  for (const Obstacle& place :
       {item(RejectionCode::item_in_escrow, "sword"), item(RejectionCode::item_outside, "gone")}) {
    expect_precedence(
        base, command_of(WithdrawItem{.item = "shield", .owner = seller}),
        {key_used_before(), is_blocked, item(RejectionCode::item_not_found, "none"), not_owner, place});
  }
  const Obstacle exists{RejectionCode::item_exists, [](MarketWorld&, Command& command) {
                          std::get<CreateItem>(command.body).facts.id = "gone";
                        }};
  expect_precedence(base, command_of(CreateItem{.facts = {.id = "new", .family = "swords"}, .owner = buyer}),
                    {key_used_before(), exists});
}

TEST(RefusalOrder, OfOperatorsKnowsOnlyTheKey) {
  expect_precedence(MarketWorld(), command_of(ChangeMarket{.pause = true, .reason = "a patch"}),
                    {key_used_before()});
  expect_precedence(MarketWorld(), command_of(RestrictPlayer{.player = "B", .trade_blocked = true}),
                    {key_used_before()});
}

}  // namespace
}  // namespace hotrow
