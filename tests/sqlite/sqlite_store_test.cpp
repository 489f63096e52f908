#include "hotrow/sqlite/sqlite_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/sqlite/sqlite_writer.hpp"
#include "tests/sqlite/sqlite_sessions.hpp"
#include "tests/sqlite/temporary_database.hpp"

namespace hotrow {
namespace {

using namespace conformance;

TEST(SqliteStore, KeepsEverythingWhenItIsOpenedAgain) {
  const TemporaryDatabase file;
  std::string instance;
  {
    const auto store = open({.path = file.path()});
    instance = queries_of(*store)->facts()->instance_id;
    ASSERT_TRUE(commit(*store, {insert(promotion_row("p")), insert(entry_row("p", "u", 1)),
                                insert(winner_row("p", "v", 3)), insert(event_row("p", 1))}));
  }
  const auto store = open({.path = file.path()});
  const auto queries = queries_of(*store);
  EXPECT_EQ(queries->facts()->instance_id, instance);
  EXPECT_EQ(to_text(Row(**queries->promotion("p"))), to_text(Row(promotion_row("p"))));
  EXPECT_EQ(to_texts(*queries->entries("p", 0, 10)), to_texts(std::vector{entry_row("p", "u", 1)}));
  EXPECT_EQ(to_texts(*queries->winners("p", 0, 10)), to_texts(std::vector{winner_row("p", "v", 3)}));
  EXPECT_EQ(to_texts(queries->events({})->events), to_texts(std::vector{event_row("p", 1)}));
}

TEST(SqliteStore, TwoFilesAreTwoInstances) {
  const TemporaryDatabase one;
  const TemporaryDatabase two;
  const auto first = open({.path = one.path()});
  const auto second = open({.path = two.path()});
  EXPECT_NE(queries_of(*first)->facts()->instance_id, queries_of(*second)->facts()->instance_id);
}

TEST(SqliteStore, RefusesASecondWriterOfTheFile) {
  const TemporaryDatabase file;
  auto store = open({.path = file.path()});
  const auto second = open_sqlite_store({.path = file.path()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::fatal);
  EXPECT_EQ(second.error().code, "database_locked");
  EXPECT_NE(second.error().detail.find("process " + std::to_string(getpid())), std::string::npos);
  EXPECT_EQ(migrate_sqlite({.path = file.path()}).error().code, "database_locked");

  store.reset();
  EXPECT_TRUE(open_sqlite_store({.path = file.path()}));
}

TEST(SqliteStore, StaysLockedWhileASessionIsLeft) {
  const TemporaryDatabase file;
  auto store = open({.path = file.path()});
  auto queries = queries_of(*store);
  store.reset();
  EXPECT_FALSE(open_sqlite_store({.path = file.path()}));
  queries.reset();
  EXPECT_TRUE(open_sqlite_store({.path = file.path()}));
}

TEST(SqliteStore, IsReadBesideItsWriter) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  const auto beside = open_sqlite_store_beside({.path = file.path()});
  ASSERT_TRUE(beside) << beside.error().detail;
  const auto queries = queries_of(**beside);
  EXPECT_FALSE(*queries->promotion("p"));
  ASSERT_TRUE(commit(*store, {insert(promotion_row("p"))}));
  EXPECT_TRUE(*queries->promotion("p"));

  EXPECT_EQ((*beside)->open_transaction().error().code, "read_only");
  EXPECT_EQ((*beside)->resolve({.server = "s", .number = 1}, std::chrono::seconds(1)).error().code,
            "read_only");
  EXPECT_EQ((*beside)->expire({}).error().code, "read_only");
}

TEST(SqliteStore, IsReadBesideNobodyAfterItsWriterHasGone) {
  const TemporaryDatabase file;
  ASSERT_TRUE(commit(*open({.path = file.path()}), {insert(promotion_row("p"))}));
  const auto beside = open_sqlite_store_beside({.path = file.path()});
  ASSERT_TRUE(beside) << beside.error().detail;
  EXPECT_TRUE(*queries_of(**beside)->promotion("p"));
}

TEST(SqliteStore, AReadingConnectionCannotWrite) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  Result<sqlite::Connection> connection = sqlite::Connection::open_for_reading(file.path());
  ASSERT_TRUE(connection) << connection.error().detail;
  const Result<void> written = connection->run("DELETE FROM event");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "SQLITE_READONLY");
}

