#include "hotrow/core/promotion_audit.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "hotrow/core/promotion_events.hpp"
#include "tests/support/commands.hpp"

namespace hotrow {
namespace {

std::string changed_to(const PromotionRow& promotion) {
  return boost::json::serialize(boost::json::object{{"after", promotion_view(promotion)}});
}

/// 5 entries, target 3 won by its event: nothing wrong.
PromotionFacts sound() {
  PromotionFacts facts{.entries = 5,
                       .ordinal_min = 1,
                       .ordinal_max = 5,
                       .ordinals_distinct = 5,
                       .users_distinct = 5,
                       .winners = 1,
                       .winner_events = 1,
                       .events = 2,
                       .event_sequence_max = 2};
  facts.promotion = {.id = "p",
                     .settings = std::make_shared<const PromotionSettings>(test::nth_settings({3, 9})),
                     .entries = 5,
                     .winners = 1,
                     .version = 1,
                     .events = 2};
  facts.starts_at = facts.promotion.settings->starts_at;
  facts.changed = EventRow{.sequence = 1, .data = changed_to(facts.promotion)};
  return facts;
}

/// The same, closed by an event that says so.
PromotionFacts sound_and_closed() {
  PromotionFacts facts = sound();
  facts.promotion.phase = PromotionPhase::closed;
  facts.promotion.closing = PromotionClosing{.at = test::opening, .by = "schedule", .reason = "the end"};
  facts.promotion.version = 2;
  facts.promotion.events = facts.events = facts.event_sequence_max = 3;
  facts.closed_events = 1;
  facts.closed = EventRow{.sequence = 3,
                          .data = boost::json::serialize(promotion_closed_data(facts.promotion)),
                          .occurred_at = test::opening};
  return facts;
}

/// Puts other settings in force without a word.
void change_settings(PromotionFacts& facts, void (*change)(PromotionSettings&)) {
  PromotionSettings settings = *facts.promotion.settings;
  change(settings);
  facts.promotion.settings = std::make_shared<const PromotionSettings>(settings);
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
      {"entries_within_limit",
       [](PromotionFacts& f) { change_settings(f, [](PromotionSettings& s) { s.max_entries = 4; }); }},
      {"entries_within_limit",
       [](PromotionFacts& f) { change_settings(f, [](PromotionSettings& s) { s.rule = FirstRule{4}; }); }},
      {"winners_pinned", [](PromotionFacts& f) { f.winners = 0; }},
      {"winner_counter_equals_winners", [](PromotionFacts& f) { f.promotion.winners = 0; }},
      {"winners_on_target", [](PromotionFacts& f) { f.winners_off_target = 1; }},
      {"winners_by_the_rule", [](PromotionFacts& f) { f.winners_of_another_rule = 1; }},
      {"winners_are_entrants", [](PromotionFacts& f) { f.winners_not_entered = 1; }},
      {"winner_events", [](PromotionFacts& f) { f.winners_without_event = 1; }},
      {"winner_events_as_pinned", [](PromotionFacts& f) { f.winner_events_untrue = 1; }},
      {"no_event_without_winner", [](PromotionFacts& f) { f.winner_events = 2; }},
      {"columns_as_settings", [](PromotionFacts& f) { f.starts_at.micros += 1; }},
      {"columns_as_settings", [](PromotionFacts& f) { f.ends_at = test::opening; }},
      {"settings_as_told",
       [](PromotionFacts& f) {
         change_settings(f, [](PromotionSettings& s) { s.prize = Prize{1, "KRW", ""}; });
       }},
      {"settings_as_told", [](PromotionFacts& f) { f.promotion.version = 2; }},
      {"settings_as_told", [](PromotionFacts& f) { f.promotion.phase = PromotionPhase::paused; }},
      {"settings_as_told", [](PromotionFacts& f) { f.changed.reset(); }},
      {"settings_as_told", [](PromotionFacts& f) { f.changed->data = "{}"; }},
      {"closed_event", [](PromotionFacts& f) { f.closed_events = 1; }},
      {"events_without_gap", [](PromotionFacts& f) { f.events = 1; }},
      {"event_counter_equals_sequence", [](PromotionFacts& f) { f.event_sequence_max = 3; }},
      {"events_in_order", [](PromotionFacts& f) { f.events_out_of_order = 1; }},
      {"settings_readable", [](PromotionFacts& f) { f.promotion.settings = nullptr; }},
  };
  for (const Case& each : cases) {
    PromotionFacts facts = sound();
    each.tamper(facts);
    EXPECT_EQ(first_violation(facts), each.invariant);
  }
}

TEST(Audit, NamesEachKindOfTamperingWithAClosing) {
  EXPECT_EQ(first_violation(sound_and_closed()), "none");
  struct Case {
    const char* invariant;
    void (*tamper)(PromotionFacts&);
  };
  const Case cases[] = {
      {"closed_event", [](PromotionFacts& f) { f.closed_events = 0; }},
      {"closed_as_told", [](PromotionFacts& f) { f.promotion.closing->by = "operator:shop"; }},
      {"closed_as_told", [](PromotionFacts& f) { f.promotion.closing->at.micros += 1; }},
      {"closed_as_told", [](PromotionFacts& f) { f.closed->occurred_at.micros += 1; }},
      {"closed_as_told", [](PromotionFacts& f) { f.closed->data = "{"; }},
      {"settings_as_told", [](PromotionFacts& f) { f.promotion.version = 1; }},
  };
  for (const Case& each : cases) {
    PromotionFacts facts = sound_and_closed();
    each.tamper(facts);
    EXPECT_EQ(first_violation(facts), each.invariant);
  }
}

TEST(Audit, ATitleThatChangesAfterTheCloseIsSound) {
  PromotionFacts facts = sound_and_closed();
  change_settings(facts, [](PromotionSettings& settings) { settings.title = "Over"; });
  facts.promotion.version = 3;
  facts.promotion.events = facts.events = facts.event_sequence_max = 4;
  facts.changed = EventRow{.sequence = 4, .data = changed_to(facts.promotion)};
  EXPECT_EQ(first_violation(facts), "none");
}

}  // namespace
}  // namespace hotrow
