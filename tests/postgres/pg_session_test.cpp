#include "hotrow/postgres/pg_session.hpp"

#include <gtest/gtest.h>

#include "hotrow/postgres/pg_statements.hpp"
#include "tests/postgres/pg_market.hpp"
#include "tests/postgres/pg_rows.hpp"
#include "tests/postgres/pg_world.hpp"

// Defaults of a role that would weaken what hotrow promises.
namespace hotrow {
namespace {

class PgHostileRoleTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string set_up = "DROP ROLE IF EXISTS hostile; CREATE ROLE hostile LOGIN;";
    for (const std::string& grant : postgres_grants(world_.options().schema, "hostile"))
      set_up += grant + ";";
    for (const char* setting :
         {"default_transaction_isolation = 'repeatable read'", "synchronous_commit = off",
          "default_transaction_read_only = on", "default_transaction_deferrable = on",
          "TimeZone = 'Asia/Seoul'", "lock_timeout = 1", "idle_in_transaction_session_timeout = 1",
          "search_path = pg_catalog", "client_min_messages = error", "enable_indexscan = off",
          "enable_nestloop = off", "plan_cache_mode = force_custom_plan", "exit_on_error = on",
          "bytea_output = escape", "DateStyle = 'German'", "jit = on"}) {
      set_up += std::string("ALTER ROLE hostile SET ") + setting + ";";
    }
    world_.cluster().sql(set_up);
    options_ = world_.options();
    options_.url = world_.cluster().url("hostile");
  }
  void TearDown() override { world_.cluster().sql("DROP OWNED BY hostile; DROP ROLE hostile"); }

  void expect_own_settings() const;

  PgWorld world_;
  PostgresOptions options_;
};

void PgHostileRoleTest::expect_own_settings() const {
  const auto session = PgSession::open(options_, PgRole::writer);
  ASSERT_TRUE(session) << session.error().code << ": " << session.error().detail;
  PgConnection& connection = (*session)->connection();
  connection.queue(statements::begin_read_committed);
  (*session)->queue_settings();
  const PgStatement show{"show", R"(
    SELECT name, setting FROM pg_settings WHERE name IN ('transaction_isolation', 'synchronous_commit',
      'transaction_read_only', 'TimeZone', 'lock_timeout', 'statement_timeout', 'enable_seqscan',
      'enable_indexscan', 'client_min_messages', 'idle_session_timeout') ORDER BY name COLLATE "C")"};
  connection.queue(show);
  const PgExchange exchange = connection.exchange(SteadyTime::clock::now() + std::chrono::seconds(30));
  ASSERT_FALSE(exchange.fault) << exchange.fault->message;
  const PgResult& shown = exchange.results.back();
  std::vector<std::string> settings;
  for (int row = 0; row < shown.rows(); ++row)
    settings.push_back(shown.string(row, 0) + "=" + shown.string(row, 1));
  EXPECT_EQ(settings,
            (std::vector<std::string>{"TimeZone=UTC", "client_min_messages=warning", "enable_indexscan=on",
                                      "enable_seqscan=off", "idle_session_timeout=0", "lock_timeout=2000",
                                      "statement_timeout=30000", "synchronous_commit=on",
                                      "transaction_isolation=read committed", "transaction_read_only=off"}));
}

TEST_F(PgHostileRoleTest, WritersStateWhatTheyRelyOn) {
  world_.cluster().sql(
      "ALTER ROLE hostile SET statement_timeout = 1; ALTER ROLE hostile SET "
      "idle_session_timeout = 1");
  expect_own_settings();
}

TEST_F(PgHostileRoleTest, WritersBehindAPoolerStateItInEveryTransaction) {
  options_.prepared = false;
  expect_own_settings();
}

TEST(PgSessionTest, AStrongerSynchronousCommitStays) {
  PgWorld world;
  PostgresOptions options = world.options();
  for (const auto& [given, kept] : std::vector<std::pair<std::string, std::string>>{
           {"remote_apply", "remote_apply"}, {"on", "on"}, {"remote_write", "on"}, {"local", "on"}}) {
    options.url = world.cluster().url() + "?options=-c%20synchronous_commit%3D" + given;
    const auto session = PgSession::open(options, PgRole::writer);
    ASSERT_TRUE(session) << session.error().detail;
    const PgStatement show{"show", "SELECT current_setting('synchronous_commit')"};
    (*session)->connection().queue(show);
    const PgExchange exchange =
        (*session)->connection().exchange(SteadyTime::clock::now() + std::chrono::seconds(30));
    ASSERT_FALSE(exchange.fault);
    EXPECT_EQ(exchange.results[0].text(0, 0), kept) << given;
  }
}

