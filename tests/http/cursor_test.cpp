#include "hotrow/http/cursor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hotrow/http/target.hpp"

namespace hotrow::http {
namespace {

TEST(Cursor, GivesBackAnyPosition) {
  for (const std::string& position : {std::string(), std::string("a"), std::string("정답|\"%00"),
                                      std::string("\x00\xff\x7f", 3), std::string(128, 'x')}) {
    EXPECT_EQ(decode_cursor("promotions", encode_cursor("promotions", position)), position);
  }
  EXPECT_EQ(decode_number_cursor("e", encode_cursor("e", std::int64_t{9007199254740991})), 9007199254740991);
}

TEST(Cursor, NeedsNoEscapesInAQuery) {
  const std::string cursor = encode_cursor("x", std::string(64, '\xff'));
  EXPECT_EQ(percent_encode(cursor), cursor);
}

TEST(Cursor, IsBoundToItsList) {
  const std::string cursor = encode_cursor("promotions?state=open", "p");
  EXPECT_EQ(decode_cursor("promotions?state=closed", cursor), std::nullopt);
}

TEST(Cursor, ATamperedOneIsNone) {
  const std::string cursor = encode_cursor("entries/p", std::int64_t{50});
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::string other = cursor;
    other[i] = other[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(decode_number_cursor("entries/p", other), std::nullopt) << other;
  }
  EXPECT_EQ(decode_cursor("entries/p", ""), std::nullopt);
  EXPECT_EQ(decode_cursor("entries/p", "not base64!"), std::nullopt);
}

TEST(Cursor, OutlivesTheProgramThatMadeIt) {
  EXPECT_EQ(encode_cursor("events", std::int64_t{7}), encode_cursor("events", "7"));
  EXPECT_EQ(decode_number_cursor("events", "IEeRZ8TSU6U3"), 7);
}

TEST(Target, DecodesEscapesAndNothingElse) {
  EXPECT_EQ(percent_decode("a%20b+c%2Fd%25"), "a b+c/d%");
  EXPECT_EQ(percent_decode("%"), std::nullopt);
  EXPECT_EQ(percent_decode("%2"), std::nullopt);
  EXPECT_EQ(percent_decode("%2g"), std::nullopt);
  EXPECT_EQ(percent_decode(percent_encode("a b/c|\"é")), "a b/c|\"é");
}

TEST(Target, QueriesSplitIntoDecodedPairs) {
  const auto parameters = parse_query("a=1&b=x+y%26&&c&d=");
  ASSERT_TRUE(parameters.has_value());
  const QueryParameters expected = {{"a", "1"}, {"b", "x y&"}, {"c", ""}, {"d", ""}};
  EXPECT_EQ(*parameters, expected);
  EXPECT_EQ(parse_query("a=%zz"), std::nullopt);
  EXPECT_EQ(parse_query("a=%ff"), std::nullopt);
}

}  // namespace
}  // namespace hotrow::http
