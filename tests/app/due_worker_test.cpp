#include "hotrow/app/due_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/commands.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/market_commands.hpp"

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
    engine_ = std::move(Engine::start(*faulty_, {}, counted_)).value();
    readers_ = std::move(Readers::start(*store_, {})).value();
  }

  DueWorker::Parts parts() {
    return {.engine = *engine_,
            .readers = *readers_,
            .store = *store_,
            .metrics = metrics_,
            .write_health = write_health_};
  }

  static DueWorker::Options options() { return {.server = "test", .interval = std::chrono::milliseconds(1)}; }

  /// Somebody with money lists one item after the other, for an hour each.
  void list(int listings) {
    test::Collector collector(*engine_);
    ASSERT_TRUE(collector.ask(test::deposit("ann", 1'000)));
    for (int i = 0; i < listings; ++i) {
      ASSERT_TRUE(collector.ask(test::create_listing("sword-" + std::to_string(i), "ann", 100)));
    }
  }

  ListingRow listing(const std::string& id) { return (*store_->open_queries().value()->listing(id)).value(); }

  /// A test that hangs here has found the fault.
  void wait_for_metric(const std::string& line) const {
    while (("\n" + metrics_.text()).find("\n" + line + "\n") == std::string::npos) std::this_thread::yield();
  }

  PromotionRow promotion(const std::string& id) {
    return (*store_->open_queries().value()->promotion(id)).value();
  }

  std::atomic<std::int64_t> now_micros_{opening.micros};
  std::unique_ptr<Store> store_ = open_memory_store([this] { return Timestamp{now_micros_.load()}; });
  /// How many of the next commits the store refuses as a bug.
  std::atomic<int> refusals_{0};
  std::unique_ptr<Store> faulty_ =
      test::make_faulty(*store_, [this](test::Step step) -> std::optional<test::Fault> {
        if (step != test::Step::commit || refusals_ == 0) return std::nullopt;
        --refusals_;
        return test::Fault{.error = {ErrorKind::invalid, "23514", "check violated"}};
      });
  Counted counted_;
  Metrics metrics_{"test"};
  WriteHealth write_health_{metrics_};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Readers> readers_;
};

TEST_F(DueWorkers, AFailedWriteIsToldUntilAProbeSucceeds) {
  write_health_.attempt_failed({ErrorKind::conflict, "40001", ""});
  EXPECT_TRUE(write_health_.good()) << "a conflict says nothing about the store";
  write_health_.attempt_failed({ErrorKind::transient, "SQLITE_FULL", ""});
  EXPECT_FALSE(write_health_.good());
  write_health_.batch_answered({.commands = 1, .writes = 0});
  EXPECT_FALSE(write_health_.good()) << "nothing was written";
  DueWorker worker(parts(), options());
  while (!write_health_.good()) std::this_thread::yield();
}

TEST_F(DueWorkers, APromotionPastItsEndIsClosedBySchedule) {
  PromotionSettings settings = test::nth_settings({3});
  settings.ends_at = opening + std::chrono::minutes(1);
  test::Collector collector(*engine_);
  ASSERT_TRUE(collector.ask(test::put_promotion("spring", settings)));
  settings.ends_at = opening + std::chrono::minutes(9);
  ASSERT_TRUE(collector.ask(test::put_promotion("summer", settings)));
  now_micros_ = (opening + std::chrono::minutes(1)).micros;

  const std::string kind(command_kind(test::change_promotion("spring", PromotionAction::close_when_ended)));
  DueWorker worker(parts(), options());
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
    DueWorker one(parts(), options());
    DueWorker two(parts(), options());
    counted_.wait_for(kind, 1);
  }
  ASSERT_TRUE(collector.ask(test::change_promotion("spring", PromotionAction::close_when_ended)));
  const auto events = store_->open_queries().value()->events({}).value().events;
  EXPECT_EQ(std::ranges::count(events, "promotion.closed", &EventRow::type), 1);
}

TEST_F(DueWorkers, AListingPastItsEndIsSettledAndTheLagIsGone_C32) {
  ASSERT_NO_FATAL_FAILURE(list(1));
  now_micros_ = (opening + std::chrono::hours(2)).micros;
  DueWorker worker(parts(), options());
  wait_for_metric("hotrow_listings_settled_total 1");
  wait_for_metric("hotrow_settlement_lag_seconds 0");
  EXPECT_EQ(listing("sword-0").status, ListingStatus::expired);
  EXPECT_EQ(listing("sword-0").closing->by, "schedule");
}

TEST_F(DueWorkers, NoListingIsSettledAMicrosecondBeforeItsEnd) {
  ASSERT_NO_FATAL_FAILURE(list(1));
  PromotionSettings settings = test::nth_settings({3});
  settings.ends_at = opening + std::chrono::minutes(1);
  test::Collector collector(*engine_);
  ASSERT_TRUE(collector.ask(test::put_promotion("spring", settings)));
  now_micros_ = (opening + std::chrono::hours(1)).micros - 1;
  DueWorker worker(parts(), options());
  counted_.wait_for("change_promotion", 1);  // It has looked.
  EXPECT_EQ(listing("sword-0").status, ListingStatus::active);
  ++now_micros_;
  wait_for_metric("hotrow_listings_settled_total 1");
}

TEST_F(DueWorkers, TheLagIsTheAgeOfTheOldestListingThatWaits) {
  ASSERT_NO_FATAL_FAILURE(list(2));
  now_micros_ = (opening + std::chrono::hours(1) + std::chrono::milliseconds(2'500)).micros;
  refusals_ = 1'000'000;
  DueWorker::Options hourly = options();
  hourly.interval = std::chrono::hours(1);
  DueWorker worker(parts(), hourly);
  wait_for_metric("hotrow_settlement_lag_seconds 2.5");
}

TEST_F(DueWorkers, ABacklogOfManyPagesIsWorkedOffInOneTurn) {
  ASSERT_NO_FATAL_FAILURE(list(105));
  now_micros_ = (opening + std::chrono::hours(2)).micros;
  DueWorker::Options hourly = options();
  hourly.interval = std::chrono::hours(1);
  hourly.page_max = 10;
  DueWorker worker(parts(), hourly);
  wait_for_metric("hotrow_listings_settled_total 105");
}

TEST_F(DueWorkers, AListingRefusedAsABugThreeTimesIsSetAsideWithTheCode_C34) {
  ASSERT_NO_FATAL_FAILURE(list(1));
  now_micros_ = (opening + std::chrono::hours(2)).micros;
  refusals_ = 3;
  DueWorker worker(parts(), options());
  wait_for_metric("hotrow_listings_set_aside_total 1");
  worker.stop();
  EXPECT_EQ(listing("sword-0").status, ListingStatus::active);
  EXPECT_EQ(listing("sword-0").set_aside, "23514");
}

TEST_F(DueWorkers, AListingRefusedTwiceIsSettledWithTheThirdTry) {
  ASSERT_NO_FATAL_FAILURE(list(1));
  now_micros_ = (opening + std::chrono::hours(2)).micros;
  refusals_ = 2;
  DueWorker worker(parts(), options());
  wait_for_metric("hotrow_listings_settled_total 1");
  wait_for_metric("hotrow_listings_set_aside_total 0");
}

TEST_F(DueWorkers, APromotionIsNeverSetAsideButTriedAgain) {
  PromotionSettings settings = test::nth_settings({3});
  settings.ends_at = opening + std::chrono::minutes(1);
  test::Collector collector(*engine_);
  ASSERT_TRUE(collector.ask(test::put_promotion("spring", settings)));
  now_micros_ = (opening + std::chrono::hours(1)).micros;
  refusals_ = 5;
  DueWorker worker(parts(), options());
  counted_.wait_for("change_promotion", 1);
  worker.stop();
  EXPECT_EQ(promotion("spring").phase, PromotionPhase::closed);
}

TEST_F(DueWorkers, StoppingDoesNotWaitForTheNextTurn) {
  DueWorker::Options hourly = options();
  hourly.interval = std::chrono::hours(1);
  DueWorker worker(parts(), hourly);
  worker.stop();  // A test that hangs here has found the fault.
  worker.stop();
}

}  // namespace
}  // namespace hotrow