TEST_F(PgHostileRoleTest, ARunRoleCanDoAllThatAServerDoes) {
  const auto store = open_postgres_store(options_);
  ASSERT_TRUE(store) << store.error().code << ": " << store.error().detail;
  create(**store, "p");
  const auto transaction = std::move(*(*store)->open_transaction());
  Entering entering(*transaction, "p", "u");
  const Result<void> committed = entering.commit();
  ASSERT_TRUE(committed) << committed.error().detail;
  EXPECT_EQ(*(*store)->resolve(entering.attempt().id, std::chrono::seconds(30)), CommitFate::committed);

  for (const char* player : {"seller", "anna", "bert"}) run(**store, deposit(player, 1000));
  run(**store, list("l", "seller", 100));
  run(**store, bid("l", "anna", 10));
  run(**store, buyout("l", "bert"));
  for (const bool is_on : {true, false}) {
    run(**store, RestrictPlayer{.player = "anna", .trade_blocked = is_on, .reason = "r"});
    run(**store, ChangeMarket{.pause = is_on, .reason = "r"});
  }

  const AnswerRow old{.owner = "o", .principal = "p", .key = "k", .answer = "{}", .decided_at = {1}};
  const std::vector<RowWrite> writes = {insertion(event_of("p", 1)), insertion(old)};
  transaction->begin(new_attempt());
  ASSERT_TRUE(transaction->lock({}));
  transaction->apply(writes);
  ASSERT_TRUE(transaction->commit());
  const auto expired = (*store)->expire(wall_clock_now());
  EXPECT_TRUE(expired) << expired.error().detail;
  EXPECT_EQ(world_.sql("SELECT count(*) FROM answer_0"), "0");

  const auto queries = std::move(*(*store)->open_queries());
  EXPECT_FALSE(queries->events({.types = {"promotion.changed"}})->events.empty());
  EXPECT_TRUE(queries->facts());
  EXPECT_TRUE(queries->promotion_facts("p"));
  EXPECT_TRUE(queries->orphans());
  EXPECT_TRUE(queries->house());
  for (const MarketInvariant& invariant : market_invariants()) {
    const Result<InvariantCount> count = queries->check(invariant);
    EXPECT_TRUE(count) << invariant.name << ": " << count.error().detail;
  }
}

TEST_F(PgHostileRoleTest, ARunRoleCannotTouchTheEvidence) {
  for (const char* deed : {"DELETE FROM entry",
                           "UPDATE entry SET ordinal = 2",
                           "DELETE FROM winner",
                           "UPDATE winner SET user_id = 'me'",
                           "DELETE FROM event",
                           "TRUNCATE entry",
                           "DELETE FROM promotion",
                           "DELETE FROM bid",
                           "UPDATE bid SET amount = 1",
                           "DELETE FROM ledger_line",
                           "UPDATE ledger_line SET available = 1",
                           "UPDATE house_line SET amount = 1",
                           "DELETE FROM external_id",
                           "DELETE FROM listing",
                           "UPDATE listing SET terms = '{}'",
                           "UPDATE listing SET start_price = 1",
                           "UPDATE item SET attributes = '{}'",
                           "DELETE FROM item",
                           "UPDATE wallet SET owner = 'me'",
                           "DELETE FROM wallet",
                           "CREATE TABLE mine ()",
                           "DROP TABLE entry",
                           "UPDATE meta SET instance_id = ''",
                           "DELETE FROM schema_migration"}) {
    EXPECT_THROW(
        world_.cluster().sql("SET search_path TO " + world_.quoted_schema() + "; SET ROLE hostile; " +
                             "SET default_transaction_read_only = off; " + deed),
        std::runtime_error)
        << deed;
  }
}

TEST(PgSessionTest, WhatIsLeftOfALockBudgetIsItLessTheTransactionsAge) {
  PgWorld world;
  const auto session = PgSession::open(world.options(), PgRole::writer);
  ASSERT_TRUE(session) << session.error().detail;
  PgConnection& connection = (*session)->connection();
  const PgStatement show{"show", R"(
    SELECT setting::bigint FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout'))"};
  connection.queue(statements::begin_read_committed);
  connection.queue(statements::narrow_lock_budget, PgParameters().bigint(1'000'000));
  connection.queue(show);
  connection.queue(statements::rollback);
  const PgExchange exchange = connection.exchange(SteadyTime::clock::now() + std::chrono::seconds(30));
  ASSERT_FALSE(exchange.fault) << exchange.fault->message;
  EXPECT_EQ(exchange.results[1].rows(), 0);
  const std::int64_t lock_timeout = exchange.results[2].bigint(0, 0);
  const std::int64_t statement_timeout = exchange.results[2].bigint(1, 0);
  EXPECT_EQ(lock_timeout, statement_timeout);
  EXPECT_LT(lock_timeout, 1'000'000);
  EXPECT_GT(lock_timeout, 900'000);
}

TEST(PgSessionTest, AStandbyIsRefusedUnlessTheUrlAllowsOne) {
  PostgresOptions options;
  options.url = shared_cluster().url() + "?target_session_attrs=standby";
  const auto session = PgSession::open(options, PgRole::reader);
  ASSERT_FALSE(session) << "the URL's wish comes first";
  EXPECT_EQ(session.error().kind, ErrorKind::transient);
}

TEST(PgSessionTest, SessionsNameThemselves) {
  PgWorld world;
  PostgresOptions options = world.options();
  options.server = std::string(80, 's');
  const auto session = PgSession::open(options, PgRole::reader);
  ASSERT_TRUE(session);
  EXPECT_EQ(
      world.sql("SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'hotrow/sss%'"),
      "hotrow/" + std::string(48, 's') + "reader");
}

TEST(PgSessionTest, ADatabaseInAnotherEncodingIsRefused) {
  shared_cluster().sql(
      "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0");
  PostgresOptions options;
  options.url = shared_cluster().url("postgres", "ascii");
  const auto session = PgSession::open(options, PgRole::writer);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::fatal);
  EXPECT_EQ(session.error().code, "server_encoding");
}

}  // namespace
}  // namespace hotrow
