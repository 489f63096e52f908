#include "hotrow/base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hotrow {
namespace {

TEST(Id, TakesAnythingPrintableUpTo128Bytes) {
  for (const std::string& id :
       {std::string("a"), std::string(128, 'x'), std::string("guild:5"), std::string("a|b"),
        std::string("'\"\\"), std::string("한국어 사용자"), std::string("\U0001F389"), std::string(" "),
        std::string("j\u00fcrgen"), std::string("ju\u0308rgen")}) {
    EXPECT_TRUE(is_valid_id(id)) << id;
  }
}

TEST(Id, RefusesEmptyLongControlAndBrokenBytes) {
  for (const std::string& id :
       {std::string(), std::string(129, 'x'), std::string("a\0b", 3), std::string("a\nb"),
        std::string("a\x7f"), std::string("\xc2\x85"), std::string("\xff"), std::string("\xc0\xaf"),
        std::string("\xe0\x80\xaf"), std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"),
        std::string("\xf0\x9f\x8e"), std::string("\x80")}) {
    EXPECT_FALSE(is_valid_id(id)) << id.size();
  }
}

TEST(Utf8, AcceptsTheEdgesOfEachLength) {
  EXPECT_TRUE(is_valid_utf8("\x7f\xc2\x80\xdf\xbf"));
  EXPECT_TRUE(is_valid_utf8("\xe0\xa0\x80\xef\xbf\xbf\xed\x9f\xbf\xee\x80\x80"));
  EXPECT_TRUE(is_valid_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}

}  // namespace
}  // namespace hotrow
