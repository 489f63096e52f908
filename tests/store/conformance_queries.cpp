#include <chrono>

#include "tests/store/conformance.hpp"

// Part one, the read port: every question against rows written through the write port.
namespace hotrow::conformance {
namespace {

/// `count` entries "u1", "u2", ... in order.
std::vector<RowWrite> entries_of(const std::string& promotion, std::int64_t count) {
  std::vector<RowWrite> writes;
  for (std::int64_t ordinal = 1; ordinal <= count; ++ordinal) {
    writes.push_back(insert(entry_row(promotion, "u" + std::to_string(ordinal), ordinal)));
  }
  return writes;
}

std::vector<std::string> ids_of(const std::vector<PromotionRow>& rows) {
  std::vector<std::string> ids;
  for (const PromotionRow& row : rows) ids.push_back(row.id);
  return ids;
}

template <class R>
std::vector<std::int64_t> ordinals_of(const std::vector<R>& rows) {
  std::vector<std::int64_t> ordinals;
  for (const R& row : rows) ordinals.push_back(row.ordinal);
  return ordinals;
}

using Ids = std::vector<std::string>;
using Ordinals = std::vector<std::int64_t>;

TEST_P(StoreConformance, QueriesTellTheStoresClock) {
  clock_.advance(std::chrono::hours(5));
  const auto now = open_queries(store())->now();
  ASSERT_TRUE(now) << now.error().detail;
  EXPECT_EQ(now->micros, clock_.now().micros);
}

TEST_P(StoreConformance, TheInstanceHasOneName) {
  const auto facts = open_queries(store())->facts();
  const auto again = open_queries(other_store())->facts();
  ASSERT_TRUE(facts && again);
  EXPECT_FALSE(facts->instance_id.empty());
  EXPECT_EQ(facts->instance_id, again->instance_id);
  EXPECT_GE(facts->schema_version, 1);
}

TEST_P(StoreConformance, OneRowIsFoundByItsKeyOrNotAtAll) {
  commit({insert(promotion_row("p")), insert(entry_row("p", "u", 1))});
  const auto queries = open_queries(store());
  const auto promotion = queries->promotion("p");
  ASSERT_TRUE(promotion && *promotion);
  EXPECT_EQ(to_text(Row(**promotion)), to_text(Row(promotion_row("p"))));
  const auto entry = queries->entry("p", "u");
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ(to_text(Row(**entry)), to_text(Row(entry_row("p", "u", 1))));

  EXPECT_FALSE(*queries->promotion("P"));
  EXPECT_FALSE(*queries->entry("p", "v"));
  EXPECT_FALSE(*queries->entry("q", "u"));
}

TEST_P(StoreConformance, PromotionsComeInPagesByTheirIdsBytes) {
  commit({insert(promotion_row("b")), insert(promotion_row("B")), insert(promotion_row("a")),
          insert(promotion_row("\xC3\xA4")), insert(promotion_row("a-1"))});
  const auto queries = open_queries(store());
  const auto all = queries->promotions({.now = clock_.now()});
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(ids_of(*all), (Ids{"B", "a", "a-1", "b", "\xC3\xA4"}));
  EXPECT_EQ(ids_of(*queries->promotions({.now = clock_.now(), .limit = 2})), (Ids{"B", "a"}));
  EXPECT_EQ(ids_of(*queries->promotions({.now = clock_.now(), .after_id = "a", .limit = 2})),
            (Ids{"a-1", "b"}));
  EXPECT_EQ(ids_of(*queries->promotions({.now = clock_.now(), .after_id = "\xC3\xA4"})), Ids{});
}

TEST_P(StoreConformance, PromotionsAreFilteredByTheirState) {
  const Timestamp now = start_time() + std::chrono::hours(1);
  PromotionSettings later = sample_settings();
  later.starts_at = now + std::chrono::microseconds(1);
  PromotionSettings starting = sample_settings();
  starting.starts_at = now;
  PromotionSettings ending = sample_settings();
  ending.ends_at = now;
  PromotionSettings lasting = sample_settings();
  lasting.ends_at = now + std::chrono::microseconds(1);
  PromotionRow paused = promotion_row("paused");
  paused.phase = PromotionPhase::paused;
  PromotionRow paused_and_over = promotion_row("paused-and-over", ending);
  paused_and_over.phase = PromotionPhase::paused;
  PromotionRow paused_before = promotion_row("paused-before", later);
  paused_before.phase = PromotionPhase::paused;
  PromotionRow closed = promotion_row("closed", ending);
  closed.phase = PromotionPhase::closed;
  closed.closing = PromotionClosing{.at = now, .by = "schedule"};
  commit({insert(promotion_row("later", later)), insert(promotion_row("starting", starting)),
          insert(promotion_row("ending", ending)), insert(promotion_row("lasting", lasting)), insert(paused),
          insert(paused_and_over), insert(paused_before), insert(closed)});

  const auto queries = open_queries(store());
  const auto ids = [&](PromotionState state) {
    return ids_of(*queries->promotions({.state = state, .now = now}));
  };
  EXPECT_EQ(ids(PromotionState::scheduled), (Ids{"later", "paused-before"}));
  EXPECT_EQ(ids(PromotionState::open), (Ids{"lasting", "starting"}));
  EXPECT_EQ(ids(PromotionState::paused), (Ids{"paused"}));
  EXPECT_EQ(ids(PromotionState::closing), (Ids{"ending", "paused-and-over"}));
  EXPECT_EQ(ids(PromotionState::closed), (Ids{"closed"}));
  const auto second =
      queries->promotions({.state = PromotionState::open, .now = now, .after_id = "lasting", .limit = 1});
  EXPECT_EQ(ids_of(*second), (Ids{"starting"}));
}

TEST_P(StoreConformance, EntriesComeInPagesByPlace) {
  std::vector<RowWrite> writes = entries_of("p", 12);
  writes.push_back(insert(entry_row("o", "u", 5)));
  writes.push_back(insert(entry_row("q", "u", 6)));
  commit(writes);
  const auto queries = open_queries(store());
  const auto page = queries->entries("p", 0, 5);
  ASSERT_TRUE(page) << page.error().detail;
  EXPECT_EQ(ordinals_of(*page), (Ordinals{1, 2, 3, 4, 5}));
  EXPECT_EQ(to_text(Row((*page)[2])), to_text(Row(entry_row("p", "u3", 3))));
  EXPECT_EQ(ordinals_of(*queries->entries("p", 10, 5)), (Ordinals{11, 12}));
  EXPECT_EQ(ordinals_of(*queries->entries("p", 12, 5)), Ordinals{});
  EXPECT_EQ(ordinals_of(*queries->entries("nobody", 0, 5)), Ordinals{});
}

TEST_P(StoreConformance, AnEntryHasUpToThreeNeighboursOnEachSide) {
  std::vector<RowWrite> writes = entries_of("p", 10);
  for (RowWrite& write : writes) {
    auto& entry = std::get<EntryRow>(write.row);
    if (entry.ordinal >= 4 && entry.ordinal <= 6) entry.entered_at = start_time() + std::chrono::seconds(4);
  }
  writes.push_back(insert(entry_row("q", "u", 4)));
  commit(writes);
  const auto queries = open_queries(store());
  const auto middle = queries->neighbourhood("p", 6);
  ASSERT_TRUE(middle && *middle);
  EXPECT_EQ((*middle)->entry.user, "u6");
  EXPECT_EQ(ordinals_of((*middle)->before), (Ordinals{3, 4, 5}));
  EXPECT_EQ(ordinals_of((*middle)->after), (Ordinals{7, 8, 9}));
  EXPECT_EQ((*middle)->place_in_batch, 3);

  const auto first = queries->neighbourhood("p", 1);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ(ordinals_of((*first)->before), Ordinals{});
  EXPECT_EQ(ordinals_of((*first)->after), (Ordinals{2, 3, 4}));
  EXPECT_EQ((*first)->place_in_batch, 1);

  const auto last = queries->neighbourhood("p", 10);
  ASSERT_TRUE(last && *last);
  EXPECT_EQ(ordinals_of((*last)->before), (Ordinals{7, 8, 9}));
  EXPECT_EQ(ordinals_of((*last)->after), Ordinals{});
  EXPECT_EQ((*last)->place_in_batch, 1);

  const auto nobody = queries->neighbourhood("p", 11);
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(*nobody);
}

TEST_P(StoreConformance, WinnersComeInPagesByPlace) {
  std::vector<RowWrite> writes;
  for (std::int64_t ordinal = 1; ordinal <= 5; ++ordinal) {
    WinnerRow winner = winner_row("p", "u" + std::to_string(ordinal), ordinal * 2);
    winner.rule = R"({"kind":"every","interval":2,"winners":10})";
    writes.push_back(insert(winner));
  }
  writes.push_back(insert(winner_row("q", "u", 3)));
  commit(writes);
  const auto queries = open_queries(store());
  EXPECT_EQ(ordinals_of(*queries->winners("p", 0, 100)), (Ordinals{2, 4, 6, 8, 10}));
  EXPECT_EQ(ordinals_of(*queries->winners("p", 4, 2)), (Ordinals{6, 8}));
  EXPECT_EQ(ordinals_of(*queries->winners("p", 10, 2)), Ordinals{});
}

TEST_P(StoreConformance, TheFeedIsInTheOrderOfCommits) {
  commit({insert(event_row("z", 1)), insert(event_row("z", 2))});
  commit({insert(event_row("a", 1))});
  commit({insert(event_row("z", 3)), insert(event_row("b", 1))});
  const auto queries = open_queries(store());
  const auto page = queries->events({});
  ASSERT_TRUE(page) << page.error().detail;
  Ids ids;
  for (std::size_t i = 0; i < page->events.size(); ++i) {
    ids.push_back(page->events[i].subject + std::to_string(page->events[i].sequence));
    EXPECT_GT(page->events[i].position, i > 0 ? page->events[i - 1].position : 0);
  }
  EXPECT_EQ(ids, (Ids{"z1", "z2", "a1", "b1", "z3"}));
  EXPECT_GE(page->next_position, page->events.back().position);
  EXPECT_EQ(page->oldest_position, 0);
  EXPECT_EQ(to_text(Row(page->events[2])), to_text(Row(event_row("a", 1))));
}

TEST_P(StoreConformance, TheFeedIsReadOnFromWhereAPageEnded) {
  for (std::int64_t sequence = 1; sequence <= 7; ++sequence) commit({insert(event_row("p", sequence))});
  const auto queries = open_queries(store());
  Ordinals sequences;
  EventsQuery query{.limit = 3};
  for (int page = 0; page < 3; ++page) {
    const auto events = queries->events(query);
    ASSERT_TRUE(events) << events.error().detail;
    EXPECT_EQ(events->events.size(), page < 2 ? 3u : 1u);
    for (const EventRow& event : events->events) sequences.push_back(event.sequence);
    query.after_position = events->next_position;
  }
  EXPECT_EQ(sequences, (Ordinals{1, 2, 3, 4, 5, 6, 7}));

  const auto end = queries->events(query);
  ASSERT_TRUE(end) << end.error().detail;
  EXPECT_TRUE(end->events.empty());
  EXPECT_EQ(end->next_position, query.after_position);
  commit({insert(event_row("p", 8))});
  EXPECT_EQ(queries->events(query)->events.size(), 1u);
}

TEST_P(StoreConformance, TheFeedOfAnEmptyStoreIsEmpty) {
  const auto page = open_queries(store())->events({});
  ASSERT_TRUE(page) << page.error().detail;
  EXPECT_TRUE(page->events.empty());
  EXPECT_EQ(page->next_position, 0);
  EXPECT_EQ(page->oldest_position, 0);
}

TEST_P(StoreConformance, TheFeedPassesOverOtherTypes) {
  std::vector<RowWrite> writes = {insert(winner_event("p", "u", 3, 1))};
  for (std::int64_t sequence = 2; sequence <= 9; ++sequence) {
    writes.push_back(insert(event_row("p", sequence)));
  }
  writes.push_back(insert(winner_event("p", "v", 4, 10)));
  writes.push_back(insert(event_row("p", 11)));
  commit(writes);
  const auto queries = open_queries(store());
  EventsQuery query{.types = {"promotion.winner_determined", "no.such_type"}, .limit = 1};
  const auto first = queries->events(query);
  ASSERT_TRUE(first) << first.error().detail;
  ASSERT_EQ(first->events.size(), 1u);
  EXPECT_EQ(first->events[0].sequence, 1);
  query.after_position = first->next_position;
  const auto second = queries->events(query);
  ASSERT_TRUE(second) << second.error().detail;
  ASSERT_EQ(second->events.size(), 1u);
  EXPECT_EQ(second->events[0].sequence, 10);
  query.after_position = second->next_position;
  const auto third = queries->events(query);
  ASSERT_TRUE(third) << third.error().detail;
  EXPECT_TRUE(third->events.empty());
  const auto all = queries->events({});
  EXPECT_EQ(third->next_position, all->events.back().position);  // Past the 11th, which did not match.
}

TEST_P(StoreConformance, ATimelineIsOneSubjectsEvents) {
  EventRow item = event_row("p", 1);
  item.subject_kind = "item";
  item.id = "item:p:1";
  commit({insert(event_row("p", 1)), insert(event_row("p", 2)), insert(event_row("p", 3)),
          insert(event_row("q", 1)), insert(item)});
  const auto queries = open_queries(store());
  const auto all = queries->timeline("promotion", "p", 0, 10);
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(to_texts(*all), to_texts(std::vector{event_row("p", 1), event_row("p", 2), event_row("p", 3)}));
  EXPECT_EQ(to_texts(*queries->timeline("promotion", "p", 1, 1)), to_texts(std::vector{event_row("p", 2)}));
  EXPECT_EQ(to_texts(*queries->timeline("item", "p", 0, 10)), to_texts(std::vector{item}));
  EXPECT_TRUE(queries->timeline("promotion", "p", 3, 10)->empty());
}

TEST_P(StoreConformance, WhatIsDueIsNamedOldestFirst) {
  const auto ending_at = [](std::chrono::microseconds after) {
    PromotionSettings settings = sample_settings();
    settings.ends_at = start_time() + after;
    return settings;
  };
  const Timestamp now = start_time() + std::chrono::microseconds(30);
  PromotionRow closed = promotion_row("closed", ending_at(std::chrono::microseconds(1)));
  closed.phase = PromotionPhase::closed;
  closed.closing = PromotionClosing{.at = now, .by = "schedule"};
  PromotionRow paused = promotion_row("paused", ending_at(std::chrono::microseconds(20)));
  paused.phase = PromotionPhase::paused;
  commit({insert(promotion_row("a", ending_at(std::chrono::microseconds(30)))),
          insert(promotion_row("b", ending_at(std::chrono::microseconds(10)))),
          insert(promotion_row("c", ending_at(std::chrono::microseconds(31)))),
          insert(promotion_row("endless")), insert(closed), insert(paused)});
  const auto queries = open_queries(store());
  const auto due = queries->due(now, 10);
  ASSERT_TRUE(due) << due.error().detail;
  EXPECT_EQ(*due, (Keys{promotion_key("b"), promotion_key("paused"), promotion_key("a")}));
  EXPECT_EQ(*queries->due(now, 1), (Keys{promotion_key("b")}));
  EXPECT_EQ(*queries->due(start_time(), 10), Keys{});
}

TEST_P(StoreConformance, AnExportHasEveryEntryInOrder) {
  std::vector<RowWrite> writes = entries_of("p", 5'000);
  writes.push_back(insert(entry_row("q", "u", 1)));
  commit(writes);
  std::int64_t next = 1;
  const auto exported = open_queries(store())->export_entries("p", [&](std::span<const EntryRow> rows) {
    EXPECT_FALSE(rows.empty());
    EXPECT_LE(rows.size(), 2'000u) << "an export holds few rows at a time";
    for (const EntryRow& row : rows) {
      EXPECT_EQ(to_text(Row(row)), to_text(Row(entry_row("p", "u" + std::to_string(next), next))));
      ++next;
    }
    return true;
  });
  ASSERT_TRUE(exported) << exported.error().detail;
  EXPECT_EQ(next, 5'001);
}

TEST_P(StoreConformance, AnExportStopsWhenItsReaderHasEnough) {
  commit(entries_of("p", 5'000));
  const auto queries = open_queries(store());
  int chunks = 0;
  const auto exported = queries->export_entries("p", [&](std::span<const EntryRow>) {
    ++chunks;
    return false;
  });
  ASSERT_TRUE(exported) << exported.error().detail;
  EXPECT_EQ(chunks, 1);
  EXPECT_EQ(queries->entries("p", 0, 3)->size(), 3u) << "the session is of use afterwards";
}

TEST_P(StoreConformance, AnExportShowsTheStateInWhichItBegan) {
  commit(entries_of("p", 3'000));
  std::int64_t rows_seen = 0;
  bool written = false;
  const auto exported = open_queries(store())->export_entries("p", [&](std::span<const EntryRow> rows) {
    rows_seen += std::int64_t(rows.size());
    if (!written) commit({insert(entry_row("p", "late", 3'001))});
    written = true;
    return true;
  });
  ASSERT_TRUE(exported) << exported.error().detail;
  EXPECT_EQ(rows_seen, 3'000);
  EXPECT_TRUE(find(entry_key("p", "late")));
}

TEST_P(StoreConformance, AnExportOfNothingIsEmpty) {
  int chunks = 0;
  const auto exported = open_queries(store())->export_entries("p", [&](std::span<const EntryRow>) {
    ++chunks;
    return true;
  });
  ASSERT_TRUE(exported) << exported.error().detail;
  EXPECT_EQ(chunks, 0);
}

}  // namespace
}  // namespace hotrow::conformance
