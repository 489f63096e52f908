#include <gtest/gtest.h>

#include "hotrow/core/json.hpp"
#include "tests/support/rule_runner.hpp"

namespace hotrow {
namespace {

using test::nth_settings;
using test::RuleRunner;

std::string round_trip(const Answer& answer) {
  const std::optional<Answer> read = decode_answer(encode_answer(answer));
  return read ? encode_answer(*read) : "unreadable";
}

TEST(StoredAnswer, ComesBackAsItWasForEveryKindOfAnswer) {
  RuleRunner desk;
  PromotionSettings settings = nth_settings({1});
  settings.ends_at = test::opening + std::chrono::hours(1);
  settings.max_entries = 2;
  settings.prize = Prize{.amount = 100'000, .currency = "KRW", .description = "십만 원"};
  settings.terms = "One each.\n\"Quoted\" \\ text.";
  settings.user_id_pattern = *Pattern::compile("[a-z]+");
  for (const Answer& answer :
       {desk.decide(test::enter("p", "x")).answer, desk.decide(test::put_promotion("p", settings)).answer,
        desk.decide(test::enter("p", "a")).answer, desk.decide(test::enter("p", "BAD")).answer,
        desk.decide(test::enter_batch("p", {"a", "b", "c", "BAD"})).answer,
        desk.decide(test::change_promotion("p", PromotionAction::close)).answer,
        desk.decide(test::enter("p", "z")).answer}) {
    EXPECT_EQ(round_trip(answer), encode_answer(answer));
  }
}

TEST(StoredAnswer, KeepsItsFormOfVersionOneForEver) {
  const std::string written_by_version_one =
      R"({"v":1,"entry":{"promotion":"p","user":"a","ordinal":7,"winner":true,"already":false,)"
      R"("entered_at":"2026-06-01T00:00:00.000000Z","server_time":"2026-06-01T00:00:00.000001Z"}})";
  const std::optional<Answer> answer = decode_answer(written_by_version_one);
  ASSERT_TRUE(answer);
  EXPECT_EQ(test::entry_of(*answer).ordinal, 7);
  EXPECT_EQ(encode_answer(*answer), written_by_version_one);
}

TEST(StoredAnswer, OfAnotherFormIsNotGuessedAt) {
  for (const char* text : {"", "{}", "[]", R"({"v":2,"entry":{}})", R"({"v":1})", R"({"v":1,"entry":{}})",
                           R"({"v":1,"entry":{"promotion":1}})"}) {
    EXPECT_FALSE(decode_answer(text)) << text;
  }
}

TEST(Settings, ComeBackAsTheyWereThroughTheirText) {
  PromotionSettings settings = nth_settings({1, 1000});
  EXPECT_EQ(decode_settings(encode_settings(settings)), settings);
  settings.rule = EveryRule{.interval = 100, .winners = 10};
  settings.close_on_last_winner = true;
  EXPECT_EQ(decode_settings(encode_settings(settings)), settings);
  settings.rule = FirstRule{.count = 9007199254740991};
  settings.user_id_pattern = *Pattern::compile("u-[0-9]+");
  EXPECT_EQ(decode_settings(encode_settings(settings)), settings);
}

}  // namespace
}  // namespace hotrow