TEST(SqliteStore, ASessionOutlivesItsStore) {
  const TemporaryDatabase file;
  auto store = open({.path = file.path()});
  ASSERT_TRUE(commit(*store, {insert(promotion_row("p"))}));
  const auto queries = queries_of(*store);
  auto transaction = std::move(*store->open_transaction());
  store.reset();
  EXPECT_TRUE(*queries->promotion("p"));
  transaction->begin(attempt());
  EXPECT_TRUE(transaction->lock({}));
}

TEST(SqliteSchema, IsPendingOnlyUntilItWasApplied) {
  const TemporaryDatabase file;
  const SqliteOptions options{.path = file.path()};
  const auto missing = sqlite_schema_status(options);
  ASSERT_TRUE(missing) << missing.error().detail;
  EXPECT_TRUE(missing->applied.empty());
  EXPECT_FALSE(missing->pending.empty());
  EXPECT_EQ(open_sqlite_store_beside(options).error().code, "schema_behind");
  EXPECT_EQ(open_sqlite_store({.path = file.path(), .migrate = false}).error().code, "schema_behind");

  const auto version = migrate_sqlite(options);
  ASSERT_TRUE(version) << version.error().detail;
  const auto current = sqlite_schema_status(options);
  ASSERT_TRUE(current) << current.error().detail;
  EXPECT_EQ(current->applied.size(), missing->pending.size());
  EXPECT_EQ(current->applied.back().number, *version);
  EXPECT_TRUE(current->pending.empty());

  const auto store = open({.path = file.path(), .migrate = false});
  EXPECT_EQ(queries_of(*store)->facts()->schema_version, *version);
  EXPECT_TRUE(sqlite_schema_status(options)) << "also beside the writer";
}

TEST(SqliteSchema, MigratingAgainChangesNothing) {
  const TemporaryDatabase file;
  const std::string instance = queries_of(*open({.path = file.path()}))->facts()->instance_id;
  ASSERT_TRUE(migrate_sqlite({.path = file.path()}));
  EXPECT_EQ(queries_of(*open({.path = file.path()}))->facts()->instance_id, instance);
}

TEST(SqliteSchema, APlayersCountersAreGatheredInHisWalletOfGold) {
  const TemporaryDatabase file;
  open({.path = file.path()}).reset();
  run_sql(file.path(),
          "DROP TABLE policy; ALTER TABLE promotion DROP COLUMN queue_max; "
          "ALTER TABLE wallet DROP COLUMN buyout_minute; ALTER TABLE wallet DROP COLUMN buyouts_in_minute; "
          "DELETE FROM schema_migration WHERE number = 3; "
          "INSERT INTO wallet VALUES ('player', 'anna', 'gold', 1, 2, 3, 4, 5), "
          "('player', 'anna', 'gems', 1, 2, 3, 10, 20), ('player', 'ben', 'gems', 1, 2, 3, 1, 0), "
          "('player', 'ben', 'krw', 1, 2, 3, 1, 7), ('player', 'cem', 'gems', 1, 2, 3, 0, 0)");
  const auto queries = queries_of(*open({.path = file.path()}));
  const auto counters = [&](const char* player, const char* currency) {
    const WalletRow wallet = *queries->wallet(purse(player, currency));
    return std::to_string(wallet.leading_bids) + "/" + std::to_string(wallet.active_listings) + " of " +
           std::to_string(wallet.version);
  };
  EXPECT_EQ(counters("anna", "gold"), "14/25 of 3");
  EXPECT_EQ(counters("anna", "gems"), "0/0 of 3");
  EXPECT_EQ(counters("ben", "gold"), "2/7 of 0");
  EXPECT_EQ(counters("ben", "gems"), "0/0 of 3");
  EXPECT_EQ(counters("ben", "krw"), "0/0 of 3");
  EXPECT_EQ(counters("cem", "gold"), "0/0 of 0");
}

