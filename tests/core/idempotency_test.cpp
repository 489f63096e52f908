#include <gtest/gtest.h>

#include "tests/support/market_commands.hpp"
#include "tests/support/rule_runner.hpp"

namespace hotrow {
namespace {

using test::enter;
using test::nth_settings;
using test::RuleRunner;
using test::with_key;

TEST(Idempotency, TheSameRequestIsToldTheSameAgain) {
  RuleRunner desk;
  desk.put(nth_settings({1}));
  const Decision first = desk.decide(with_key(enter("p", "a"), "key"));
  desk.enter("b");
  const Decision again = desk.decide(with_key(enter("p", "a"), "key"));
  EXPECT_FALSE(first.replayed);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(test::text_of(again.answer), test::text_of(first.answer));
  EXPECT_FALSE(test::entry_of(again.answer).already);
}

TEST(Idempotency, AnotherRequestUnderTheKeyIsRefusedAndHasNoEffect) {  // E04
  RuleRunner desk;
  desk.put(nth_settings({1}));
  desk.decide(with_key(enter("p", "a"), "key", "one"));
  const Decision other = desk.decide(with_key(enter("p", "b"), "key", "two"));
  EXPECT_EQ(test::code_of(other.answer), RejectionCode::idempotency_key_reused);
  EXPECT_TRUE(other.changes.empty());
  EXPECT_EQ(desk.enter("b"), "2");
}

TEST(Idempotency, AnotherPrincipalUnderTheSameKeyIsAnotherScope) {
  RuleRunner desk;
  desk.put(nth_settings({9}));
  Command a = with_key(enter("p", "a"), "key");
  Command b = with_key(enter("p", "b"), "key");
  a.envelope.principal = "a";
  b.envelope.principal = "b";
  EXPECT_EQ(desk.hear(a), "1");
  EXPECT_EQ(desk.hear(b), "2");
}

/// Two servers make one listing: the second looks for it, waits for the item, and only then sees the answer.
TEST(Idempotency, AnAnswerAboutAListingThatWasNotThereYetIsAConflict) {
  RuleRunner first;
  first.decide(test::deposit("ann", 100));
  const Command create = with_key(test::create_listing("sword", "ann", 10), "key");
  const Decision made = first.decide(create);
  RowSet rows;
  Keys keys;
  keys_needed(create, rows, keys);
  for (const Key& key : keys) rows.put(key, std::nullopt);
  const RowWrite& stored = made.changes.back();
  ASSERT_TRUE(std::holds_alternative<AnswerRow>(stored.row));
  rows.put(stored.key, stored.row);
  const Decision second = decide(create, rows, first.now);
  EXPECT_FALSE(second.replayed);
  ASSERT_EQ(second.changes.size(), 1U);
  EXPECT_EQ(second.changes[0].key, stored.key);
  EXPECT_EQ(second.changes[0].how, RowWrite::How::insert);
}

TEST(Idempotency, AFinalRefusalStaysARefusalAndATransientOneDoesNot) {  // E07
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.max_entries = 1;
  desk.now = test::opening - std::chrono::hours(1);
  desk.put(settings);
  EXPECT_EQ(desk.hear(with_key(enter("p", "a"), "early")), "promotion_not_started");
  desk.now = test::opening;
  EXPECT_EQ(desk.hear(with_key(enter("p", "a"), "early")), "1 winner");
  const Decision refused = desk.decide(with_key(enter("p", "b"), "late"));
  EXPECT_EQ(test::code_of(refused.answer), RejectionCode::sold_out);
  EXPECT_EQ(refused.changes.size(), 1u);
  EXPECT_TRUE(desk.decide(with_key(enter("p", "b"), "late")).replayed);
}

TEST(Idempotency, ABatchWithAMemberThatMaySucceedLaterIsNotStored) {
  RuleRunner desk;
  desk.put(nth_settings({1}));
  desk.change(PromotionAction::pause);
  const Command batch = with_key(test::enter_batch("p", {"a"}), "key");
  desk.decide(batch);
  desk.change(PromotionAction::resume);
  const Decision decision = desk.decide(batch);
  EXPECT_FALSE(decision.replayed);
  EXPECT_EQ(desk.enter("a"), "1 winner already");
}

TEST(Idempotency, EveryRejectionSaysWhetherItIsStoredAndNoRetryableOneIs) {
  for (const RejectionCode code : all_rejection_codes()) {
    EXPECT_FALSE(traits(code).retryable && traits(code).stored) << traits(code).code;
    EXPECT_EQ(rejection_code(traits(code).code), code);
  }
}

}  // namespace
}  // namespace hotrow
