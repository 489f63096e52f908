#include <gtest/gtest.h>

#include <chrono>

#include "hotrow/postgres/pg_session.hpp"
#include "tests/postgres/pg_rows.hpp"
#include "tests/postgres/pg_world.hpp"

// Events whose transactions commit in another order than they drew their positions.
namespace hotrow {
namespace {

using Positions = std::vector<std::int64_t>;

class PgFeedTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = world_.open();
    reader_ = std::move(*store_->open_queries());
  }

  /// A session in the middle of a transaction that has written one event about `subject`.
  std::unique_ptr<PgSession> draw(const std::string& subject) {
    auto session = std::move(*PgSession::open(world_.options(), PgRole::upkeep));
    run(*session,
        "BEGIN; INSERT INTO event (sequence, occurred_at, subject_kind, subject, type, id, data, "
        "traceparent) VALUES (1, 1, 'promotion', '" +
            subject + "', 't', '" + subject + "', '{}', '')");
    return session;
  }

  static void run(PgSession& session, const std::string& sql) {
    const auto deadline = SteadyTime::clock::now() + std::chrono::seconds(30);
    const Result<void> done = session.connection().script(sql, deadline);
    ASSERT_TRUE(done) << done.error().detail;
  }

  Positions read_on(Queries& reader) {
    const auto page = reader.events({.after_position = cursor_});
    EXPECT_TRUE(page) << page.error().detail;
    if (!page) return {};
    Positions positions;
    for (const EventRow& event : page->events) positions.push_back(event.position);
    cursor_ = page->next_position;
    return positions;
  }
  Positions read_on() { return read_on(*reader_); }

  PgWorld world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Queries> reader_;
  std::int64_t cursor_ = 0;
};

TEST_F(PgFeedTest, D01AnEventThatCommitsLateIsNotSkipped) {
  const auto late = draw("late");
  const auto early = draw("early");
  run(*early, "COMMIT");
  EXPECT_EQ(read_on(), Positions{});
  EXPECT_EQ(read_on(), Positions{});
  EXPECT_EQ(cursor_, 0);
  run(*late, "COMMIT");
  EXPECT_EQ(read_on(), (Positions{1, 2}));
}

TEST_F(PgFeedTest, AHoleLeftByARollbackIsPassed) {
  const auto gone = draw("gone");
  const auto early = draw("early");
  run(*early, "COMMIT");
  EXPECT_EQ(read_on(), Positions{});
  run(*gone, "ROLLBACK");
  EXPECT_EQ(read_on(), (Positions{2}));
}

TEST_F(PgFeedTest, ANewReaderPassesOldHolesAtOnce) {
  for (int i = 0; i < 5; ++i) {
    run(*draw("gone"), "ROLLBACK");
    run(*draw("kept" + std::to_string(i)), "COMMIT");
  }
  EXPECT_EQ(read_on(), (Positions{2, 4, 6, 8, 10}));
}

TEST_F(PgFeedTest, AHoleIsPassedWhileOthersGoOnDrawing) {
  const auto gone = draw("gone");
  run(*draw("first"), "COMMIT");
  EXPECT_EQ(read_on(), Positions{});
  const auto open = draw("open");  // Position 3, from before the rollback to the end of the test.
  run(*gone, "ROLLBACK");
  EXPECT_EQ(read_on(), (Positions{2}));
  run(*draw("second"), "COMMIT");
  EXPECT_EQ(read_on(), Positions{});
  run(*open, "COMMIT");
  EXPECT_EQ(read_on(), (Positions{3, 4}));
}

TEST_F(PgFeedTest, AnotherReaderMayReadOnWithTheSameCursor) {
  run(*draw("a"), "COMMIT");
  EXPECT_EQ(read_on(), (Positions{1}));
  const auto late = draw("late");
  run(*draw("b"), "COMMIT");
  const auto other = std::move(*store_->open_queries());
  EXPECT_EQ(read_on(*other), Positions{});
  EXPECT_EQ(read_on(), Positions{});
  run(*late, "COMMIT");
  EXPECT_EQ(read_on(*other), (Positions{2, 3}));
}

TEST_F(PgFeedTest, ATransactionThatTakesEntriesAloneHoldsNoReaderUp) {
  create(*store_, "p");
  const auto transaction = std::move(*store_->open_transaction());
  Entering entering(*transaction, "p", "u");
  run(*draw("gone"), "ROLLBACK");
  run(*draw("kept"), "COMMIT");
  EXPECT_EQ(read_on(), (Positions{2}));
  EXPECT_TRUE(entering.commit());
}

TEST_F(PgFeedTest, TheFeedReadsOnAfterARestoreIntoANewDatabase) {
  run(*draw("a"), "COMMIT");
  run(*draw("gone"), "ROLLBACK");
  run(*draw("b"), "COMMIT");
  EXPECT_EQ(read_on(), (Positions{1, 3}));
  PgCluster elsewhere;  // Whose transactions count from the beginning.
  world_.cluster().dump_into(elsewhere);

  PostgresOptions options = world_.options();
  options.url = elsewhere.url();
  const auto restored = world_.open(options);
  const auto reader = std::move(*restored->open_queries());
  const auto transaction = std::move(*restored->open_transaction());
  const std::vector<RowWrite> writes = {insertion(event_of("c", 1))};
  transaction->begin(new_attempt());
  ASSERT_TRUE(transaction->lock({}));
  transaction->apply(writes);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(read_on(*reader), (Positions{4}));
  cursor_ = 0;
  EXPECT_EQ(read_on(*reader), (Positions{1, 3, 4}));
}

}  // namespace
}  // namespace hotrow
