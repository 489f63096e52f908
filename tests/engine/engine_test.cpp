#include "hotrow/engine/engine.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/commands.hpp"

namespace hotrow {
namespace {

using test::Collector;
using test::enter;

class EngineTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(const EngineOptions& options) {
    engine_.reset();
    engine_ = std::move(*Engine::start(*store_, options, observer_));
  }

  void create(PromotionSettings settings) {
    ASSERT_TRUE(Collector(*engine_).ask(test::put_promotion("p", std::move(settings))));
  }

  PromotionAudit audit_of(const std::string& id) {
    auto queries = std::move(*store_->open_queries());
    return audit(**queries->promotion_facts(id));
  }

  Timestamp now_ = test::opening;
  std::unique_ptr<Store> store_ = open_memory_store([this] { return now_; });
  Observer observer_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, TwoThousandAtOnceGetAPermutationAndOneWinnerExactlyAtTheTarget) {
  create(test::nth_settings({1000}));
  Collector collector(*engine_);
  constexpr int threads = 8;
  std::latch together(threads);
  std::vector<std::jthread> people;
  for (int thread = 0; thread < threads; ++thread) {
    people.emplace_back([&, thread] {
      together.arrive_and_wait();
      for (int i = 0; i < 250; ++i)
        collector.submit(enter("p", std::to_string(thread) + "/" + std::to_string(i)));
    });
  }
  people.clear();
  std::set<std::int64_t> ordinals;
  int winners = 0;
  for (const Result<Reply>& reply : collector.wait()) {
    ASSERT_TRUE(reply);
    const EntryAnswer& entry = test::entry_of(reply->answer);
    ordinals.insert(entry.ordinal);
    if (entry.winner) {
      ++winners;
      EXPECT_EQ(entry.ordinal, 1000);
    }
  }
  EXPECT_EQ(ordinals.size(), 2000u);
  EXPECT_EQ(*ordinals.begin(), 1);
  EXPECT_EQ(*ordinals.rbegin(), 2000);
  EXPECT_EQ(winners, 1);
  EXPECT_TRUE(audit_of("p").ok());
}

TEST_F(EngineTest, OnePersonFiveHundredTimesAtOnceTakesOnePlace) {
  create(test::nth_settings({1}));
  Collector collector(*engine_);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 5; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) collector.submit(enter("p", "the same"));
    });
  }
  threads.clear();
  int first_times = 0;
  for (const Result<Reply>& reply : collector.wait()) {
    ASSERT_TRUE(reply);
    const EntryAnswer& entry = test::entry_of(reply->answer);
    EXPECT_EQ(entry.ordinal, 1);
    EXPECT_TRUE(entry.winner);
    if (!entry.already) ++first_times;
  }
  EXPECT_EQ(first_times, 1);
  EXPECT_EQ(audit_of("p").entries, 1);
}

TEST_F(EngineTest, RefusalsBeforeTheStartShiftNothing) {
  now_ = test::opening - std::chrono::hours(1);
  create(test::nth_settings({1}));
  Collector collector(*engine_);
  for (int i = 0; i < 100; ++i) {
    const auto reply = collector.ask(enter("p", "early" + std::to_string(i)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(test::code_of(reply->answer), RejectionCode::promotion_not_started);
  }
  // A new engine: no answer may come from what an old one remembers.
  now_ = test::opening;
  start({});
  EXPECT_EQ(test::entry_of(Collector(*engine_).ask(enter("p", "first"))->answer).ordinal, 1);
}

TEST_F(EngineTest, TwinsUnderOneKeyGetOneAnswerAndOneEffect) {
  create(test::nth_settings({10}));
  Collector collector(*engine_);
  for (int i = 0; i < 200; ++i) collector.submit(test::with_key(enter("p", "twin"), "key"));
  const auto replies = collector.wait();
  int originals = 0;
  for (const Result<Reply>& reply : replies) {
    ASSERT_TRUE(reply);
    EXPECT_EQ(test::text_of(reply->answer), test::text_of(replies[0]->answer));
    if (!reply->replayed) ++originals;
  }
  EXPECT_EQ(originals, 1);
  EXPECT_EQ(audit_of("p").entries, 1);
}

TEST_F(EngineTest, AnotherRequestUnderAKeyInFlightIsToldThatTheKeyIsUsed) {
  create(test::nth_settings({10}));
  Collector collector(*engine_);
  collector.submit(test::with_key(enter("p", "a"), "key", "one body"));
  collector.submit(test::with_key(enter("p", "b"), "key", "another body"));
  const auto replies = collector.wait();
  EXPECT_EQ(test::entry_of(replies[0]->answer).ordinal, 1);
  EXPECT_EQ(test::code_of(replies[1]->answer), RejectionCode::idempotency_key_reused);
  EXPECT_EQ(audit_of("p").entries, 1);
}

TEST_F(EngineTest, AFullQueueIsBusyAndDoesNothing) {
  create(test::nth_settings({10}));
  start({.queue_weight_max = 10});
  const auto reply = Collector(*engine_).ask(test::enter_batch("p", std::vector<std::string>(11, "u")));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::overloaded);
  EXPECT_EQ(audit_of("p").entries, 0);
}

TEST_F(EngineTest, DrainAnswersEverythingTakenAndRefusesTheRest) {
  create(test::nth_settings({10}));
  Collector collector(*engine_);
  for (int i = 0; i < 1000; ++i) collector.submit(enter("p", std::to_string(i)));
  engine_->drain();
  for (const Result<Reply>& reply : collector.wait()) EXPECT_TRUE(reply);
  EXPECT_EQ(engine_->in_flight(), 0u);
  const auto late = collector.ask(enter("p", "late"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::overloaded);
  EXPECT_EQ(audit_of("p").entries, 1000);
}

TEST_F(EngineTest, ACommandPastItsDeadlineIsBusyAndDoesNothing) {
  create(test::nth_settings({10}));
  Command late = enter("p", "late");
  late.envelope.deadline = SteadyTime::min();
  const auto reply = Collector(*engine_).ask(std::move(late));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, "deadline");
  EXPECT_EQ(audit_of("p").entries, 0);
}

TEST_F(EngineTest, NobodyCommitsAfterTheCloseAndARepeatStillGetsItsPlace) {
  create(test::nth_settings({2}));
  Collector collector(*engine_);
  collector.submit(enter("p", "a"));
  collector.submit(test::change_promotion("p", PromotionAction::close));
  collector.submit(enter("p", "b"));
  collector.submit(enter("p", "a"));
  const auto replies = collector.wait();
  EXPECT_EQ(test::entry_of(replies[0]->answer).ordinal, 1);
  EXPECT_EQ(test::code_of(replies[2]->answer), RejectionCode::promotion_closed);
  EXPECT_TRUE(test::entry_of(replies[3]->answer).already);
  EXPECT_EQ(audit_of("p").entries, 1);
}

}  // namespace
}  // namespace hotrow
