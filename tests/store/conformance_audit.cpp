#include <algorithm>
#include <chrono>

#include "hotrow/core/promotion_audit.hpp"
#include "tests/store/conformance.hpp"

// Part one, the evidence: the counts that audits are made of, on sound rows and on rows that contradict each
// other. A store checks single rows, not sums, so contradictions can be written through the port itself.
namespace hotrow::conformance {
namespace {

PromotionFacts facts_of(Queries& queries, const std::string& id) {
  Result<std::optional<PromotionFacts>> facts = queries.promotion_facts(id);
  if (!facts) throw std::runtime_error(facts.error().detail);
  return facts->value();
}

std::vector<std::string> broken_invariants(const PromotionFacts& facts) {
  std::vector<std::string> names;
  for (const Violation& violation : audit(facts).violations) names.push_back(violation.invariant);
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

/// Five entries of promotion "p", the third of which won: what sound rows look like.
std::vector<RowWrite> sound_rows() {
  PromotionRow promotion = promotion_row("p");
  promotion.entries = 5;
  promotion.winners = 1;
  promotion.events = 2;
  std::vector<RowWrite> writes = {insert(promotion), insert(changed_event(promotion, 1)),
                                  insert(winner_row("p", "u3", 3)), insert(winner_event("p", "u3", 3, 2))};
  for (std::int64_t ordinal = 1; ordinal <= 5; ++ordinal) {
    writes.push_back(insert(entry_row("p", "u" + std::to_string(ordinal), ordinal)));
  }
  return writes;
}

template <class R>
R& row_of(std::vector<RowWrite>& writes, const Key& key) {
  const auto found =
      std::find_if(writes.begin(), writes.end(), [&](const RowWrite& write) { return write.key == key; });
  return std::get<R>(found->row);
}

void remove(std::vector<RowWrite>& writes, const Key& key) {
  std::erase_if(writes, [&](const RowWrite& write) { return write.key == key; });
}

TEST_P(StoreConformance, SoundRowsPassTheAudit) {
  commit(sound_rows());
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(broken_invariants(facts), Names{});
  EXPECT_EQ(facts.entries, 5);
  EXPECT_EQ(facts.ordinal_min, 1);
  EXPECT_EQ(facts.ordinal_max, 5);
  EXPECT_EQ(facts.ordinals_distinct, 5);
  EXPECT_EQ(facts.users_distinct, 5);
  EXPECT_EQ(facts.winners, 1);
  EXPECT_EQ(facts.winner_events, 1);
  EXPECT_EQ(facts.closed_events, 0);
  EXPECT_EQ(facts.events, 2);
  EXPECT_EQ(facts.event_sequence_max, 2);
}

TEST_P(StoreConformance, WhatTheRulesWritePassesTheAudit) {
  PromotionSettings settings = sample_settings();
  settings.rule = EveryRule{.interval = 2, .winners = 3};
  settings.close_on_last_winner = true;
  run(PutPromotion{.promotion = "a|b \"c\"",
                   .settings = std::make_shared<const PromotionSettings>(settings)});
  run(EnterPromotionBatch{.promotion = "a|b \"c\"", .users = difficult_ids()});

  const auto queries = open_queries(store());
  const PromotionFacts facts = facts_of(*queries, "a|b \"c\"");
  EXPECT_EQ(broken_invariants(facts), Names{});
  EXPECT_EQ(facts.entries, 6);
  EXPECT_EQ(facts.winners, 3);
  EXPECT_EQ(facts.closed_events, 1);
  EXPECT_EQ(facts.promotion.phase, PromotionPhase::closed);
  const auto orphans = queries->orphans();
  ASSERT_TRUE(orphans) << orphans.error().detail;
  EXPECT_TRUE(orphans->empty());
}

TEST_P(StoreConformance, ThereAreNoFactsWithoutAPromotion) {
  const auto facts = open_queries(store())->promotion_facts("p");
  ASSERT_TRUE(facts) << facts.error().detail;
  EXPECT_FALSE(*facts);
}

TEST_P(StoreConformance, AFreshPromotionHasFactsWithoutCounts) {
  PromotionRow fresh = promotion_row("p");
  fresh.events = 1;
  commit({insert(fresh), insert(changed_event(fresh, 1))});
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(broken_invariants(facts), Names{});
  EXPECT_EQ(facts.ordinal_min, 0);
  EXPECT_EQ(facts.ordinal_max, 0);
  EXPECT_EQ(facts.winners, 0);
}

TEST_P(StoreConformance, AMissingEntryShows) {
  std::vector<RowWrite> rows = sound_rows();
  remove(rows, entry_key("p", "u2"));
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(broken_invariants(facts), (Names{"counter_equals_entries", "ordinals_without_gap"}));
}

TEST_P(StoreConformance, AMovedPlaceShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<EntryRow>(rows, entry_key("p", "u5")).ordinal = 9;
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(facts.ordinal_max, 9);
  EXPECT_EQ(broken_invariants(facts), (Names{"ordinals_without_gap"}));
}

TEST_P(StoreConformance, ARewrittenWinnerShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<WinnerRow>(rows, winner_key("p", 3)).user = "u4";
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(facts.winners_not_entered, 1);
  EXPECT_EQ(facts.winners_without_event, 1);
}

TEST_P(StoreConformance, AWinnerAtAnotherTimeThanHisEntryShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<WinnerRow>(rows, winner_key("p", 3)).entered_at.micros += 1;
  commit(rows);
  EXPECT_EQ(facts_of(*open_queries(store()), "p").winners_not_entered, 1);
}

TEST_P(StoreConformance, AMissingWinnerShows) {
  std::vector<RowWrite> rows = sound_rows();
  remove(rows, winner_key("p", 3));
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(facts.winners, 0);
  EXPECT_EQ(broken_invariants(facts),
            (Names{"no_event_without_winner", "winner_counter_equals_winners", "winners_pinned"}));
}

TEST_P(StoreConformance, AMissingWinnerEventShows) {
  std::vector<RowWrite> rows = sound_rows();
  remove(rows, key_of(winner_event("p", "u3", 3, 2)));
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(facts.winners_without_event, 1);
  EXPECT_EQ(facts.winner_events, 0);
  EXPECT_EQ(facts.event_sequence_max, 1);
}

TEST_P(StoreConformance, AnEventThatNamesAnotherWinnerShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<EventRow>(rows, key_of(winner_event("p", "u3", 3, 2))).data = R"({"user_id":"u4"})";
  commit(rows);
  const PromotionFacts facts = facts_of(*open_queries(store()), "p");
  EXPECT_EQ(facts.winners_without_event, 1);
  EXPECT_EQ(facts.winner_events, 1);
}

TEST_P(StoreConformance, AnEventThatPromisesAnotherPrizeShows) {
  std::vector<RowWrite> rows = sound_rows();
  std::string& data = row_of<EventRow>(rows, key_of(winner_event("p", "u3", 3, 2))).data;
  data.replace(data.find(R"("prize":null)"), 12, R"("prize":{"amount":1,"currency":"KRW"})");
  commit(rows);
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"winner_events_as_pinned"}));
}

