#include <chrono>
#include <latch>
#include <set>
#include <thread>

#include "tests/store/conformance.hpp"

// Part two: several sessions at once, of two stores where the database allows that.
namespace hotrow::conformance {
namespace {

using std::chrono::milliseconds;

bool may_try_again(const Error& error) {
  return error.kind == ErrorKind::conflict || error.kind == ErrorKind::held;
}

/// The next entry of promotion "p", as an attempt that has the promotion locked would make it.
std::vector<RowWrite> next_entry(const PromotionRow& before, const std::string& user) {
  PromotionRow after = before;
  ++after.entries;
  return {update(after), insert(entry_row(after.id, user, after.entries))};
}

TEST_P(StoreConformance, TwoWritersNeverLoseAnUpdate) {
  constexpr int rounds = 40;
  commit({insert(promotion_row("p"))});
  std::latch both_ready(2);
  const auto write = [&](Store& at, const std::string& name) {
    const auto transaction = open_transaction(at);
    both_ready.arrive_and_wait();
    for (int done = 0; done < rounds;) {
      const Keys keys = {promotion_key("p"), entry_key("p", name + std::to_string(done))};
      transaction->begin(attempt());
      Result<Locked> locked = transaction->lock(keys);
      Result<void> committed = tl::unexpected(Error{ErrorKind::held, "", ""});
      std::vector<RowWrite> writes;
      if (locked) {
        writes = next_entry(std::get<PromotionRow>(*locked->rows[0]), keys[1].second);
        transaction->apply(writes);
        committed = transaction->commit();
      }
      if (committed) {
        ++done;
      } else if (!may_try_again(committed.error())) {
        ADD_FAILURE() << committed.error().detail;
        return;
      }
    }
  };
  {
    std::jthread a([&] { write(store(), "a"); });
    std::jthread b([&] { write(other_store(), "b"); });
  }
  EXPECT_EQ(std::get<PromotionRow>(*find(promotion_key("p"))).entries, 2 * rounds);
  EXPECT_EQ(open_queries(store())->entries("p", 0, 1000)->size(), std::size_t(2 * rounds));
}

TEST_P(StoreConformance, WhoWaitedSeesWhatWasCommittedMeanwhile) {
  commit({insert(promotion_row("p"))});
  const Keys keys = {promotion_key("p"), entry_key("p", "u")};
  const auto first = open_transaction(store());
  first->begin(attempt());
  const Result<Locked> locked = first->lock(keys);
  ASSERT_TRUE(locked) << locked.error().detail;

  std::latch asked(1);
  Result<Locked> seen;
  {
    std::jthread waiting([&] {
      const auto second = open_transaction(other_store());
      second->begin(attempt());
      asked.count_down();
      seen = second->lock(keys);
    });
    asked.wait();
    clock_.advance(std::chrono::seconds(1));
    const std::vector<RowWrite> writes = next_entry(std::get<PromotionRow>(*locked->rows[0]), "u");
    first->apply(writes);
    const Result<void> committed = first->commit();
    EXPECT_TRUE(committed) << committed.error().detail;
    first->rollback();
  }
  ASSERT_TRUE(seen) << seen.error().detail;
  EXPECT_EQ(std::get<PromotionRow>(*seen->rows[0]).entries, 1);
  EXPECT_EQ(to_text(seen->rows[1]), to_text(Row(entry_row("p", "u", 1))));
  EXPECT_EQ(seen->now.micros, clock_.now().micros) << "the time is read after the lock was had";
}

TEST_P(StoreConformance, AHeldRowIsWaitedForAsLongAsTheBudgetSays) {
  commit({insert(promotion_row("p"))});
  const Keys keys = {promotion_key("p")};
  const auto first = open_transaction(store());
  first->begin(attempt());
  ASSERT_TRUE(first->lock(keys));

  const auto second = open_transaction(other_store());
  second->begin(attempt(milliseconds(50)));
  const auto asked_at = std::chrono::steady_clock::now();
  const Result<Locked> locked = second->lock(keys);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::held);
  EXPECT_GE(std::chrono::steady_clock::now() - asked_at, milliseconds(50));

