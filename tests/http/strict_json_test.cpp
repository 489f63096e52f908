#include "hotrow/http/strict_json.hpp"

#include <gtest/gtest.h>

namespace hotrow::http {
namespace {

bool is_object(std::string_view text) { return parse_object(text).has_value(); }

TEST(StrictJson, ReadsAnObject) {
  const auto object = parse_object(" {\"a\": [1, {\"b\": \"\\u00e9\"}], \"c\": null}\r\n");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(canonical_json(*object), "{\"a\":[1,{\"b\":\"é\"}],\"c\":null}");
}

TEST(StrictJson, RefusesWhatIsNoObject) {
  for (const std::string_view text : {"", " ", "[]", "1", "\"x\"", "null", "true"}) {
    EXPECT_FALSE(is_object(text)) << text;
  }
}

TEST(StrictJson, RefusesBrokenSyntax) {
  for (const std::string_view text :
       {"{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{'a':1}", "{a:1}", "{\"a\":01}", "{\"a\":+1}",
        "{\"a\":.5}", "{\"a\":NaN}", "{\"a\":1}//x", "{\"a\":\"\t\"}", "{\"a\":\"\\x\"}", "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(is_object(text)) << text;
  }
}

TEST(StrictJson, RefusesTextBehindTheObject) {
  EXPECT_FALSE(is_object("{}{}"));
  EXPECT_FALSE(is_object("{} x"));
  EXPECT_FALSE(is_object(std::string_view("{}\0", 3)));
}

TEST(StrictJson, RefusesAMemberNamedTwiceAtAnyDepth) {
  EXPECT_FALSE(is_object(R"({"a":1,"a":1})"));
  EXPECT_FALSE(is_object(R"({"x":[{"a":1,"b":2,"a":3}]})"));
  EXPECT_FALSE(is_object(R"({"a":{"b":1},"a":{"b":1,"c":2}})"));
  EXPECT_FALSE(is_object("{\"a\":1,\"\\u0061\":2}"));
  EXPECT_TRUE(is_object(R"({"a":{"a":{"a":1}}})"));
}

TEST(StrictJson, RefusesBrokenUtf8) {
  EXPECT_FALSE(is_object("{\"a\":\"\xff\"}"));
  EXPECT_FALSE(is_object("{\"a\":\"\xc0\x80\"}"));
  EXPECT_FALSE(is_object("{\"a\":\"\xed\xa0\x80\"}"));
  EXPECT_FALSE(is_object("{\"a\":\"\\ud800\"}"));
  EXPECT_FALSE(is_object("{\"\xff\":1}"));
}

TEST(StrictJson, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(is_object(nested(json_depth_max - 1)));
  EXPECT_FALSE(is_object(nested(json_depth_max)));
  EXPECT_FALSE(is_object(nested(30'000)));
}

TEST(StrictJson, TheSameValueHasOneCanonicalText) {
  const auto canonical = [](std::string_view text) { return canonical_json(*parse_object(text)); };
  EXPECT_EQ(canonical(R"({"b":1,"a":{"d":[2,1],"c":"x"}})"), R"({"a":{"c":"x","d":[2,1]},"b":1})");
  EXPECT_EQ(canonical("{ \"a\" : \"\\u0041\" }"), canonical(R"({"a":"A"})"));
  EXPECT_NE(canonical(R"({"a":[1,2]})"), canonical(R"({"a":[2,1]})"));
  EXPECT_NE(canonical(R"({"a":"1"})"), canonical(R"({"a":1})"));
}

}  // namespace
}  // namespace hotrow::http