TEST_P(StoreConformance, AWinnersEventAtAnotherTimeShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<EventRow>(rows, key_of(winner_event("p", "u3", 3, 2))).occurred_at.micros += 1;
  commit(rows);
  EXPECT_EQ(facts_of(*open_queries(store()), "p").winner_events_untrue, 1);
}

TEST_P(StoreConformance, AnEventThatNamesAMemberTwiceShows) {
  std::vector<RowWrite> rows = sound_rows();
  std::string& data = row_of<EventRow>(rows, key_of(winner_event("p", "u3", 3, 2))).data;
  data.insert(1, R"("user_id":"thief",)");
  commit(rows);
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"winner_events_as_pinned"}));
}

TEST_P(StoreConformance, AWinnerByAnotherRuleShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<WinnerRow>(rows, winner_key("p", 3)).rule = R"({"kind":"nth","targets":[3,4]})";
  commit(rows);
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"winners_by_the_rule"}));
}

TEST_P(StoreConformance, SettingsThatNoEventTellsOfShow) {
  std::vector<RowWrite> rows = sound_rows();
  PromotionSettings settings = sample_settings();
  settings.max_entries = 5;
  row_of<PromotionRow>(rows, promotion_key("p")).settings =
      std::make_shared<const PromotionSettings>(settings);
  commit(rows);
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"settings_as_told"}));
}

