#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "tests/postgres/pg_rows.hpp"
#include "tests/postgres/pg_world.hpp"
#include "tests/support/tcp_proxy.hpp"

// Connections that break at each step of an attempt, servers that die, and the truth about a COMMIT.
namespace hotrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PgFaultTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = world_.open();
    create(*store_, "p");
    transaction_ = std::move(*store_->open_transaction());
  }

  /// Ends the sessions of hotrow's writers, as an operator would.
  void terminate_writers() {
    world_.sql(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE application_name = 'hotrow/test/writer'");
  }

  CommitFate fate(const AttemptOptions& attempt, Store& store) {
    const Result<CommitFate> fate = store.resolve(attempt.id, seconds(30));
    if (!fate) throw std::runtime_error(fate.error().code + ": " + fate.error().detail);
    return *fate;
  }
  CommitFate fate(const AttemptOptions& attempt) { return fate(attempt, *store_); }

  /// The session that failed is of use again, and nobody lost a place.
  void expect_recovery(const std::string& user) {
    Entering entering(*transaction_, "p", user);
    const Result<void> committed = entering.commit();
    EXPECT_TRUE(committed) << committed.error().detail;
    EXPECT_TRUE(has_entered(*store_, "p", user));
    EXPECT_EQ(world_.sql("SELECT entries = (SELECT count(*) FROM entry) FROM promotion"), "t");
  }

  PgWorld world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Transaction> transaction_;
};

TEST_F(PgFaultTest, AnIdleSessionThatWasEndedIsReplacedUnnoticed) {
  terminate_writers();
  expect_recovery("u");
}

TEST_F(PgFaultTest, ASessionEndedBetweenLockStepsDidNothing) {
  const Keys promotion = {promotion_key("p")};
  const Keys entry = {entry_key("p", "u")};
  transaction_->begin(new_attempt());
  ASSERT_TRUE(transaction_->lock(promotion));
  terminate_writers();
  const Result<Locked> locked = transaction_->lock(entry);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::transient) << locked.error().code;
  expect_recovery("u");
}

TEST_F(PgFaultTest, ASessionEndedBeforeItsCommitDidNotCommit) {
  Entering entering(*transaction_, "p", "u");
  terminate_writers();
  const Result<void> committed = entering.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;
  EXPECT_EQ(fate(entering.attempt()), CommitFate::not_committed);
  EXPECT_FALSE(has_entered(*store_, "p", "u"));
  expect_recovery("u");
}

TEST_F(PgFaultTest, ASessionEndedWhileItWaitsForALockDidNothing) {
  Entering first(*transaction_, "p", "u");
  auto second = std::move(*store_->open_transaction());
  Result<Locked> locked;
  {
    std::jthread waiting([&] {
      const Keys keys = {promotion_key("p")};
      second->begin(new_attempt());
      locked = second->lock(keys);
    });
    while (world_.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE "
                      "wait_event_type = 'Lock' AND application_name = 'hotrow/test/writer'") != "t") {
    }
  }
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::transient) << locked.error().code;
  EXPECT_TRUE(first.commit());
}

TEST_F(PgFaultTest, TheLockBudgetIsForAllRowsTogether) {
  create(*store_, "q");
  const Keys p = {promotion_key("p")};
  const Keys q = {promotion_key("q")};
  const auto holds_p = std::move(*store_->open_transaction());
  const auto holds_q = std::move(*store_->open_transaction());
  holds_p->begin(new_attempt());
  ASSERT_TRUE(holds_p->lock(p));
  holds_q->begin(new_attempt());
  ASSERT_TRUE(holds_q->lock(q));
  Result<Locked> locked;
  {
    std::jthread waiting([&] {
      const Keys both = {p[0], q[0]};
      transaction_->begin(new_attempt(seconds(5)));
      locked = transaction_->lock(both);
    });
    while (world_.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "1") {
    }
    holds_p->rollback();  // The wait for q begins with lock_timeout counting anew.
  }
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::held);
  EXPECT_EQ(locked.error().code, "57014") << "the statement's bound, not the row's";
}