TEST(SqliteSchema, NewerThanTheProgramIsRefused) {
  const TemporaryDatabase file;
  open({.path = file.path()}).reset();
  run_sql(file.path(), "INSERT INTO schema_migration VALUES (99, 'of the future', 'unknown', 0)");
  const auto store = open_sqlite_store({.path = file.path()});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::fatal);
  EXPECT_EQ(store.error().code, "schema_newer");
  EXPECT_EQ(open_sqlite_store_beside({.path = file.path()}).error().code, "schema_newer");
  EXPECT_EQ(sqlite_schema_status({.path = file.path()}).error().code, "schema_newer");
}

TEST(SqliteSchema, ChangedAfterItWasAppliedIsRefused) {
  const TemporaryDatabase file;
  open({.path = file.path()}).reset();
  run_sql(file.path(), "UPDATE schema_migration SET checksum = 'another' WHERE number = 1");
  const auto store = open_sqlite_store({.path = file.path()});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, "schema_changed");
}

TEST(SqliteStore, RefusesAFileThatIsNoDatabase) {
  const TemporaryDatabase file;
  {
    std::FILE* text = std::fopen(file.path().c_str(), "w");
    std::fputs(std::string(4096, 'x').c_str(), text);
    std::fclose(text);
  }
  const auto store = open_sqlite_store({.path = file.path()});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::fatal);
  EXPECT_EQ(store.error().code, "SQLITE_NOTADB");
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".lock"));
}

TEST(SqliteStore, RefusesAFolderThatIsNotThere) {
  const auto store = open_sqlite_store({.path = "/no/such/folder/hotrow.db"});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::fatal);
  EXPECT_NE(store.error().detail.find("/no/such/folder"), std::string::npos);
}

TEST(SqliteStore, CountersThatCannotBeAreInvalid) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  PromotionRow negative = promotion_row("p");
  negative.entries = -1;
  PromotionRow more_winners_than_entries = promotion_row("p");
  more_winners_than_entries.winners = 1;
  PromotionRow closed_without_closing = promotion_row("p");
  closed_without_closing.phase = PromotionPhase::closed;
  EventRow no_json = event_row("p", 1);
  no_json.data = "{";
  WinnerRow no_rule = winner_row("p", "u", 3);
  no_rule.rule = "{";
  const std::vector<Row> impossible = {negative, more_winners_than_entries, closed_without_closing, no_json,
                                       no_rule,  entry_row("p", "u", 0)};
  for (const Row& row : impossible) {
    const Result<void> committed = commit(*store, {insert(row)});
    ASSERT_FALSE(committed) << to_text(row);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << committed.error().detail;
  }
}

TEST(SqliteStore, PositionsOfTheFeedHaveNoGapAfterARollback) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  ASSERT_TRUE(commit(*store, {insert(event_row("p", 1))}));
  ASSERT_FALSE(commit(*store, {insert(event_row("p", 2)), insert(event_row("p", 1))}));
  ASSERT_TRUE(commit(*store, {insert(event_row("p", 2))}));
  const auto page = queries_of(*store)->events({});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->events.size(), 2u);
  EXPECT_EQ(page->events[0].position, 1);
  EXPECT_EQ(page->events[1].position, 2);
}

TEST(SqliteStore, TheFeedTellsHowFarItHasBeenRemoved) {
  const TemporaryDatabase file;
  ASSERT_TRUE(commit(*open({.path = file.path()}),
                     {insert(event_row("p", 1)), insert(event_row("p", 2)), insert(event_row("p", 3))}));
  run_sql(file.path(), "DELETE FROM event WHERE position <= 2");
  {
    const auto store = open({.path = file.path()});
    EXPECT_EQ(queries_of(*store)->events({})->oldest_position, 2);
  }
  run_sql(file.path(), "DELETE FROM event");
  const auto store = open({.path = file.path()});
  const auto page = queries_of(*store)->events({});
  EXPECT_EQ(page->oldest_position, 3);
  EXPECT_EQ(page->next_position, 3);
  ASSERT_TRUE(commit(*store, {insert(event_row("p", 4))}));
  EXPECT_EQ(queries_of(*store)->events({})->events.at(0).position, 4) << "no position comes twice";
}

