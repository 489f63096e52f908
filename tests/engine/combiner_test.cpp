#include "hotrow/engine/combiner.hpp"

#include <gtest/gtest.h>

#include "tests/support/commands.hpp"

namespace hotrow {
namespace {

using test::change_promotion;
using test::enter;

std::unique_ptr<Ticket> ticket_of(Command command) {
  auto ticket = std::make_unique<Ticket>();
  ticket->command = std::move(command);
  ticket->hot_keys = hot_keys(ticket->command);
  ticket->weight = weight(ticket->command);
  return ticket;
}

std::unique_ptr<Ticket> background(std::string promotion) {
  Command command = change_promotion(std::move(promotion), PromotionAction::close_when_ended);
  command.envelope.command_class = CommandClass::background;
  return ticket_of(std::move(command));
}

/// "user" for entries and "-" for anything else, in the batch's order.
std::string users(const Tickets& batch) {
  std::string text;
  for (const auto& ticket : batch) {
    const auto* entry = std::get_if<EnterPromotion>(&ticket->command.body);
    text += entry != nullptr ? entry->user : "-";
  }
  return text;
}

TEST(Combiner, HoldsNoLonelyCommand) {
  Combiner combiner({});
  combiner.push(ticket_of(enter("p", "a")));
  EXPECT_EQ(users(combiner.take()), "a");
  EXPECT_TRUE(combiner.take().empty());
}

TEST(Combiner, GivesEverythingThatWaitsInOrderOfArrival) {
  Combiner combiner({});
  for (const char* user : {"a", "b", "c"}) combiner.push(ticket_of(enter("p", user)));
  EXPECT_EQ(combiner.waiting(), 3u);
  EXPECT_EQ(users(combiner.take()), "abc");
  EXPECT_EQ(combiner.waiting(), 0u);
}

TEST(Combiner, BoundsABatchByItsWeight) {
  Combiner combiner({.batch_weight_max = 3});
  combiner.push(ticket_of(enter("p", "a")));
  combiner.push(ticket_of(test::enter_batch("p", {"x", "y", "z"})));
  combiner.push(ticket_of(enter("p", "b")));
  EXPECT_EQ(users(combiner.take()), "a");
  EXPECT_EQ(users(combiner.take()), "-");
  EXPECT_EQ(users(combiner.take()), "b");
}

TEST(Combiner, TakesACommandHeavierThanABatchAlone) {
  Combiner combiner({.batch_weight_max = 2});
  combiner.push(ticket_of(test::enter_batch("p", {"x", "y", "z"})));
  EXPECT_EQ(users(combiner.take()), "-");
}

TEST(Combiner, HasNoRoomBeyondItsQueue) {
  Combiner combiner({.queue_weight_max = 2});
  const auto next = ticket_of(enter("p", "c"));
  combiner.push(ticket_of(enter("p", "a")));
  EXPECT_TRUE(combiner.has_room(*next));
  combiner.push(ticket_of(enter("p", "b")));
  EXPECT_FALSE(combiner.has_room(*next));
  combiner.take();
  EXPECT_TRUE(combiner.has_room(*ticket_of(test::enter_batch("p", {"x", "y"}))));
}

TEST(Combiner, HoldsBackCommandsForABlockedKeyAndLetsOthersPass) {
  Combiner combiner({});
  combiner.block({promotion_key("stuck")});
  combiner.push(ticket_of(enter("stuck", "a")));
  combiner.push(ticket_of(enter("free", "b")));
  combiner.push(ticket_of(enter("stuck", "c")));
  EXPECT_EQ(users(combiner.take()), "b");
  EXPECT_TRUE(combiner.take().empty());
  EXPECT_EQ(combiner.waiting(), 2u);
}

TEST(Combiner, WhatIsHeldBackTakesNoRoomFromOthers) {
  Combiner combiner({.queue_weight_max = 2});
  combiner.block({promotion_key("stuck")});
  for (const char* user : {"a", "b"}) combiner.push(ticket_of(enter("stuck", user)));
  EXPECT_TRUE(combiner.take().empty());
  EXPECT_FALSE(combiner.has_room(*ticket_of(enter("stuck", "c"))));
  for (const char* user : {"d", "e"}) {
    ASSERT_TRUE(combiner.has_room(*ticket_of(enter("free", user))));
    combiner.push(ticket_of(enter("free", user)));
  }
  EXPECT_FALSE(combiner.has_room(*ticket_of(enter("free", "f"))));
  EXPECT_EQ(users(combiner.take()), "de");
  combiner.unblock({promotion_key("stuck")});
  EXPECT_FALSE(combiner.has_room(*ticket_of(enter("free", "g"))));
  EXPECT_EQ(users(combiner.take()), "ab");
}

TEST(Combiner, LetsHeldCommandsGoFirstAndInOrderOnceTheirKeyIsFree) {
  Combiner combiner({});
  combiner.block({promotion_key("stuck")});
  for (const char* user : {"a", "b"}) combiner.push(ticket_of(enter("stuck", user)));
  EXPECT_TRUE(combiner.take().empty());
  combiner.push(ticket_of(enter("stuck", "c")));
  combiner.unblock({promotion_key("stuck")});
  EXPECT_EQ(users(combiner.take()), "abc");
}

TEST(Combiner, KeepsAKeyBlockedUntilEachBlockIsUndone) {
  Combiner combiner({});
  combiner.block({promotion_key("p")});
  combiner.block({promotion_key("p")});
  combiner.push(ticket_of(enter("p", "a")));
  combiner.unblock({promotion_key("p")});
  EXPECT_TRUE(combiner.take().empty());
  combiner.unblock({promotion_key("p")});
  EXPECT_EQ(users(combiner.take()), "a");
}

TEST(Combiner, GivesBackgroundCommandsAtMostAQuarterOfABatch) {
  Combiner combiner({.batch_weight_max = 8});
  for (int i = 0; i < 10; ++i) combiner.push(background("old"));
  for (int i = 0; i < 10; ++i) combiner.push(ticket_of(enter("p", "u")));
  EXPECT_EQ(users(combiner.take()), "--uuuuuu");
}

TEST(Combiner, CountsThatQuarterByWhatTheBatchHasAndNotByWhatItCouldHold) {
  Combiner combiner({.batch_weight_max = 64});
  for (int i = 0; i < 10; ++i) combiner.push(background("old"));
  for (int i = 0; i < 6; ++i) combiner.push(ticket_of(enter("p", "u")));
  EXPECT_EQ(users(combiner.take()), "--uuuuuu");
}

TEST(Combiner, GivesAtLeastOneBackgroundCommandWithEveryBatch) {
  Combiner combiner({});
  for (int i = 0; i < 3; ++i) combiner.push(background("old"));
  combiner.push(ticket_of(enter("p", "u")));
  EXPECT_EQ(users(combiner.take()), "-u");
}

TEST(Combiner, KeepsABatchOfBackgroundCommandsAloneShort) {
  Combiner combiner({.batch_weight_max = 64});
  for (int i = 0; i < 10; ++i) combiner.push(background("old"));
  EXPECT_EQ(users(combiner.take()), "----");
  combiner.push(ticket_of(enter("p", "u")));
  EXPECT_EQ(users(combiner.take()), "-u");
}

TEST(Combiner, DecidesInOrderOfArrivalAcrossClasses) {
  Combiner combiner({});
  combiner.push(ticket_of(enter("p", "a")));
  combiner.push(background("p"));
  combiner.push(ticket_of(enter("p", "b")));
  EXPECT_EQ(users(combiner.take()), "a-b");
}

}  // namespace
}  // namespace hotrow