  first->rollback();
  second->begin(attempt());
  EXPECT_TRUE(second->lock(keys));
}

TEST_P(StoreConformance, WhatOthersHoldIsNamedWithoutWaiting) {
  commit({insert(promotion_row("p")), insert(promotion_row("q")), insert(promotion_row("r"))});
  const Keys keys = {promotion_key("p"), promotion_key("q"), promotion_key("r")};
  const auto second = open_transaction(other_store());
  const Result<Keys> nobody = second->held_by_others(keys);
  ASSERT_TRUE(nobody) << nobody.error().detail;
  EXPECT_EQ(*nobody, Keys{});

  const auto first = open_transaction(store());
  first->begin(attempt());
  ASSERT_TRUE(first->lock(std::span(keys).subspan(1, 1)));
  const Result<Keys> held = second->held_by_others(keys);
  ASSERT_TRUE(held) << held.error().detail;
  EXPECT_EQ(*held, store().writers_max() > 1 ? Keys{promotion_key("q")} : keys);
}

TEST_P(StoreConformance, AskingWhatOthersHoldKeepsNothingLocked) {
  commit({insert(promotion_row("p"))});
  const Keys keys = {promotion_key("p")};
  const auto second = open_transaction(other_store());
  ASSERT_TRUE(second->held_by_others(keys));
  const auto first = open_transaction(store());
  first->begin(attempt(milliseconds(50)));
  const Result<Locked> locked = first->lock(keys);
  EXPECT_TRUE(locked) << locked.error().detail;
}

TEST_P(StoreConformance, ReadersNeitherWaitForAWriterNorSeeItsWork) {
  commit({insert(promotion_row("p"))});
  const Keys keys = {promotion_key("p"), entry_key("p", "u")};
  const auto writer = open_transaction(store());
  writer->begin(attempt());
  const Result<Locked> locked = writer->lock(keys);
  ASSERT_TRUE(locked) << locked.error().detail;
  const std::vector<RowWrite> writes = next_entry(std::get<PromotionRow>(*locked->rows[0]), "u");
  writer->apply(writes);

  // This thread holds the row: a reader that waited for it would never come back.
  const auto reader = open_queries(other_store());
  const auto before = reader->promotion("p");
  ASSERT_TRUE(before) << before.error().detail;
  EXPECT_EQ((*before)->entries, 0);
  EXPECT_FALSE(*reader->entry("p", "u"));
  EXPECT_TRUE(reader->promotion_facts("p"));

  ASSERT_TRUE(writer->commit());
  EXPECT_EQ((*reader->promotion("p"))->entries, 1);
  EXPECT_TRUE(*reader->entry("p", "u"));
}

TEST_P(StoreConformance, AnAttemptIsCommittedOrFencedWhoeverAsksMeanwhile) {
  for (int round = 0; round < 20; ++round) {
    const AttemptOptions options = attempt();
    const std::string id = "p" + std::to_string(round);
    std::latch both_ready(2);
    Result<CommitFate> fate;
    Result<void> committed;
    {
      std::jthread asking([&] {
        both_ready.arrive_and_wait();
        fate = other_store().resolve(options.id, std::chrono::seconds(10));
      });
      const auto transaction = open_transaction(store());
      both_ready.arrive_and_wait();
      committed = try_commit(*transaction, options, {insert(promotion_row(id))});
    }
    ASSERT_TRUE(fate) << fate.error().detail;
    EXPECT_EQ(*fate == CommitFate::committed, committed.has_value());
    EXPECT_EQ(find(promotion_key(id)).has_value(), committed.has_value());
  }
}

TEST_P(StoreConformance, TheFeedNeverSkipsALateCommit) {
  constexpr int rounds = 60;
  commit({insert(promotion_row("a")), insert(promotion_row("b"))});
  std::latch all_ready(3);
  std::atomic<int> writing = 2;
  const auto write = [&](Store& at, const std::string& subject) {
    const auto transaction = open_transaction(at);
    all_ready.arrive_and_wait();
    for (std::int64_t sequence = 1; sequence <= rounds; ++sequence) {
      PromotionRow row = promotion_row(subject);
      row.events = sequence;
      const Result<void> committed =
          try_commit(*transaction, attempt(), {update(row), insert(event_row(subject, sequence))});
      EXPECT_TRUE(committed) << committed.error().detail;
    }
    --writing;
  };
  std::jthread a([&] { write(store(), "a"); });
  std::jthread b([&] { write(other_store(), "b"); });

  std::set<std::string> seen;
  EventsQuery query{.limit = 3};
  const auto reader = open_queries(store());
  all_ready.arrive_and_wait();
  for (bool more = true; more;) {
    const bool all_committed = writing == 0;
    const auto page = reader->events(query);
    ASSERT_TRUE(page) << page.error().detail;
    for (const EventRow& event : page->events) {
      EXPECT_TRUE(seen.insert(event.id).second) << event.id << " came twice";
    }
    more = !all_committed || !page->events.empty();
    query.after_position = page->next_position;
  }
  EXPECT_EQ(seen.size(), std::size_t(2 * rounds));
}

}  // namespace
}  // namespace hotrow::conformance