TEST(SqliteStore, ExpiryForgetsCommitsAfterAnHour) {
  const TemporaryDatabase file;
  Timestamp now = start_time();
  const auto store = open({.path = file.path(), .clock = [&now] { return now; }});
  const AttemptOptions old = attempt();
  ASSERT_TRUE(commit(*store, {}, old));
  AttemptOptions of_another_server = attempt();
  of_another_server.id.server = "another";
  ASSERT_TRUE(commit(*store, {}, of_another_server));
  now = now + std::chrono::hours(1);
  const AttemptOptions recent = attempt();
  ASSERT_TRUE(commit(*store, {}, recent));
  now = now + std::chrono::microseconds(1);
  ASSERT_TRUE(store->expire(now));

  const auto budget = std::chrono::seconds(1);
  EXPECT_EQ(*store->resolve(recent.id, budget), CommitFate::committed);
  EXPECT_EQ(*store->resolve(old.id, budget), CommitFate::not_committed);
  EXPECT_EQ(*store->resolve(of_another_server.id, budget), CommitFate::not_committed);
}

TEST(SqliteStore, ExpiryRemovesMoreThanOneStepTakes) {
  const TemporaryDatabase file;
  Timestamp now = start_time();
  const auto store = open({.path = file.path(), .clock = [&now] { return now; }});
  std::vector<RowWrite> answers;
  for (int i = 0; i < 1'200; ++i) answers.push_back(insert(answer_row("key-" + std::to_string(i), now)));
  ASSERT_TRUE(commit(*store, std::move(answers)));
  now = now + std::chrono::hours(24 * 30);
  ASSERT_TRUE(commit(*store, {insert(answer_row("kept", now))}));
  ASSERT_TRUE(store->expire(now - std::chrono::hours(24 * 7)));

  Result<sqlite::Connection> connection = sqlite::Connection::open_for_reading(file.path());
  auto count = connection->prepare("SELECT count(*) FROM answer");
  ASSERT_TRUE(*count->step());
  EXPECT_EQ(count->integer(0), 1);
}

TEST(SqliteStore, AnswersAreFoundForAsLongAsTheyAreKept) {
  const TemporaryDatabase file;
  Timestamp now = start_time();
  const auto store = open(
      {.path = file.path(), .answers_kept = std::chrono::hours(24 * 30), .clock = [&now] { return now; }});
  const AnswerRow row = answer_row("key", now);
  ASSERT_TRUE(commit(*store, {insert(row)}));
  now = now + std::chrono::hours(24 * 30);
  ASSERT_TRUE(store->expire(now - std::chrono::hours(24 * 30)));
  auto transaction = std::move(*store->open_transaction());
  transaction->begin(attempt());
  const Key key = key_of(row);
  const Result<Locked> locked = transaction->lock(std::span(&key, 1));
  ASSERT_TRUE(locked);
  EXPECT_EQ(to_text(locked->rows[0]), to_text(Row(row)));
}

TEST(AnswerBucket, IsAWeekAlsoBefore1970) {
  const std::int64_t week = sqlite::answer_bucket_width.count();
  EXPECT_EQ(sqlite::answer_bucket({0}), 0);
  EXPECT_EQ(sqlite::answer_bucket({week - 1}), 0);
  EXPECT_EQ(sqlite::answer_bucket({week}), 1);
  EXPECT_EQ(sqlite::answer_bucket({-1}), -1);
  EXPECT_EQ(sqlite::answer_bucket({-week}), -1);
  EXPECT_EQ(sqlite::answer_bucket({-week - 1}), -2);
}

}  // namespace
}  // namespace hotrow