TEST_P(StoreConformance, ALaterEventBeforeAnEarlierOneInTheFeedShows) {
  const std::vector<RowWrite> rows = sound_rows();
  commit({rows[0], rows[3]});
  commit({rows[1], rows[2]});
  commit({rows.begin() + 4, rows.end()});
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"events_in_order"}));
}

TEST_P(StoreConformance, AWrongCounterShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<PromotionRow>(rows, promotion_key("p")).entries = 6;
  commit(rows);
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), (Names{"counter_equals_entries"}));
}

TEST_P(StoreConformance, EntriesOutOfTimeShow) {
  PromotionSettings settings = sample_settings();
  settings.starts_at = start_time() + std::chrono::seconds(2);
  settings.ends_at = start_time() + std::chrono::seconds(7);
  PromotionRow promotion = promotion_row("p", settings);
  promotion.phase = PromotionPhase::closed;
  promotion.closing =
      PromotionClosing{.at = start_time() + std::chrono::seconds(5), .by = "operator:shop", .reason = "x"};
  std::vector<RowWrite> rows = {insert(promotion)};
  for (std::int64_t ordinal = 1; ordinal <= 7; ++ordinal) {
    rows.push_back(insert(entry_row("p", "u" + std::to_string(ordinal), ordinal)));
  }
  commit(rows);
  // 1 before the start, 6 after the close, 7 after the close and at the end; 2 at the start and 5 at the
  // close are in time.
  EXPECT_EQ(facts_of(*open_queries(store()), "p").entries_out_of_time, 3);
}

TEST_P(StoreConformance, AnEntryAtTheVeryEndShows) {
  PromotionSettings settings = sample_settings();
  settings.ends_at = start_time() + std::chrono::seconds(2);
  commit({insert(promotion_row("p", settings)), insert(entry_row("p", "u1", 1)),
          insert(entry_row("p", "u2", 2))});
  EXPECT_EQ(facts_of(*open_queries(store()), "p").entries_out_of_time, 1);
}

TEST_P(StoreConformance, AnEntryEarlierThanTheOneBeforeShows) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<EntryRow>(rows, entry_key("p", "u4")).entered_at = start_time() + std::chrono::seconds(2);
  row_of<EntryRow>(rows, entry_key("p", "u2")).entered_at = start_time() + std::chrono::seconds(1);
  commit(rows);
  // u2 entered with u1 at once, which is fine; u4 before u3 is not.
  EXPECT_EQ(facts_of(*open_queries(store()), "p").entries_out_of_time, 1);
}

TEST_P(StoreConformance, TimesAreComparedWithTheEntryBeforeThatIsThere) {
  std::vector<RowWrite> rows = sound_rows();
  row_of<EntryRow>(rows, entry_key("p", "u2")).entered_at = start_time() + std::chrono::seconds(9);
  remove(rows, entry_key("p", "u3"));
  commit(rows);
  // u4 is earlier than u2, whom it follows now; u5 is later than u4 although earlier than u2.
  EXPECT_EQ(facts_of(*open_queries(store()), "p").entries_out_of_time, 1);
}

TEST_P(StoreConformance, FactsAreOfOnePromotionAlone) {
  commit(sound_rows());
  commit({insert(entry_row("q", "u3", 3)), insert(winner_row("q", "u3", 3)),
          insert(winner_event("q", "u3", 3, 1))});
  EXPECT_EQ(broken_invariants(facts_of(*open_queries(store()), "p")), Names{});
}

TEST_P(StoreConformance, RowsWithoutAPromotionAreOrphans) {
  commit(sound_rows());
  commit({insert(entry_row("ghost", "u1", 1)), insert(entry_row("ghost", "u2", 2)),
          insert(entry_row("spook", "u1", 1)), insert(winner_row("ghost", "u3", 3)),
          insert(event_row("spook", 1))});
  const auto orphans = open_queries(store())->orphans();
  ASSERT_TRUE(orphans) << orphans.error().detail;
  std::vector<std::string> found;
  for (const Violation& violation : *orphans) {
    found.push_back(violation.invariant + " " + violation.subject + " " + std::to_string(violation.count));
  }
  EXPECT_EQ(found, (Names{"entries_have_a_promotion store 3", "winners_have_a_promotion store 1",
                          "events_have_a_subject store 1"}));
}

}  // namespace
}  // namespace hotrow::conformance
