#include "hotrow/core/promotion_audit.hpp"

#include <gtest/gtest.h>

#include "tests/support/commands.hpp"

namespace hotrow {
namespace {

/// 5 entries, target 3 won by its event: nothing wrong.
PromotionFacts sound() {
  PromotionFacts facts{.entries = 5,
                       .ordinal_min = 1,
                       .ordinal_max = 5,
                       .ordinals_distinct = 5,
                       .users_distinct = 5,
                       .winner_ordinals = {3},
                       .winner_events = 1,
                       .events = 2,
                       .event_sequence_max = 2};
  facts.promotion = {.id = "p",
                     .settings = std::make_shared<const PromotionSettings>(test::nth_settings({3, 9})),
                     .entries = 5,
                     .winners = 1,
                     .version = 1,
                     .events = 2};
  return facts;
}

std::string first_violation(const PromotionFacts& facts) {
  const PromotionAudit report = audit(facts);
  return report.ok() ? "none" : report.violations.front().invariant;
}

TEST(Audit, FindsNothingInSoundRows) {
  const PromotionAudit report = audit(sound());
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.winners_expected, 1);
  EXPECT_EQ(report.max_ordinal, 5);
}

TEST(Audit, NamesEachKindOfTampering) {
  struct Case {
    const char* invariant;
    void (*tamper)(PromotionFacts&);
  };
  const Case cases[] = {
      {"ordinals_without_gap",
       [](PromotionFacts& f) { f.entries = f.ordinals_distinct = f.users_distinct = 4; }},
      {"ordinals_without_repeat", [](PromotionFacts& f) { f.entries = f.users_distinct = 6; }},
      {"one_entry_a_person", [](PromotionFacts& f) { f.users_distinct = 4; }},
      {"ordinals_from_one", [](PromotionFacts& f) { f.ordinal_min = 2; }},
      {"counter_equals_entries", [](PromotionFacts& f) { f.promotion.entries = 6; }},
      {"entries_in_time", [](PromotionFacts& f) { f.entries_out_of_time = 1; }},
      {"winners_pinned", [](PromotionFacts& f) { f.winner_ordinals.clear(); }},
      {"winner_counter_equals_winners", [](PromotionFacts& f) { f.promotion.winners = 0; }},
      {"winners_on_target", [](PromotionFacts& f) { f.winner_ordinals = {4}; }},
      {"winners_are_entrants", [](PromotionFacts& f) { f.winners_not_entered = 1; }},
      {"winner_events", [](PromotionFacts& f) { f.winners_without_event = 1; }},
      {"no_event_without_winner", [](PromotionFacts& f) { f.winner_events = 2; }},
      {"closed_event", [](PromotionFacts& f) { f.promotion.phase = PromotionPhase::closed; }},
      {"events_without_gap", [](PromotionFacts& f) { f.events = 1; }},
      {"event_counter_equals_sequence", [](PromotionFacts& f) { f.event_sequence_max = 3; }},
  };
  for (const Case& each : cases) {
    PromotionFacts facts = sound();
    each.tamper(facts);
    EXPECT_EQ(first_violation(facts), each.invariant);
  }
}

}  // namespace
}  // namespace hotrow
