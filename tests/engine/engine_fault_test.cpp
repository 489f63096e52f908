#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "hotrow/engine/backoff.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/commands.hpp"
#include "tests/support/faulty_store.hpp"

namespace hotrow {
namespace {

using test::Collector;
using test::enter;
using test::Fault;
using test::Step;
using test::Strike;

const Error serialization{ErrorKind::conflict, "40001", "could not serialize access"};
const Error lost{ErrorKind::transient, "57P01", "terminating connection"};
const Error doubt{ErrorKind::in_doubt, "08006", "connection lost at COMMIT"};
const Error poison{ErrorKind::invalid, "22003", "out of range"};

class EngineFaults : public testing::Test {
 protected:
  /// Starts the engine over the plan, on a store with promotion p (target 500) made without faults.
  void start(test::FaultPlan plan, EngineOptions options = {}) {
    {
      Observer quiet;
      auto clean = std::move(*Engine::start(*memory_, {}, quiet));
      ASSERT_TRUE(Collector(*clean).ask(test::put_promotion("p", test::nth_settings({500}))));
    }
    store_ = test::make_faulty(*memory_, std::move(plan));
    engine_ = std::move(*Engine::start(*store_, options, observer_));
  }

  /// Strikes `times` times at `step`, then never again.
  static test::FaultPlan first_times(int times, Step step, Error error, Strike strike) {
    auto left = std::make_shared<std::atomic<int>>(times);
    return [=](Step at) -> std::optional<Fault> {
      if (at != step || left->fetch_sub(1) <= 0) return std::nullopt;
      return Fault{.error = error, .strike = strike};
    };
  }

  std::int64_t entries() {
    auto queries = std::move(*memory_->open_queries());
    const PromotionAudit report = audit(**queries->promotion_facts("p"));
    EXPECT_TRUE(report.ok());
    return report.entries;
  }