/// Sessions go through a proxy that can be told to fail; `store_` does not.
class PgProxyTest : public PgFaultTest {
 protected:
  void SetUp() override {
    PgFaultTest::SetUp();
    PostgresOptions options = world_.options();
    options.url = "postgresql://postgres@127.0.0.1:" + std::to_string(proxy_.port()) + "/postgres";
    options.statement_timeout = milliseconds(500);
    options.answer_grace = milliseconds(500);
    proxied_ = world_.open(options);
    transaction_ = std::move(*proxied_->open_transaction());
    // Prepares every statement, so that what is cut later are executions.
    expect_recovery("first");
  }

  TcpProxy proxy_{shared_cluster().port()};
  std::unique_ptr<Store> proxied_;
};

TEST_F(PgProxyTest, ACommitWhoseAnswerIsLostIsToldAsCommitted) {
  Entering entering(*transaction_, "p", "u");
  proxy_.cut_on_answer(std::string("COMMIT\0", 7));
  const Result<void> committed = entering.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(proxy_.cuts(), 1);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;
  EXPECT_EQ(fate(entering.attempt(), *proxied_), CommitFate::committed);
  EXPECT_TRUE(has_entered(*store_, "p", "u"));
  expect_recovery("v");
}

TEST_F(PgProxyTest, ACommitThatNeverArrivesIsToldAsNotCommitted) {
  Entering entering(*transaction_, "p", "u");
  proxy_.cut_on_request(std::string("\0commit\0", 8));
  const Result<void> committed = entering.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(proxy_.cuts(), 1);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;
  EXPECT_EQ(fate(entering.attempt(), *proxied_), CommitFate::not_committed);
  EXPECT_FALSE(has_entered(*store_, "p", "u"));
  expect_recovery("u");
}

TEST_F(PgProxyTest, ACommitThatArrivesAfterTheVerdictIsFenced) {
  Entering entering(*transaction_, "p", "u");
  proxy_.go_silent();
  const Result<void> committed = entering.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;
  // The server has heard nothing of the commit: its transaction is open and could still be told to.
  EXPECT_EQ(fate(entering.attempt()), CommitFate::not_committed);
  proxy_.heal();  // Now the commit goes on to the server.
  expect_recovery("v");
  EXPECT_FALSE(has_entered(*store_, "p", "u"));
  EXPECT_EQ(fate(entering.attempt()), CommitFate::not_committed);
}

TEST_F(PgProxyTest, G08ASilentServerIsGivenUpInEveryStep) {
  proxy_.go_silent();
  const Keys keys = {promotion_key("p")};
  transaction_->begin(new_attempt(milliseconds(100)));
  const Result<Locked> locked = transaction_->lock(keys);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::transient);

  const Result<CommitFate> unknown = proxied_->resolve(new_attempt().id, milliseconds(200));
  EXPECT_FALSE(unknown);
  proxy_.heal();
  expect_recovery("u");
}

TEST_F(PgProxyTest, AReaderWhoseConnectionIsCutAsksAgain) {
  const auto queries = std::move(*proxied_->open_queries());
  ASSERT_TRUE(queries->promotion("p"));
  proxy_.cut_on_request(std::string("\0read_entry\0", 12));
  const auto cut = queries->entry("p", "first");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::transient) << cut.error().code;
  const auto entry = queries->entry("p", "first");
  ASSERT_TRUE(entry) << entry.error().detail;
  EXPECT_TRUE(*entry);
}

TEST_F(PgFaultTest, F08ACancelledWaitForAStandbyIsInDoubtUntilItHasTheCommit) {
  PostgresOptions hasty = world_.options();
  hasty.statement_timeout = milliseconds(300);
  const auto store = world_.open(hasty);
  transaction_ = std::move(*store->open_transaction());
  Entering entering(*transaction_, "p", "u");
  world_.cluster().sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  world_.cluster().sql("SELECT pg_reload_conf()");
  while (world_.sql("SELECT sync_state FROM pg_stat_replication UNION ALL SELECT setting FROM pg_settings "
                    "WHERE name = 'synchronous_standby_names'") != "nobody") {
  }
  const Result<void> committed = entering.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;
  const Result<CommitFate> unknown = store->resolve(entering.attempt().id, milliseconds(300));
  EXPECT_FALSE(unknown) << "no standby has it, so nobody may say that it is committed";

  world_.cluster().sql("ALTER SYSTEM RESET synchronous_standby_names");
  world_.cluster().sql("SELECT pg_reload_conf()");
  EXPECT_EQ(fate(entering.attempt()), CommitFate::committed);
  EXPECT_TRUE(has_entered(*store_, "p", "u"));
}

