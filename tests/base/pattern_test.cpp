#include "hotrow/base/pattern.hpp"

#include <gtest/gtest.h>

namespace hotrow {
namespace {

TEST(Pattern, MatchesTheWholeText) {
  const Pattern pattern = *Pattern::compile("[a-z]+");
  EXPECT_TRUE(pattern.matches("abc"));
  EXPECT_FALSE(pattern.matches("abc1"));
  EXPECT_FALSE(pattern.matches(""));
}

TEST(Pattern, SaysWhatIsWrongWithAMalformedExpression) {
  EXPECT_EQ(Pattern::compile("(").error().kind, ErrorKind::invalid);
  EXPECT_FALSE(Pattern::compile("(").error().detail.empty());
}

TEST(Pattern, RefusesAnExpressionThatWouldGrowTooLarge) {
  EXPECT_FALSE(Pattern::compile("((a{1,100}){1,100}){1,100}"));
}

TEST(Pattern, StaysLinearWhereABacktrackingMatcherWouldNotEnd) {
  const Pattern pattern = *Pattern::compile("(a+)+b");
  EXPECT_FALSE(pattern.matches(std::string(100'000, 'a')));
}

}  // namespace
}  // namespace hotrow
