#include "hotrow/http/header_values.hpp"

#include <gtest/gtest.h>

namespace hotrow::http {
namespace {

TEST(HeaderValues, AnIdempotencyKeyIsTheSameBareAndQuoted) {
  EXPECT_EQ(idempotency_key("8e03978e"), "8e03978e");
  EXPECT_EQ(idempotency_key("\"8e03978e\""), "8e03978e");
  EXPECT_EQ(idempotency_key("\"a\\\"b\\\\c\""), "a\"b\\c");
  EXPECT_EQ(idempotency_key(std::string(255, 'k')), std::string(255, 'k'));
}

TEST(HeaderValues, OtherIdempotencyKeysAreRefused) {
  for (const std::string& bad : {std::string(), std::string("\"\""), std::string("\"open"), std::string("\""),
                                 std::string("a b"), std::string("\"a b\""), std::string("\"a\";x=1"),
                                 std::string("k\xC3\xA9y"), std::string("\"a\\x\""), std::string(256, 'k')}) {
    EXPECT_EQ(idempotency_key(bad), std::nullopt) << bad;
  }
}

TEST(HeaderValues, IfMatchTakesStrongTagsOrAStar) {
  const auto versions = [](std::string_view value) { return if_match(value)->versions; };
  EXPECT_EQ(versions("\"7\""), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(versions("\"6\", \"999\""), (std::vector<std::int64_t>{6, 999}));
  EXPECT_EQ(versions(", \"6\",,W/\"8\",\t\"a,b\" ,"), (std::vector<std::int64_t>{6}));
  EXPECT_TRUE(if_match("*")->any);
  for (const std::string_view never :
       {"W/\"7\"", "\"abc\"", "\"\"", "\"7x\"", "\"-1\"", "\"99999999999999999999\""}) {
    ASSERT_TRUE(if_match(never).has_value()) << never;
    EXPECT_TRUE(versions(never).empty()) << never;
    EXPECT_FALSE(if_match(never)->any) << never;
  }
  for (const std::string_view bad :
       {"", ",", "7", "\"7", "7\"", "\"7\" \"8\"", "\"7\", *", "**", "W/7", "\"a b\"", "w/\"7\""}) {
    EXPECT_EQ(if_match(bad), std::nullopt) << bad;
  }
}

TEST(HeaderValues, IfNoneMatchComparesWeakly) {
  EXPECT_EQ(if_none_match("\"7\", W/\"8\"")->versions, (std::vector<std::int64_t>{7, 8}));
  EXPECT_TRUE(if_none_match("*")->any);
  EXPECT_EQ(if_none_match("7"), std::nullopt);
}

TEST(HeaderValues, JsonIsApplicationJsonInUtf8) {
  EXPECT_TRUE(is_json(""));
  EXPECT_TRUE(is_json("application/json"));
  EXPECT_TRUE(is_json("Application/JSON; charset=utf-8"));
  EXPECT_TRUE(is_json("application/json ;x=y"));
  EXPECT_TRUE(is_json("application/json; x=\"a;b\" ; Charset=\"UTF-8\""));
  EXPECT_FALSE(is_json("application/json; charset=euc-kr"));
  EXPECT_FALSE(is_json("application/json;x=y;charset=iso-8859-1"));
  EXPECT_FALSE(is_json("application/json; charset="));
  EXPECT_FALSE(is_json("text/plain"));
  EXPECT_FALSE(is_json("application/json5"));
  EXPECT_FALSE(is_json("application/problem+json"));
  EXPECT_FALSE(is_json(";charset=utf-8"));
}

TEST(HeaderValues, TheSecretStandsBehindBearer) {
  EXPECT_EQ(bearer_secret("Bearer abc"), "abc");
  EXPECT_EQ(bearer_secret("bEARER   abc"), "abc");
  EXPECT_EQ(bearer_secret("Basic abc"), std::nullopt);
  EXPECT_EQ(bearer_secret("Bearer "), std::nullopt);
  EXPECT_EQ(bearer_secret("Bearer"), std::nullopt);
  EXPECT_EQ(bearer_secret(""), std::nullopt);
}

TEST(HeaderValues, ATraceparentIsTakenOnlyWhenItIsOne) {
  EXPECT_TRUE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_FALSE(is_traceparent("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"));
  EXPECT_FALSE(is_traceparent("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
  EXPECT_FALSE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"));
  EXPECT_FALSE(is_traceparent("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_FALSE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"));
  EXPECT_FALSE(is_traceparent(""));
}

TEST(HeaderValues, RequestIdsAreVisibleAscii) {
  EXPECT_TRUE(is_request_id("req-1"));
  EXPECT_TRUE(is_request_id(std::string(128, 'r')));
  EXPECT_FALSE(is_request_id(std::string(129, 'r')));
  EXPECT_FALSE(is_request_id("a b"));
  EXPECT_FALSE(is_request_id("é"));
  EXPECT_FALSE(is_request_id(""));
}

TEST(HeaderValues, BrowsersPreferHtml) {
  EXPECT_TRUE(prefers_html("text/html,application/xhtml+xml,*/*;q=0.8"));
  EXPECT_FALSE(prefers_html("application/json, text/html"));
  EXPECT_FALSE(prefers_html("*/*"));
  EXPECT_FALSE(prefers_html(""));
}

}  // namespace
}  // namespace hotrow::http