  std::unique_ptr<Store> memory_ = open_memory_store([] { return test::opening; });
  std::unique_ptr<Store> store_;
  Observer observer_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineFaults, AConflictAtAnyStepIsTriedAgainFromScratch) {  // E08, F03
  for (const Step step : {Step::lock, Step::commit}) {
    start(first_times(3, step, serialization, Strike::before));
    const auto reply = Collector(*engine_).ask(enter("p", "user of step " + std::to_string(int(step))));
    ASSERT_TRUE(reply);
    EXPECT_FALSE(test::entry_of(reply->answer).already);
  }
  EXPECT_EQ(entries(), 2);
}

TEST_F(EngineFaults, ThreeConflictsThenSuccessSucceedAndEndlessOnesAreBusy) {  // F04
  start(first_times(1'000'000, Step::commit, serialization, Strike::before), {.tries_max = 6});
  const auto reply = Collector(*engine_).ask(enter("p", "u"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::overloaded);
  EXPECT_EQ(entries(), 0);
}

TEST_F(EngineFaults, ACommitThatHappenedButWasNotAnsweredIsFoundOut) {  // F05, E09
  start(first_times(1, Step::commit, doubt, Strike::after));
  const auto reply = Collector(*engine_).ask(enter("p", "u"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(test::entry_of(reply->answer).ordinal, 1);
  EXPECT_FALSE(test::entry_of(reply->answer).already);
  EXPECT_EQ(entries(), 1);
}

TEST_F(EngineFaults, ACommitThatWasLostIsDoneAgain) {  // F01
  start(first_times(1, Step::commit, doubt, Strike::before));
  const auto reply = Collector(*engine_).ask(enter("p", "u"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(test::entry_of(reply->answer).ordinal, 1);
  EXPECT_EQ(entries(), 1);
}

TEST_F(EngineFaults, WhatCannotBeLearntIsToldAsUnknownAndTheRepeatTellsTheTruth) {  // E10, E11
  auto strikes = std::make_shared<std::atomic<int>>(0);
  start([strikes](Step step) -> std::optional<Fault> {
    if (step == Step::commit && strikes->fetch_add(1) == 0) return Fault{doubt, Strike::after};
    if (step == Step::resolve) return Fault{lost, Strike::before};
    return std::nullopt;
  });
  Collector collector(*engine_);
  const auto unknown = collector.ask(enter("p", "u"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::in_doubt);
  const auto repeat = collector.ask(enter("p", "u"));
  ASSERT_TRUE(repeat);
  EXPECT_TRUE(test::entry_of(repeat->answer).already);
  EXPECT_EQ(entries(), 1);
}

TEST_F(EngineFaults, AStoreThatIsAwayIsToldAsSuchAndNothingIsDone) {  // F06
  start(first_times(1'000'000, Step::lock, lost, Strike::before), {.tries_max = 3});
  const auto reply = Collector(*engine_).ask(enter("p", "u"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::transient);
  EXPECT_EQ(entries(), 0);
}

/// Any commit that carries the poisoned user's entry fails as a database would refuse a value.
class PoisonedTransaction final : public Transaction {
 public:
  explicit PoisonedTransaction(std::unique_ptr<Transaction> inner) : inner_(std::move(inner)) {}
  void begin(const AttemptOptions& options) override { inner_->begin(options); }
  Result<Locked> lock(std::span<const Key> keys) override { return inner_->lock(keys); }
  void apply(std::span<const RowWrite> writes) override {
    poisoned_ = std::any_of(writes.begin(), writes.end(),
                            [](const RowWrite& write) { return write.key.second == "poison"; });
    inner_->apply(writes);
  }
  Result<void> commit() override {
    if (!poisoned_) return inner_->commit();
    inner_->rollback();
    return failure(poison);
  }
  void rollback() noexcept override { inner_->rollback(); }
  Result<Keys> held_by_others(std::span<const Key> keys) override { return inner_->held_by_others(keys); }

 private:
  std::unique_ptr<Transaction> inner_;
  bool poisoned_ = false;
};

class PoisonedStore final : public Store {
 public:
  explicit PoisonedStore(Store& store) : store_(store) {}
  int writers_max() const override { return 1; }
  Result<std::unique_ptr<Transaction>> open_transaction() override {
    return std::make_unique<PoisonedTransaction>(std::move(*store_.open_transaction()));
  }
  Result<std::unique_ptr<Queries>> open_queries() override { return store_.open_queries(); }
  Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds budget) override {
    return store_.resolve(id, budget);
  }
  Result<void> expire(Timestamp before) override { return store_.expire(before); }

 private:
  Store& store_;
};

TEST_F(EngineFaults, OnePoisonedCommandAmongAThousandHurtsOnlyItself) {
  start([](Step) { return std::nullopt; });
  engine_.reset();
  PoisonedStore poisoned(*memory_);
  engine_ = std::move(*Engine::start(poisoned, {}, observer_));
  Collector collector(*engine_);
  for (int i = 0; i < 1000; ++i) collector.submit(enter("p", i == 567 ? "poison" : std::to_string(i)));
  const auto replies = collector.wait();
  engine_.reset();
  std::int64_t highest = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (i == 567) {
      ASSERT_FALSE(replies[i]);
      EXPECT_EQ(replies[i].error().kind, ErrorKind::invalid);
      continue;
    }
    ASSERT_TRUE(replies[i]);
    // Bisection keeps the order of arrival.
    EXPECT_EQ(test::entry_of(replies[i]->answer).ordinal, ++highest);
  }
  EXPECT_EQ(entries(), 999);
}

TEST_F(EngineFaults, ARollbackExactlyAtTheTargetShiftsNothing) {
  std::atomic<bool> strike = false;
  start([&](Step step) -> std::optional<Fault> {
    if (step == Step::commit && strike.exchange(false)) return Fault{serialization, Strike::before};
    return std::nullopt;
  });
  Collector collector(*engine_);
  for (int i = 1; i < 500; ++i) collector.submit(enter("p", std::to_string(i)));
  collector.wait();
  strike = true;
  const auto reply = collector.ask(enter("p", "the 500th"));
  EXPECT_EQ(test::entry_of(reply->answer).ordinal, 500);
  EXPECT_TRUE(test::entry_of(reply->answer).winner);
  EXPECT_EQ(entries(), 500);
}

TEST_F(EngineFaults, AStrangerHoldingTheRowMakesItBusyAndLaterEverythingGoesOn) {  // G07
  start([](Step) { return std::nullopt; }, {.lock_wait = std::chrono::milliseconds(5)});
  auto stranger = std::move(*memory_->open_transaction());
  stranger->begin({.id = {.server = "stranger", .number = 1}});
  ASSERT_TRUE(stranger->lock(std::vector<Key>{promotion_key("p")}));

  Collector collector(*engine_);
  const auto refused = collector.ask(enter("p", "u"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "lock_budget");
  collector.submit(enter("p", "u"));
  stranger->rollback();
  const auto replies = collector.wait();
  ASSERT_TRUE(replies.back());
  EXPECT_EQ(test::entry_of(replies.back()->answer).ordinal, 1);
}

/// Random faults at every step, before and after taking effect: whatever is answered is true.
TEST_F(EngineFaults, SeededFaultsAtEveryStepNeverMakeAnAnswerFalse) {  // A01, F06
  for (unsigned seed = 1; seed <= 20; ++seed) {
    memory_ = open_memory_store([] { return test::opening; });
    auto random = std::make_shared<std::mt19937>(seed);
    auto mutex = std::make_shared<std::mutex>();
    start([random, mutex](Step step) -> std::optional<Fault> {
      const std::lock_guard lock(*mutex);
      if (step == Step::open || (*random)() % 4 != 0) return std::nullopt;
      const bool after = (*random)() % 2 == 0;
      if (step == Step::commit) {
        if (after) return Fault{doubt, Strike::after};
        const Error errors[] = {serialization, lost, doubt, poison};
        return Fault{errors[(*random)() % 4], Strike::before};
      }
      return Fault{step == Step::resolve || (*random)() % 2 == 0 ? lost : serialization,
                   step == Step::lock ? Strike::before : (after ? Strike::after : Strike::before)};
    });
    Collector collector(*engine_);
    for (int i = 0; i < 300; ++i) {
      Command command = enter("p", std::to_string(i % 250));
      if (i % 3 == 0) command = test::with_key(std::move(command), "key" + std::to_string(i));
      collector.submit(std::move(command));
    }
    const auto replies = collector.wait();
    auto queries = std::move(*memory_->open_queries());
    for (const Result<Reply>& reply : replies) {
      if (!reply) continue;
      const EntryAnswer& told = test::entry_of(reply->answer);
      const auto row = *queries->entry("p", told.user);
      ASSERT_TRUE(row) << "seed " << seed;
      EXPECT_EQ(row->ordinal, told.ordinal) << "seed " << seed;
    }
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i] || replies[i].error().kind == ErrorKind::in_doubt) continue;
      bool told_elsewhere = false;  // The same user's repeat, or a try in doubt, may have put it there.
      for (std::size_t j = i % 250; j < replies.size(); j += 250) {
        told_elsewhere |= j != i && (replies[j] || replies[j].error().kind == ErrorKind::in_doubt);
      }
      if (!told_elsewhere) {
        EXPECT_FALSE(*queries->entry("p", std::to_string(i % 250))) << "seed " << seed;
      }
    }
    engine_.reset();
    entries();
  }
}

TEST(Backoff, TriesAtOnceFirstAndThenWaitsLongerUpToABound) {
  EXPECT_EQ(backoff(1, 99).count(), 0);
  EXPECT_EQ(backoff(2, 0).count(), 10);
  EXPECT_EQ(backoff(2, 10).count(), 20);
  EXPECT_EQ(backoff(100, 0).count(), 640);
}

}  // namespace
}  // namespace hotrow
