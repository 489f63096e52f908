#include <chrono>

#include "hotrow/core/json.hpp"
#include "tests/store/conformance.hpp"

// Part one: what one transaction sees and leaves behind.
namespace hotrow::conformance {
namespace {

constexpr std::int64_t largest = 9007199254740991;

TEST_P(StoreConformance, LockAnswersInTheOrderAskedAndSaysWhatIsAbsent) {
  commit({insert(promotion_row("b")), insert(entry_row("b", "2", 2)), insert(entry_row("b", "4", 4)),
          insert(answer_row("key-1", clock_.now()))});
  const Keys keys = {promotion_key("a"),
                     promotion_key("b"),
                     promotion_key("c"),
                     entry_key("a", "2"),
                     entry_key("b", "1"),
                     entry_key("b", "2"),
                     entry_key("b", "3"),
                     entry_key("b", "4"),
                     key_of(answer_row("key-1", clock_.now())),
                     key_of(answer_row("key-2", clock_.now()))};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  const Result<Locked> locked = transaction->lock(keys);
  ASSERT_TRUE(locked) << locked.error().detail;
  ASSERT_EQ(locked->rows.size(), keys.size());
  std::vector<bool> present;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    present.push_back(locked->rows[i].has_value());
    if (locked->rows[i]) {
      EXPECT_EQ(key_of(*locked->rows[i]), keys[i]);
    }
  }
  EXPECT_EQ(present, (std::vector<bool>{false, true, false, false, false, true, false, true, true, false}));
}

TEST_P(StoreConformance, LockingNothingTellsTheTime) {
  clock_.advance(std::chrono::microseconds(7));
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  const Result<Locked> locked = transaction->lock({});
  ASSERT_TRUE(locked) << locked.error().detail;
  EXPECT_TRUE(locked->rows.empty());
  EXPECT_EQ(locked->now.micros, clock_.now().micros);
}

TEST_P(StoreConformance, LockStepsOfOneAttemptAddUp) {
  commit({insert(promotion_row("p")), insert(entry_row("p", "u", 1))});
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  const Keys first = {promotion_key("p")};
  const Keys second = {entry_key("p", "u"), entry_key("p", "v")};
  ASSERT_TRUE(transaction->lock(first));
  const Result<Locked> locked = transaction->lock(second);
  ASSERT_TRUE(locked) << locked.error().detail;
  EXPECT_EQ(to_text(locked->rows[0]), to_text(Row(entry_row("p", "u", 1))));
  EXPECT_FALSE(locked->rows[1]);
}

TEST_P(StoreConformance, ASessionServesOneAttemptAfterTheOther) {
  const auto transaction = open_transaction(store());
  for (int i = 1; i <= 3; ++i) {
    const std::string id = "p" + std::to_string(i);
    ASSERT_TRUE(try_commit(*transaction, attempt(), {insert(promotion_row(id))}));
  }
  EXPECT_TRUE(find(promotion_key("p1")));
  EXPECT_TRUE(find(promotion_key("p3")));
}

TEST_P(StoreConformance, AnUpdateOfAMissingRowFailsAndLeavesNothing) {
  const Result<void> committed =
      try_commit({insert(promotion_row("a")), update(promotion_row("b")), insert(entry_row("a", "u", 1))});
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::invalid);
  EXPECT_FALSE(find(promotion_key("a")));
  EXPECT_FALSE(find(promotion_key("b")));
  EXPECT_FALSE(find(entry_key("a", "u")));
}

TEST_P(StoreConformance, AnInsertOfATakenKeyIsAConflictAndChangesNothing) {
  commit({insert(promotion_row("p")), insert(entry_row("p", "u", 1)), insert(event_row("p", 1)),
          insert(answer_row("key", clock_.now()))});
  PromotionRow other = promotion_row("p");
  other.entries = 77;
  AnswerRow other_answer = answer_row("key", clock_.now());
  other_answer.answer = "another";
  EventRow other_event = event_row("p", 1);
  other_event.id = "another";
  const std::vector<RowWrite> repeats = {insert(other), insert(entry_row("p", "u", 2)), insert(other_event),
                                         insert(other_answer)};
  for (const RowWrite& repeat : repeats) {
    const Result<void> committed = try_commit({insert(entry_row("p", "v", 9)), repeat});
    ASSERT_FALSE(committed) << describe(repeat.key);
    EXPECT_EQ(committed.error().kind, ErrorKind::conflict) << describe(repeat.key);
  }
  EXPECT_EQ(to_text(find(promotion_key("p"))), to_text(Row(promotion_row("p"))));
  EXPECT_EQ(to_text(find(entry_key("p", "u"))), to_text(Row(entry_row("p", "u", 1))));
  EXPECT_EQ(to_text(find(repeats[3].key)), to_text(Row(answer_row("key", clock_.now()))));
  EXPECT_FALSE(find(entry_key("p", "v")));
}

