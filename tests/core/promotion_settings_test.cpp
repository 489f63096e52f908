#include <gtest/gtest.h>

#include "hotrow/core/promotion.hpp"
#include "tests/support/rule_runner.hpp"

namespace hotrow {
namespace {

using test::nth_settings;
using test::opening;
using test::RuleRunner;
using namespace std::chrono_literals;

std::string put_with(RuleRunner& desk, PromotionSettings settings, std::optional<std::int64_t> version,
                     std::string reason) {
  Command command = test::put_promotion("p", std::move(settings));
  auto& put = std::get<PutPromotion>(command.body);
  put.if_version = version;
  put.reason = std::move(reason);
  return desk.hear(command);
}

TEST(Settings, AreFreeBeforeTheStartAndFrozenFromItOn) {
  RuleRunner desk;
  desk.now = opening - 1h;
  EXPECT_EQ(desk.put(nth_settings({10})), "ok");
  EXPECT_EQ(desk.put(nth_settings({20})), "ok");
  EXPECT_EQ(desk.promotion().version, 2);
  desk.now = opening;
  EXPECT_EQ(desk.put(nth_settings({30})), "promotion_frozen");
  PromotionSettings renamed = nth_settings({20});
  renamed.title = "Another title";
  EXPECT_EQ(desk.put(renamed), "ok");
  EXPECT_EQ(desk.promotion().settings->title, "Another title");
}

TEST(Settings, PutTwiceAreUnchanged) {
  RuleRunner desk;
  desk.put(nth_settings({10}));
  const std::size_t events = desk.events.size();
  EXPECT_EQ(desk.put(nth_settings({10})), "ok");
  EXPECT_EQ(desk.promotion().version, 1);
  EXPECT_EQ(desk.events.size(), events);
}

TEST(Settings, TheEndMovesOnlyLaterWithAVersionAndAReasonWhileItHasNotCome) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({10});
  settings.ends_at = opening + 1h;
  desk.put(settings);
  PromotionSettings sooner = settings, later = settings, never = settings;
  sooner.ends_at = opening + 30min;
  later.ends_at = opening + 2h;
  never.ends_at = std::nullopt;
  EXPECT_EQ(put_with(desk, sooner, 1, "why"), "promotion_frozen");
  EXPECT_EQ(put_with(desk, later, std::nullopt, "why"), "precondition_required");
  EXPECT_EQ(put_with(desk, later, 1, ""), "validation_failed");
  EXPECT_EQ(put_with(desk, later, 7, "why"), "precondition_failed");
  EXPECT_EQ(put_with(desk, later, 1, "why"), "ok");
  EXPECT_EQ(put_with(desk, never, 2, "why"), "ok");
  EXPECT_EQ(put_with(desk, later, 3, "why"), "promotion_frozen");
}

TEST(Settings, AnEndThatHasComeStays) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({10});
  settings.ends_at = opening + 1h;
  desk.put(settings);
  desk.now = opening + 1h;
  settings.ends_at = opening + 2h;
  EXPECT_EQ(put_with(desk, settings, 1, "too late"), "promotion_closed");
}

TEST(Settings, ThatCanNeverWorkAreRefused) {
  RuleRunner desk;
  PromotionSettings unreachable = nth_settings({10});
  unreachable.max_entries = 9;
  EXPECT_EQ(desk.put(unreachable), "target_unreachable");
  PromotionSettings backwards = nth_settings({10});
  backwards.ends_at = opening;
  EXPECT_EQ(desk.put(backwards), "validation_failed");
  PromotionSettings over = nth_settings({10});
  over.ends_at = opening + 1h;
  desk.now = opening + 2h;
  EXPECT_EQ(desk.put(over), "validation_failed");
}

TEST(Settings, OfNothingCannotMatchAVersion) {
  RuleRunner desk;
  EXPECT_EQ(put_with(desk, nth_settings({1}), 1, ""), "precondition_failed");
}

TEST(Change, PauseAndResumeAreHarmlessToRepeatAndEndWithTheClose) {
  RuleRunner desk;
  EXPECT_EQ(desk.change(PromotionAction::pause), "promotion_not_found");
  desk.put(nth_settings({10}));
  for (const PromotionAction action :
       {PromotionAction::pause, PromotionAction::pause, PromotionAction::resume, PromotionAction::resume,
        PromotionAction::close, PromotionAction::close}) {
    EXPECT_EQ(desk.change(action), "ok");
  }
  EXPECT_EQ(desk.promotion().version, 4);
  EXPECT_EQ(desk.change(PromotionAction::resume), "promotion_closed");
}

TEST(Change, TheWorkerClosesAtTheEndAndNotAMicrosecondBefore) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({10, 20});
  settings.ends_at = opening + 1h;
  desk.put(settings);
  desk.enter("a");
  desk.now = opening + 1h - 1us;
  EXPECT_EQ(desk.change(PromotionAction::close_when_ended), "not_ended");
  EXPECT_EQ(state_at(desk.promotion(), desk.now), PromotionState::open);
  desk.now = opening + 1h;
  EXPECT_EQ(state_at(desk.promotion(), desk.now), PromotionState::closing);
  EXPECT_EQ(desk.change(PromotionAction::close_when_ended), "ok");
  EXPECT_EQ(desk.change(PromotionAction::close_when_ended), "ok");
  EXPECT_EQ(state_at(desk.promotion(), desk.now), PromotionState::closed);
  EXPECT_EQ(desk.promotion().closing->by, "schedule");
  EXPECT_EQ(targets_unreached(desk.promotion()), (std::vector<std::int64_t>{10, 20}));
}

TEST(Change, OfThousandsOfUnreachedTargetsTheEndTellsHowMany) {
  for (const std::int64_t winners : {1000, 1001}) {
    RuleRunner desk;
    PromotionSettings settings = nth_settings({10});
    settings.rule = EveryRule{.interval = 2, .winners = winners + 1};
    desk.put(settings);
    for (const char* user : {"a", "b", "c"}) desk.enter(user);
    desk.change(PromotionAction::close);
    EXPECT_EQ(targets_unreached(desk.promotion()).size(), 1000U);
    const std::string& data = desk.events.back().data;
    const bool told = data.find(R"("targets_unreached_total":1001)") != std::string::npos;
    EXPECT_EQ(told, winners == 1001) << data;
  }
}

TEST(Change, OperatorsActionsAreEventsWithWhoAndWhy) {
  RuleRunner desk;
  desk.put(nth_settings({10}));
  desk.change(PromotionAction::pause);
  const EventRow& event = desk.events.back();
  EXPECT_EQ(event.type, "promotion.changed");
  EXPECT_EQ(event.id, "promotion:p:2");
  EXPECT_NE(event.data.find("\"reason\":\"a test\""), std::string::npos);
  EXPECT_NE(event.data.find("\"by\":\"tests\""), std::string::npos);
  EXPECT_NE(event.data.find("\"phase\":\"active\""), std::string::npos);
  EXPECT_NE(event.data.find("\"phase\":\"paused\""), std::string::npos);
}

}  // namespace
}  // namespace hotrow
