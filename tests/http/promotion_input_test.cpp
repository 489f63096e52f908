#include "hotrow/http/promotion_input.hpp"

#include <gtest/gtest.h>

#include "hotrow/http/strict_json.hpp"

namespace hotrow::http {
namespace {

boost::json::object parsed(std::string_view text) {
  auto object = parse_object(text);
  EXPECT_TRUE(object.has_value()) << text;
  return object ? std::move(*object) : boost::json::object();
}

/// The fields in error, joined by blanks; "" when there is none.
template <class T>
std::string fields(const Input<T>& input) {
  std::string names;
  if (input) return names;
  for (const FieldError& error : input.error()) names += (names.empty() ? "" : " ") + error.field;
  return names;
}

/// The errors of a promotion whose other members are right.
std::string errors_with(std::string_view members) {
  std::string body = R"({"title":"T","starts_at":"2026-06-01T00:00:00Z",)" + std::string(members) + "}";
  if (members.find("\"rule\"") == std::string_view::npos) {
    body.insert(1, R"("rule":{"kind":"first","count":1},)");
  }
  return fields(read_promotion(parsed(body)));
}

TEST(PromotionInput, ReadsEverySetting) {
  const auto input = read_promotion(parsed(R"({
    "title": "Grand opening", "rule": {"kind": "nth", "targets": [1000, 10]},
    "starts_at": "2026-06-01T09:00:00+09:00", "ends_at": "2026-06-02T00:00:00Z", "max_entries": 5000,
    "close_on_last_winner": true, "prize": {"amount": 100000, "currency": "KRW", "description": "won"},
    "terms": "One each.\nNo bots.", "user_id_pattern": "[a-z]+", "intake": "direct", "reason": "launch"})"));
  ASSERT_TRUE(input.has_value()) << fields(input);
  const PromotionSettings& settings = *input->settings;
  EXPECT_EQ(settings.title, "Grand opening");
  EXPECT_EQ(std::get<NthRule>(settings.rule).targets, (std::vector<std::int64_t>{10, 1000}));
  EXPECT_EQ(format_rfc3339(settings.starts_at), "2026-06-01T00:00:00.000000Z");
  EXPECT_EQ(format_rfc3339(*settings.ends_at), "2026-06-02T00:00:00.000000Z");
  EXPECT_EQ(settings.max_entries, 5000);
  EXPECT_TRUE(settings.close_on_last_winner);
  EXPECT_EQ(settings.prize, (Prize{.amount = 100000, .currency = "KRW", .description = "won"}));
  EXPECT_EQ(settings.terms, "One each.\nNo bots.");
  EXPECT_TRUE(settings.user_id_pattern->matches("abc"));
  EXPECT_EQ(input->reason, "launch");
}

TEST(PromotionInput, OptionalMembersMayBeNullOrAbsent) {
  EXPECT_EQ(errors_with(
                R"("ends_at":null,"max_entries":null,"prize":null,"terms":null,"intake":null,"reason":null)"),
            "");
}

TEST(PromotionInput, EveryErrorIsGathered) {
  EXPECT_EQ(fields(read_promotion(parsed(R"({"titel":"T","rule":{"kind":"nth","targets":[0,1.5],"winner":1},
      "starts_at":"tomorrow","max_entries":0,"close_on_last_winner":"yes","prize":{"currency":"₩"}})"))),
            "title rule.targets[0] rule.targets[1] rule.winner starts_at max_entries close_on_last_winner "
            "prize.amount prize.currency titel");
}

TEST(PromotionInput, IntegersAreWrittenAsIntegers) {
  for (const std::string_view wrong :
       {"1.0", "1e3", "\"1\"", "true", "null", "[1]", "0", "-1", "9007199254740992", "18446744073709551615",
        "1e300", "123456789012345678901234567890"}) {
    EXPECT_EQ(errors_with(R"("rule":{"kind":"first","count":)" + std::string(wrong) + "}"), "rule.count")
        << wrong;
  }
  EXPECT_EQ(errors_with(R"("rule":{"kind":"first","count":9007199254740991})"), "");
}

TEST(PromotionInput, NthTakesOneToAHundredDistinctTargets) {
  std::string hundred;
  for (int i = 1; i <= 100; ++i) hundred += (i > 1 ? "," : "") + std::to_string(i);
  const auto nth = [](const std::string& targets) {
    return errors_with(R"("rule":{"kind":"nth","targets":[)" + targets + "]}");
  };
  EXPECT_EQ(nth(hundred), "");
  EXPECT_EQ(nth(hundred + ",101"), "rule.targets");
  EXPECT_EQ(nth(""), "rule.targets");
  EXPECT_EQ(nth("5,7,5"), "rule.targets");
}

TEST(PromotionInput, EveryMustEndBelowTheLargestOrdinal) {
  const auto every = [](const std::string& members) {
    return errors_with(R"("rule":{"kind":"every",)" + members + "}");
  };
  EXPECT_EQ(every(R"("interval":100,"winners":10)"), "");
  EXPECT_EQ(every(R"("interval":9007199254740991,"winners":1)"), "");
  EXPECT_EQ(every(R"("interval":9007199254740991,"winners":2)"), "rule.interval");
  EXPECT_EQ(every(R"("interval":1,"winners":1000001)"), "rule.winners");
  EXPECT_EQ(every(R"("interval":1)"), "rule.winners");
}

TEST(PromotionInput, ShardsAreForFirstAloneAndForNowOne) {
  EXPECT_EQ(errors_with(R"("rule":{"kind":"first","count":5,"shards":1})"), "");
  EXPECT_EQ(errors_with(R"("rule":{"kind":"first","count":5,"shards":8})"), "rule.shards");
  EXPECT_EQ(errors_with(R"("rule":{"kind":"nth","targets":[5],"shards":1})"), "rule.shards");
}

TEST(PromotionInput, TheRulesKindIsOneOfThree) {
  EXPECT_EQ(errors_with(R"("rule":{"kind":"last","count":5})"), "rule.kind");
  EXPECT_EQ(errors_with(R"("rule":{"count":5})"), "rule.kind");
  EXPECT_EQ(errors_with(R"("rule":"nth")"), "rule");
}

TEST(PromotionInput, IntakeIsDirectForNow) {
  EXPECT_EQ(errors_with(R"("intake":"direct")"), "");
  EXPECT_EQ(errors_with(R"("intake":"queued")"), "intake");
  EXPECT_EQ(errors_with(R"("intake":"other")"), "intake");
}

TEST(PromotionInput, TextsAreBounded) {
  const auto title = [](const std::string& text) {
    return fields(
        read_promotion(parsed(R"({"rule":{"kind":"first","count":1},"starts_at":"2026-06-01T00:00:00Z",
      "title":")" + text + "\"}")));
  };
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "정";
  EXPECT_EQ(title(wide), "");
  EXPECT_EQ(title(wide + "답"), "title");
  EXPECT_EQ(title(""), "title");
  EXPECT_EQ(title("a\\u0000b"), "title");
  EXPECT_EQ(title("a\\nb"), "title");
  EXPECT_EQ(errors_with(R"("terms":")" + std::string(32768, 't') + "\""), "");
  EXPECT_EQ(errors_with(R"("terms":")" + std::string(32769, 't') + "\""), "terms");
  std::string terms;
  for (int i = 0; i < 32768; ++i) terms += "정";
  EXPECT_EQ(errors_with(R"("terms":")" + terms + "\""), "") << "characters are counted, not bytes";
  EXPECT_EQ(errors_with(R"("terms":"a\u0000b")"), "terms");
  EXPECT_EQ(errors_with(R"("reason":")" + std::string(501, 'r') + "\""), "reason");
  EXPECT_EQ(errors_with(R"("user_id_pattern":"(")"), "user_id_pattern");
  EXPECT_EQ(errors_with(R"("prize":{"amount":1,"currency":"x y"})"), "prize.currency");
}