TEST_F(PgFaultTest, F03ASerializationFailureIsAConflictWhereverItShows) {
  // Each reads what the other writes: of two such attempts one must fail, at its insert or at COMMIT.
  const auto now = wall_clock_now();
  const auto answer = [&](const std::string& key) {
    return AnswerRow{.owner = "o", .principal = "p", .key = key, .answer = "{}", .decided_at = now};
  };
  const Keys keys = {insertion(answer("a")).key, insertion(answer("b")).key};
  const std::vector<RowWrite> first_writes = {insertion(answer("a"))};
  const std::vector<RowWrite> second_writes = {insertion(answer("b"))};
  const auto second = std::move(*store_->open_transaction());
  AttemptOptions serializable = new_attempt();
  serializable.isolation = Isolation::serializable;
  transaction_->begin(serializable);
  ASSERT_TRUE(transaction_->lock(keys));
  serializable.id = new_attempt().id;
  second->begin(serializable);
  ASSERT_TRUE(second->lock(keys));
  transaction_->apply(first_writes);
  second->apply(second_writes);
  const Result<void> a = transaction_->commit();
  const Result<void> b = second->commit();
  EXPECT_NE(a.has_value(), b.has_value());
  const Error& error = a ? b.error() : a.error();
  EXPECT_EQ(error.kind, ErrorKind::conflict) << error.code;
  EXPECT_EQ(error.code, "40001");
}

TEST_F(PgFaultTest, TextThatCannotBeStoredIsInvalidAndNothingElse) {
  for (const std::string& user : {std::string("a\0b", 3), std::string("\xC3\x28", 2)}) {
    const std::vector<RowWrite> writes = {insertion(entry_of("p", user, 7))};
    const Keys keys = {promotion_key("p")};
    transaction_->begin(new_attempt());
    ASSERT_TRUE(transaction_->lock(keys));
    transaction_->apply(writes);
    const Result<void> committed = transaction_->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << committed.error().code;
  }
  expect_recovery("u");
}

/// Tests that stop the server have one of their own.
class PgServerDeathTest : public testing::Test {
 protected:
  PgServerDeathTest() : world_(cluster_), store_(world_.open()) {
    create(*store_, "p");
    transaction_ = std::move(*store_->open_transaction());
  }

  PgCluster cluster_;
  PgWorld world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Transaction> transaction_;
};

TEST_F(PgServerDeathTest, SessionsSurviveARestartOfTheServer) {
  const auto queries = std::move(*store_->open_queries());
  cluster_.stop();
  transaction_->begin(new_attempt());
  const Result<Locked> away = transaction_->lock({});
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().kind, ErrorKind::transient) << away.error().code;
  EXPECT_FALSE(queries->now());
  cluster_.start();
  Entering entering(*transaction_, "p", "u");
  EXPECT_TRUE(entering.commit());
  EXPECT_TRUE(queries->now());
}

TEST_F(PgServerDeathTest, F01WhatTheServerTookIntoItsDeathIsToldAfterItsRecovery) {
  Entering done(*transaction_, "p", "done");
  ASSERT_TRUE(done.commit());
  Entering undone(*transaction_, "p", "undone");
  cluster_.crash();
  const Result<void> committed = undone.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().code;

  // The server comes back while resolve() is asking.
  std::jthread starting([&] { cluster_.start(); });
  const Result<CommitFate> fate = store_->resolve(undone.attempt().id, seconds(60));
  starting.join();
  ASSERT_TRUE(fate) << fate.error().detail;
  EXPECT_EQ(*fate, CommitFate::not_committed);
  EXPECT_EQ(*store_->resolve(done.attempt().id, seconds(60)), CommitFate::committed);
  EXPECT_TRUE(has_entered(*store_, "p", "done"));
  EXPECT_FALSE(has_entered(*store_, "p", "undone"));
}

TEST(PgStoreAway, AServerThatIsNotThereIsTransient) {
  PostgresOptions options;
  options.url = "postgresql://postgres@127.0.0.1:1/postgres";
  const auto store = open_postgres_store(options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::transient);
}

}  // namespace
}  // namespace hotrow