TEST_P(StoreConformance, APlaceGivenOutTwiceIsInvalid) {
  commit({insert(promotion_row("p")), insert(entry_row("p", "u", 1))});
  const Result<void> committed = try_commit({insert(entry_row("p", "v", 2)), insert(entry_row("p", "w", 1))});
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::invalid);
  EXPECT_FALSE(find(entry_key("p", "v")));
  EXPECT_FALSE(find(entry_key("p", "w")));
}

TEST_P(StoreConformance, TheSamePlaceInTwoPromotionsIsFine) {
  commit({insert(entry_row("p", "u", 1)), insert(entry_row("q", "u", 1))});
  EXPECT_TRUE(find(entry_key("q", "u")));
}

TEST_P(StoreConformance, AnEventIdUsedTwiceIsInvalid) {
  commit({insert(event_row("p", 1))});
  EventRow again = event_row("q", 1);
  again.id = event_row("p", 1).id;
  const Result<void> committed = try_commit({insert(again)});
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::invalid);
}

TEST_P(StoreConformance, AWinnerOffTargetIsInvalid) {
  struct Case {
    Rule rule;
    std::int64_t ordinal;
    bool wins;
  };
  const std::vector<Case> cases = {
      {NthRule{.targets = {10, 1000}}, 10, true},
      {NthRule{.targets = {10, 1000}}, 1000, true},
      {NthRule{.targets = {10, 1000}}, 1, false},
      {NthRule{.targets = {10, 1000}}, 100, false},
      {NthRule{.targets = {10, 1000}}, 0, false},
      {NthRule{.targets = {largest}}, largest, true},
      {NthRule{.targets = {largest}}, 740991, false},
      {EveryRule{.interval = 100, .winners = 10}, 100, true},
      {EveryRule{.interval = 100, .winners = 10}, 1000, true},
      {EveryRule{.interval = 100, .winners = 10}, 1100, false},
      {EveryRule{.interval = 100, .winners = 10}, 150, false},
      {FirstRule{.count = 5}, 1, true},
      {FirstRule{.count = 5}, 5, true},
      {FirstRule{.count = 5}, 6, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    WinnerRow winner = winner_row("p" + std::to_string(i), "u", cases[i].ordinal);
    winner.rule = encode_rule(cases[i].rule);
    const Result<void> committed = try_commit({insert(winner)});
    EXPECT_EQ(committed.has_value(), cases[i].wins) << winner.rule << " at " << winner.ordinal;
    if (!committed) {
      EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << committed.error().detail;
    }
  }
}

TEST_P(StoreConformance, ARollbackLeavesNothing) {
  const std::vector<RowWrite> writes = {insert(promotion_row("p"))};
  const Keys keys = {promotion_key("p")};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  ASSERT_TRUE(transaction->lock(keys));
  transaction->apply(writes);
  transaction->rollback();
  transaction->rollback();  // Harmless without an attempt.
  EXPECT_FALSE(find(keys[0]));
}

TEST_P(StoreConformance, BeginningAgainGivesUpTheAttemptUnderWay) {
  const std::vector<RowWrite> writes = {insert(promotion_row("p"))};
  const Keys p = {promotion_key("p")};
  const Keys q = {promotion_key("q")};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  ASSERT_TRUE(transaction->lock(p));
  transaction->apply(writes);
  transaction->begin(attempt());
  ASSERT_TRUE(transaction->lock(q));
  const Result<void> committed = transaction->commit();
  ASSERT_TRUE(committed) << committed.error().detail;
  EXPECT_FALSE(find(p[0]));
}

TEST_P(StoreConformance, ASessionThatIsDestroyedGivesUpItsAttempt) {
  const Keys keys = {promotion_key("p")};
  {
    const auto transaction = open_transaction(store());
    transaction->begin(attempt());
    ASSERT_TRUE(transaction->lock(keys));
  }
  commit({insert(promotion_row("p"))});
  EXPECT_TRUE(find(keys[0]));
}

TEST_P(StoreConformance, ASessionIsOfUseAfterAFailedCommit) {
  const auto transaction = open_transaction(store());
  ASSERT_FALSE(try_commit(*transaction, attempt(), {update(promotion_row("p"))}));
  ASSERT_TRUE(try_commit(*transaction, attempt(), {insert(promotion_row("p"))}));
  EXPECT_TRUE(find(promotion_key("p")));
}

TEST_P(StoreConformance, AnAttemptWithoutWritesCommits) {
  const AttemptOptions options = attempt();
  const auto transaction = open_transaction(store());
  const Result<void> committed = try_commit(*transaction, options, {});
  ASSERT_TRUE(committed) << committed.error().detail;
  const Result<CommitFate> fate = store().resolve(options.id, std::chrono::seconds(10));
  ASSERT_TRUE(fate) << fate.error().detail;
  EXPECT_EQ(*fate, CommitFate::committed);
}

TEST_P(StoreConformance, ASerializableAttemptCommits) {
  AttemptOptions options = attempt();
  options.isolation = Isolation::serializable;
  const auto transaction = open_transaction(store());
  const Result<void> committed = try_commit(*transaction, options, {insert(promotion_row("p"))});
  ASSERT_TRUE(committed) << committed.error().detail;
  EXPECT_TRUE(find(promotion_key("p")));
}

TEST_P(StoreConformance, ResolveKnowsWhatWasCommitted) {
  const AttemptOptions options = attempt();
  const auto transaction = open_transaction(store());
  ASSERT_TRUE(try_commit(*transaction, options, {insert(promotion_row("p"))}));
  for (int i = 0; i < 2; ++i) {
    const Result<CommitFate> fate = other_store().resolve(options.id, std::chrono::seconds(10));
    ASSERT_TRUE(fate) << fate.error().detail;
    EXPECT_EQ(*fate, CommitFate::committed);
  }
}

TEST_P(StoreConformance, ResolveFencesWhatWasNotCommitted) {
  const AttemptOptions options = attempt();
  for (int i = 0; i < 2; ++i) {
    const Result<CommitFate> fate = other_store().resolve(options.id, std::chrono::seconds(10));
    ASSERT_TRUE(fate) << fate.error().detail;
    EXPECT_EQ(*fate, CommitFate::not_committed);
  }
  const auto transaction = open_transaction(store());
  EXPECT_FALSE(try_commit(*transaction, options, {insert(promotion_row("p"))}));
  EXPECT_FALSE(find(promotion_key("p")));

  const Result<CommitFate> fate = other_store().resolve(options.id, std::chrono::seconds(10));
  ASSERT_TRUE(fate) << fate.error().detail;
  EXPECT_EQ(*fate, CommitFate::not_committed);
}

TEST_P(StoreConformance, ResolveTellsARolledBackAttemptFromACommittedOne) {
  const AttemptOptions options = attempt();
  const auto transaction = open_transaction(store());
  ASSERT_FALSE(try_commit(*transaction, options, {update(promotion_row("p"))}));
  const Result<CommitFate> fate = store().resolve(options.id, std::chrono::seconds(10));
  ASSERT_TRUE(fate) << fate.error().detail;
  EXPECT_EQ(*fate, CommitFate::not_committed);
}

// J05: 65,535 bound parameters are a ceiling in some protocols.
TEST_P(StoreConformance, TenThousandEntriesGoIntoOneCommit) {
  PromotionRow promotion = promotion_row("p");
  promotion.entries = 10'000;
  std::vector<RowWrite> writes = {insert(promotion)};
  Keys keys = {promotion_key("p")};
  for (std::int64_t ordinal = 1; ordinal <= promotion.entries; ++ordinal) {
    const std::string user = "user-" + std::to_string(ordinal * 7919 % 10'007);
    writes.push_back(insert(entry_row("p", user, ordinal)));
    keys.push_back(entry_key("p", user));
  }
  commit(writes);

  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  const Result<Locked> locked = transaction->lock(sorted(std::move(keys)));
  ASSERT_TRUE(locked) << locked.error().detail;
  std::int64_t ordinals = 0;
  for (const std::optional<Row>& row : locked->rows) {
    ASSERT_TRUE(row);
    if (const auto* entry = std::get_if<EntryRow>(&*row)) ordinals += entry->ordinal;
  }
  EXPECT_EQ(ordinals, 10'000 * 10'001 / 2);
}

TEST_P(StoreConformance, ExpiryRemovesOldAnswersAndSparesTheOthers) {
  const AnswerRow old = answer_row("old", clock_.now());
  commit({insert(promotion_row("p")), insert(entry_row("p", "u", 1)), insert(old)});
  clock_.advance(std::chrono::hours(24 * 60));
  const AnswerRow fresh = answer_row("fresh", clock_.now());
  commit({insert(fresh)});

  const Result<void> expired = store().expire(clock_.now() - std::chrono::hours(24 * 14));
  ASSERT_TRUE(expired) << expired.error().detail;
  EXPECT_FALSE(find(key_of(old)));
  EXPECT_TRUE(find(key_of(fresh)));
  EXPECT_TRUE(find(entry_key("p", "u")));
  commit({insert(answer_row("old", clock_.now()))});  // The key is free again.
}

}  // namespace
}  // namespace hotrow::conformance