TEST(PromotionInput, TimesStayWithinFourDigitYears) {
  const auto ends_at = [](const std::string& time) { return errors_with(R"("ends_at":")" + time + "\""); };
  EXPECT_EQ(ends_at("9999-12-31T23:59:59Z"), "");
  EXPECT_EQ(ends_at("9999-12-31T23:59:59-00:01"), "ends_at");
  EXPECT_EQ(ends_at("0001-01-01T00:00:00+00:01"), "ends_at");
  EXPECT_EQ(ends_at("2026-06-01"), "ends_at");
  EXPECT_EQ(ends_at("2026-06-01T00:00:00"), "ends_at");
}

TEST(PromotionInput, AUserIdIsAnId) {
  const auto user = [](const std::string& id) {
    return fields(read_user(parsed(R"({"user_id":)" + id + "}")));
  };
  EXPECT_EQ(user("\"guild:5|\\\"\\\\\""), "");
  EXPECT_EQ(user("\"" + std::string(128, 'u') + "\""), "");
  EXPECT_EQ(user("\"" + std::string(129, 'u') + "\""), "user_id");
  EXPECT_EQ(user("\"\""), "user_id");
  EXPECT_EQ(user("\"a\\u0000\""), "user_id");
  EXPECT_EQ(user("\"a\\u0085\""), "user_id");
  EXPECT_EQ(user("5"), "user_id");
  EXPECT_EQ(fields(read_user(parsed(R"({"user_id":"a","userid":"b"})"))), "userid");
}

TEST(PromotionInput, ABatchNamesOneToAThousandUsers) {
  const auto batch = [](std::size_t count) {
    std::string users;
    for (std::size_t i = 0; i < count; ++i) users += (i > 0 ? ",\"u\"" : "\"u\"");
    return fields(read_users(parsed("{\"user_ids\":[" + users + "]}")));
  };
  EXPECT_EQ(batch(1), "");
  EXPECT_EQ(batch(1000), "");
  EXPECT_EQ(batch(0), "user_ids");
  EXPECT_EQ(batch(1001), "user_ids");
  EXPECT_EQ(fields(read_users(parsed(R"({"user_ids":["a",1,""]})"))), "user_ids[1] user_ids[2]");
  EXPECT_EQ(fields(read_users(parsed(R"({"user_ids":"a"})"))), "user_ids");
}

}  // namespace
}  // namespace hotrow::http
