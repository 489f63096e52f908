#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/postgres/pg_rows.hpp"
#include "tests/postgres/pg_world.hpp"

namespace hotrow {
namespace {

TEST(PgSchemaTest, AnEmptyDatabaseHasEverythingPendingAndIsRefused) {
  PostgresOptions options;
  options.url = shared_cluster().url();
  options.schema = "nowhere";
  const auto status = postgres_schema_status(options);
  ASSERT_TRUE(status) << status.error().detail;
  EXPECT_TRUE(status->applied.empty());
  EXPECT_FALSE(status->pending.empty());
  const auto store = open_postgres_store(options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::fatal);
  EXPECT_EQ(store.error().code, "schema_behind");
}

TEST(PgSchemaTest, MigratingTwiceChangesNothing) {
  PgWorld world;
  const std::string instance = world.sql("SELECT instance_id FROM meta");
  const Result<std::int64_t> version = migrate_postgres(world.options());
  ASSERT_TRUE(version) << version.error().detail;
  EXPECT_EQ(std::to_string(*version), world.sql("SELECT max(number) FROM schema_migration"));
  EXPECT_EQ(world.sql("SELECT instance_id FROM meta"), instance);
  EXPECT_TRUE(postgres_schema_status(world.options())->pending.empty());
}

TEST(PgSchemaTest, APlayersCountersAreGatheredInHisWalletOfGold) {
  PgWorld world;
  world.sql(
      "DROP TABLE policy; ALTER TABLE promotion DROP COLUMN queue_max; "
      "ALTER TABLE wallet DROP COLUMN buyout_minute, DROP COLUMN buyouts_in_minute; "
      "DELETE FROM schema_migration WHERE number = 3; "
      "INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, "
      "active_listings) "
      "VALUES ('player', 'anna', 'gold', 1, 2, 3, 4, 5), ('player', 'anna', 'gems', 1, 2, 3, 10, 20), "
      "('player', 'ben', 'gems', 1, 2, 3, 1, 0), ('player', 'ben', 'krw', 1, 2, 3, 1, 7), "
      "('player', 'cem', 'gems', 1, 2, 3, 0, 0)");
  const Result<std::int64_t> version = migrate_postgres(world.options());
  ASSERT_TRUE(version) << version.error().detail;
  EXPECT_EQ(
      world.sql(
          "SELECT string_agg(owner || ' ' || currency || ' ' || leading_bids || '/' || active_listings || "
          "' of ' || version, ', ' ORDER BY owner, currency) FROM wallet"),
      "anna gems 0/0 of 3, anna gold 14/25 of 3, ben gems 0/0 of 3, ben gold 2/7 of 0, ben krw 0/0 of 3, "
      "cem gems 0/0 of 3");
}

TEST(PgSchemaTest, ServersThatMigrateAtOnceTakeTurns) {
  PostgresOptions options;
  options.url = shared_cluster().url();
  options.schema = "together";
  std::vector<Result<std::int64_t>> versions(4);
  {
    std::vector<std::jthread> servers;
    for (auto& version : versions) servers.emplace_back([&] { version = migrate_postgres(options); });
  }
  for (const auto& version : versions) {
    ASSERT_TRUE(version) << version.error().code << ": " << version.error().detail;
    EXPECT_EQ(*version, *versions[0]);
  }
  EXPECT_EQ(shared_cluster().sql("SELECT count(*) FROM together.meta"), "1");
}

TEST(PgSchemaTest, ADatabaseOfANewerProgramIsRefused) {
  PgWorld world;
  world.sql("INSERT INTO schema_migration SELECT max(number) + 1, 'future', 'x' FROM schema_migration");
  for (const Error& error :
       {open_postgres_store(world.options()).error(), migrate_postgres(world.options()).error(),
        postgres_schema_status(world.options()).error()}) {
    EXPECT_EQ(error.kind, ErrorKind::fatal);
    EXPECT_EQ(error.code, "schema_newer");
  }
}

TEST(PgSchemaTest, AMigrationChangedAfterwardsIsRefused) {
  PgWorld world;
  world.sql("UPDATE schema_migration SET checksum = 'x' WHERE number = 1");
  EXPECT_EQ(open_postgres_store(world.options()).error().code, "schema_changed");
}

TEST(PgSchemaTest, WorldsInOneDatabaseDoNotSeeEachOther) {
  PgWorld one;
  PgWorld other;
  const auto store = one.open();
  create(*store, "p");
  EXPECT_EQ(other.sql("SELECT count(*) FROM promotion"), "0");
  EXPECT_EQ(one.sql("SELECT count(*) FROM promotion"), "1");
}

TEST(PgSchemaTest, EntriesCanBeCopiedOutAndIn) {
  PgWorld world;
  const auto store = world.open();
  create(*store, "p");
  const auto transaction = std::move(*store->open_transaction());
  for (const char* user : {"tab\there", "back\\slash", "\xF0\x9F\x8E\x81", "\\N"}) {
    ASSERT_TRUE(Entering(*transaction, "p", user).commit());
  }
  PgWorld copy;
  const std::string rows = world.sql("COPY entry TO STDOUT");
  const std::string file = "'" + world.cluster().folder() + "/entries'";
  world.sql("COPY entry TO " + file);
  copy.sql("COPY entry FROM " + file);
  EXPECT_EQ(copy.sql("COPY entry TO STDOUT"), rows);
  EXPECT_TRUE(has_entered(*copy.open(), "p", "\\N"));
}

TEST(PgSchemaTest, TheServersClockChoosesWhereMarksStand) {
  PgWorld world;
  const auto store = world.open();
  create(*store, "p");
  std::string all;
  for (int slot = 0; slot < 4; ++slot) {
    all += (slot > 0 ? " UNION ALL " : "") + ("SELECT at FROM commit_mark_" + std::to_string(slot));
  }
  EXPECT_EQ(world.sql("SELECT count(*) FROM (" + all +
                      ") AS marks WHERE abs(at / 1000000 - extract(epoch FROM "
                      "clock_timestamp())) < 60"),
            "1");
}

TEST(PgSchemaTest, ExpiryEmptiesTheMarksOfTwelveHoursAgoAndNoOthers) {
  PgWorld world;
  const auto store = world.open();
  const auto place = [&](const std::string& ago) {
    // The slot where a server would have put a mark that long ago.
    const std::string slot = world.sql("SELECT (floor(extract(epoch FROM clock_timestamp() - interval '" +
                                       ago + "') / 21600))::bigint % 4");
    world.sql("INSERT INTO commit_mark_" + slot + " VALUES (1, 1, false, '" + ago + "')");
    return slot;
  };
  const std::string now = place("1 second");
  const std::string before = place("6 hours");
  const std::string old = place("12 hours");
  const auto expired = store->expire({0});
  ASSERT_TRUE(expired) << expired.error().detail;
  EXPECT_EQ(world.sql("SELECT count(*) FROM commit_mark_" + old), "0");
  EXPECT_EQ(world.sql("SELECT count(*) FROM commit_mark_" + before), "1");
  EXPECT_EQ(world.sql("SELECT count(*) FROM commit_mark_" + now), "1");
}

}  // namespace
}  // namespace hotrow
