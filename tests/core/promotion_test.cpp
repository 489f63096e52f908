#include "hotrow/core/promotion.hpp"

#include <gtest/gtest.h>

#include "tests/support/rule_runner.hpp"

namespace hotrow {
namespace {

using test::nth_settings;
using test::opening;
using test::RuleRunner;
using namespace std::chrono_literals;

TEST(Entry, TakesPlacesInOrderAndExactlyTheNthWins) {
  RuleRunner desk;
  desk.put(nth_settings({2}));
  EXPECT_EQ(desk.enter("a"), "1");
  EXPECT_EQ(desk.enter("b"), "2 winner");
  EXPECT_EQ(desk.enter("c"), "3");
  ASSERT_EQ(desk.winners.size(), 1u);
  EXPECT_EQ(desk.winners[0].user, "b");
  EXPECT_EQ(desk.winners[0].event_id, "promotion-winner:p:2");
}

TEST(Entry, ARepeatIsToldItsPlaceWhateverHasHappenedSince) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.ends_at = opening + 1h;
  settings.user_id_pattern = *Pattern::compile("[a-z]+");
  desk.put(settings);
  desk.enter("a");
  desk.change(PromotionAction::pause);
  EXPECT_EQ(desk.enter("a"), "1 winner already");
  desk.now = opening + 2h;
  EXPECT_EQ(desk.enter("a"), "1 winner already");
  desk.change(PromotionAction::close);
  EXPECT_EQ(desk.enter("a"), "1 winner already");
}

TEST(Entry, ARefusalConsumesNoNumber) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.user_id_pattern = *Pattern::compile("[a-z]+");
  desk.now = opening - 1h;
  desk.put(settings);
  desk.now = opening - 1us;
  EXPECT_EQ(desk.enter("early"), "promotion_not_started");
  desk.now = opening;
  EXPECT_EQ(desk.enter("BAD"), "validation_failed");
  desk.change(PromotionAction::pause);
  EXPECT_EQ(desk.enter("paused"), "promotion_paused");
  desk.change(PromotionAction::resume);
  EXPECT_EQ(desk.enter("first"), "1 winner");
}

TEST(Entry, IsJudgedByTheHalfOpenInterval) {  // H03
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.ends_at = opening + 10s;
  desk.now = opening - 1h;
  desk.put(settings);
  desk.now = opening - 1us;
  EXPECT_EQ(desk.enter("a"), "promotion_not_started");
  desk.now = opening;
  EXPECT_EQ(desk.enter("b"), "1 winner");
  desk.now = opening + 10s - 1us;
  EXPECT_EQ(desk.enter("c"), "2");
  desk.now = opening + 10s;
  EXPECT_EQ(desk.enter("d"), "promotion_closed");
}

TEST(Entry, RefusalsComeInTheirOrder) {
  RuleRunner desk;
  EXPECT_EQ(desk.enter("a"), "promotion_not_found");
  PromotionSettings settings = nth_settings({1});
  settings.ends_at = opening + 1h;
  settings.max_entries = 1;
  settings.user_id_pattern = *Pattern::compile("[a-z]+");
  desk.now = opening - 1h;
  desk.put(settings);
  desk.change(PromotionAction::pause);
  EXPECT_EQ(desk.enter("BAD"), "validation_failed");
  EXPECT_EQ(desk.enter("a"), "promotion_not_started");
  desk.now = opening;
  EXPECT_EQ(desk.enter("a"), "promotion_paused");
  desk.change(PromotionAction::resume);
  desk.enter("a");
  desk.change(PromotionAction::pause);
  EXPECT_EQ(desk.enter("b"), "sold_out");
  desk.now = opening + 1h;
  EXPECT_EQ(desk.enter("b"), "promotion_closed");
}

TEST(Entry, SoldOutIsNotClosed) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.rule = FirstRule{.count = 2};
  desk.put(settings);
  EXPECT_EQ(desk.enter("a"), "1 winner");
  EXPECT_EQ(desk.enter("b"), "2 winner");
  EXPECT_EQ(desk.enter("c"), "sold_out");
  EXPECT_EQ(state_at(desk.promotion(), desk.now), PromotionState::open);
}

TEST(Entry, TheLastWinnerClosesWhereAskedTo) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1, 3});
  settings.close_on_last_winner = true;
  desk.put(settings);
  EXPECT_EQ(desk.enter("a"), "1 winner");
  EXPECT_EQ(desk.enter("b"), "2");
  EXPECT_EQ(desk.enter("c"), "3 winner");
  EXPECT_EQ(desk.enter("d"), "promotion_closed");
  EXPECT_EQ(desk.events.back().type, "promotion.closed");
  EXPECT_EQ(desk.events.back().id, "promotion-closed:p");
  EXPECT_EQ(desk.promotion().closing->by, "last_winner");
}

TEST(Entry, TheClockOfAPromotionNeverGoesBack) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({5});
  settings.ends_at = opening + 1h;
  desk.put(settings);
  desk.now = opening + 10min;
  desk.enter("a");
  desk.now = opening + 5min;
  const Decision decision = desk.decide(test::enter("p", "b"));
  EXPECT_EQ(test::entry_of(decision.answer).entered_at, opening + 10min);
}

TEST(Entry, EventsAreDenseWithinTheirSubject) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1, 2});
  settings.close_on_last_winner = true;
  desk.put(settings);
  desk.enter("a");
  desk.enter("b");
  ASSERT_EQ(desk.events.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(desk.events[i].sequence, std::int64_t(i) + 1);
}

TEST(EntryBatch, GivesPlacesInTheOrderGivenAndOnePlaceToAUserNamedTwice) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({3});
  settings.max_entries = 3;
  desk.put(settings);
  desk.enter("z");
  const Decision decision = desk.decide(test::enter_batch("p", {"b", "z", "a", "b", "c"}));
  const auto& results = std::get<EntriesAnswer>(std::get<Outcome>(decision.answer)).results;
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(std::get<EntryAnswer>(results[0]).ordinal, 2);
  EXPECT_TRUE(std::get<EntryAnswer>(results[1]).already);
  EXPECT_TRUE(std::get<EntryAnswer>(results[2]).winner);
  EXPECT_EQ(std::get<EntryAnswer>(results[3]).ordinal, 2);
  EXPECT_TRUE(std::get<EntryAnswer>(results[3]).already);
  EXPECT_EQ(std::get<EntryRefusal>(results[4]).rejection.code, RejectionCode::sold_out);
}

TEST(EarlyAnswer, OnlySpeaksWhereTheRowLeavesNoDoubt) {
  RuleRunner desk;
  desk.now = opening - 1h;
  desk.put(nth_settings({1}));
  const Row row = desk.promotion();
  const Command command = test::enter("p", "a");
  const auto early = early_answer(command, row, opening - 1s, 200ms);
  ASSERT_TRUE(early);
  EXPECT_EQ(test::code_of(*early), RejectionCode::promotion_not_started);
  EXPECT_FALSE(early_answer(command, row, opening - 100ms, 200ms));
  EXPECT_FALSE(early_answer(test::with_key(command, "key"), row, opening - 1s, 200ms));
  desk.change(PromotionAction::close);
  EXPECT_FALSE(early_answer(command, Row(desk.promotion()), opening - 1s, 200ms));
}

}  // namespace
}  // namespace hotrow
