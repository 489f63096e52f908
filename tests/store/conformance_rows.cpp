#include <chrono>

#include "tests/store/conformance.hpp"

// Part one: every column of every kind of row comes back exactly.
namespace hotrow::conformance {
namespace {

constexpr std::int64_t largest = 9007199254740991;

/// Settings of every kind, with and without each optional member.
std::vector<PromotionSettings> all_sorts_of_settings() {
  PromotionSettings full{.title = "Ein \"Titel\" | \\ 'x' \xF0\x9F\x8E\x81",
                         .rule = NthRule{.targets = {1, 1000, largest}},
                         .starts_at = start_time(),
                         .ends_at = start_time() + std::chrono::microseconds(1),
                         .max_entries = largest,
                         .close_on_last_winner = true,
                         .prize = Prize{.amount = largest, .currency = "KRW", .description = "100,000 won"},
                         .terms = "Line one\nline two\t\"quoted\"",
                         .user_id_pattern = *Pattern::compile("[a-z]+\\.\"'[0-9]{1,3}")};
  PromotionSettings every = sample_settings();
  every.rule = EveryRule{.interval = 100, .winners = 1'000'000};
  every.prize = Prize{.amount = 0, .currency = "EUR"};
  PromotionSettings first = sample_settings();
  first.title = "";
  first.rule = FirstRule{.count = largest};
  first.terms = "";
  return {full, every, first, sample_settings()};
}

TEST_P(StoreConformance, EverySortOfSettingsComesBackAsWritten) {
  std::vector<RowWrite> writes;
  for (const PromotionSettings& settings : all_sorts_of_settings()) {
    writes.push_back(insert(promotion_row("p" + std::to_string(writes.size()), settings)));
  }
  commit(writes);
  for (const RowWrite& write : writes) {
    const std::optional<Row> found = find(write.key);
    EXPECT_EQ(to_text(found), to_text(write.row));
    EXPECT_EQ(*std::get<PromotionRow>(*found).settings, *std::get<PromotionRow>(write.row).settings);
  }
}

TEST_P(StoreConformance, EveryColumnOfAPromotionComesBackAsWritten) {
  PromotionRow closed = promotion_row("closed");
  closed.phase = PromotionPhase::closed;
  closed.entries = largest;
  closed.winners = largest - 1;
  closed.version = largest - 2;
  closed.events = largest - 3;
  closed.created_at = {-1};
  closed.decided_at = *parse_rfc3339("9999-12-31T23:59:59.999999Z");
  closed.closing =
      PromotionClosing{.at = {1}, .by = "operator:'\"|\\", .reason = "\xF0\x9F\x8E\x81\n\"because\""};
  closed.queue_max = largest;
  PromotionRow paused = promotion_row("paused");
  paused.phase = PromotionPhase::paused;
  commit({insert(closed), insert(paused)});
  EXPECT_EQ(to_text(find(promotion_key("closed"))), to_text(Row(closed)));
  EXPECT_EQ(to_text(find(promotion_key("paused"))), to_text(Row(paused)));
}

TEST_P(StoreConformance, DifficultIdsOfPromotionsStayApart) {
  std::vector<RowWrite> writes;
  for (const std::string& id : difficult_ids()) {
    PromotionRow row = promotion_row(id);
    row.entries = std::int64_t(writes.size());
    writes.push_back(insert(row));
  }
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
}

TEST_P(StoreConformance, DifficultIdsOfUsersStayApart) {
  std::vector<RowWrite> writes = {insert(promotion_row("p"))};
  for (const std::string& id : difficult_ids()) {
    EntryRow row = entry_row("p", id, std::int64_t(writes.size()));
    row.request_id = id;
    row.actor = id;
    writes.push_back(insert(row));
  }
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
}

TEST_P(StoreConformance, PartsOfAKeyAreNotJoined) {
  commit({insert(entry_row("a", "b|c", 1)), insert(entry_row("a|b", "c", 1))});
  EXPECT_EQ(to_text(find(entry_key("a", "b|c"))), to_text(Row(entry_row("a", "b|c", 1))));
  EXPECT_EQ(to_text(find(entry_key("a|b", "c"))), to_text(Row(entry_row("a|b", "c", 1))));
  EXPECT_FALSE(find(entry_key("a|b|c", "")));
}

TEST_P(StoreConformance, EveryColumnOfAWinnerAndItsEventComesBackAsWritten) {
  const std::string& id = difficult_ids()[1];
  WinnerRow winner = winner_row(id, "it's \"u\"", 3);
  winner.server = "server|'\"\\";
  EventRow event = winner_event(id, "u", 3, 1);
  event.sequence = largest;
  event.data = R"({"text":"a \"b\" \\ | ' 🎁","n":9007199254740991})";
  event.traceparent = "";
  commit({insert(winner), insert(event)});

  const auto queries = open_queries(store());
  const auto winners = queries->winners(id, 0, 10);
  ASSERT_TRUE(winners) << winners.error().detail;
  EXPECT_EQ(to_texts(*winners), to_texts(std::vector{winner}));
  const auto timeline = queries->timeline("promotion", id, 0, 10);
  ASSERT_TRUE(timeline) << timeline.error().detail;
  EXPECT_EQ(to_texts(*timeline), to_texts(std::vector{event}));
}

TEST_P(StoreConformance, EveryColumnOfAnAnswerComesBackAsWritten) {
  std::vector<RowWrite> writes;
  for (const std::string& id : difficult_ids()) {
    AnswerRow row = answer_row(id, clock_.now());
    row.owner = id;
    row.principal = id;
    row.fingerprint = sha256(id);
    row.answer = R"({"v":1,"text":"\" \\ ' 🎁"})" + std::to_string(writes.size());
    writes.push_back(insert(row));
  }
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
}

TEST_P(StoreConformance, AnAnswerIsFoundForSevenDays) {
  const AnswerRow row = answer_row("key", clock_.now());
  commit({insert(row)});
  for (int day = 1; day <= 7; ++day) {
    EXPECT_EQ(to_text(find(key_of(row))), to_text(Row(row))) << "after " << day - 1 << " days";
    clock_.advance(std::chrono::hours(24));
  }
}

TEST_P(StoreConformance, AnUpdateReplacesEveryColumnThatChanges) {
  commit({insert(promotion_row("p")), insert(promotion_row("q"))});
  PromotionRow after = promotion_row("p", all_sorts_of_settings()[0]);
  after.phase = PromotionPhase::closed;
  after.entries = 5;
  after.winners = 1;
  after.version = 2;
  after.events = 4;
  after.decided_at = start_time() + std::chrono::seconds(9);
  after.closing = PromotionClosing{.at = after.decided_at, .by = "schedule", .reason = "over"};
  commit({update(after)});
  EXPECT_EQ(to_text(find(promotion_key("p"))), to_text(Row(after)));
  EXPECT_EQ(to_text(find(promotion_key("q"))), to_text(Row(promotion_row("q"))));
}

}  // namespace
}  // namespace hotrow::conformance
