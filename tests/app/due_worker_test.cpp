#include "hotrow/app/due_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/commands.hpp"

namespace hotrow {
namespace {

using test::opening;

/// Lets a test wait until commands of one kind were answered.
class Counted final : public Observer {
 public:
  void command_answered(std::string_view kind, std::string_view) override {
    const std::lock_guard lock(mutex_);
    ++counts_[std::string(kind)];
    changed_.notify_all();
  }

  void wait_for(const std::string& kind, int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return counts_[kind] >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> counts_;
};

/// An engine on the memory store, whose clock the test moves.
class DueWorkers : public testing::Test {
 protected:
  void SetUp() override {
    engine_ = std::move(Engine::start(*store_, {}, counted_)).value();
    readers_ = std::move(Readers::start(*store_, {})).value();
  }

  DueWorker::Options options() { return {.server = "test", .interval = std::chrono::milliseconds(1)}; }

  PromotionRow promotion(const std::string& id) {
    return (*store_->open_queries().value()->promotion(id)).value();
  }

  std::atomic<std::int64_t> now_micros_{opening.micros};
  std::unique_ptr<Store> store_ = open_memory_store([this] { return Timestamp{now_micros_.load()}; });
  Counted counted_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Readers> readers_;
};

TEST_F(DueWorkers, APromotionPastItsEndIsClosedBySchedule) {
  PromotionSettings settings = test::nth_settings({3});
  settings.ends_at = opening + std::chrono::minutes(1);
  test::Collector collector(*engine_);
  ASSERT_TRUE(collector.ask(test::put_promotion("spring", settings)));
  settings.ends_at = opening + std::chrono::minutes(9);
  ASSERT_TRUE(collector.ask(test::put_promotion("summer", settings)));
  now_micros_ = (opening + std::chrono::minutes(1)).micros;

  const std::string kind(command_kind(test::change_promotion("spring", PromotionAction::close_when_ended)));
  DueWorker worker(*engine_, *readers_, *store_, options());
  counted_.wait_for(kind, 1);
  worker.stop();

  const PromotionRow closed = promotion("spring");
  ASSERT_EQ(closed.phase, PromotionPhase::closed);
  EXPECT_EQ(closed.closing->by, "schedule");
  EXPECT_EQ(promotion("summer").phase, PromotionPhase::active);
}

TEST_F(DueWorkers, TwoServersCloseOnePromotionOnce) {
  PromotionSettings settings = test::nth_settings({3});
  settings.ends_at = opening + std::chrono::minutes(1);
  test::Collector collector(*engine_);
  ASSERT_TRUE(collector.ask(test::put_promotion("spring", settings)));
  now_micros_ = (opening + std::chrono::hours(1)).micros;

  const std::string kind(command_kind(test::change_promotion("spring", PromotionAction::close_when_ended)));
  {
    DueWorker one(*engine_, *readers_, *store_, options());
    DueWorker two(*engine_, *readers_, *store_, options());
    counted_.wait_for(kind, 1);
  }
  ASSERT_TRUE(collector.ask(test::change_promotion("spring", PromotionAction::close_when_ended)));
  const auto events = store_->open_queries().value()->events({}).value().events;
  EXPECT_EQ(std::ranges::count(events, "promotion.closed", &EventRow::type), 1);
}

TEST_F(DueWorkers, StoppingDoesNotWaitForTheNextTurn) {
  DueWorker::Options hourly = options();
  hourly.interval = std::chrono::hours(1);
  DueWorker worker(*engine_, *readers_, *store_, hourly);
  worker.stop();  // A test that hangs here has found the fault.
  worker.stop();
}

}  // namespace
}  // namespace hotrow
