#include "hotrow/core/rule.hpp"

#include <gtest/gtest.h>

#include "hotrow/base/checked.hpp"

namespace hotrow {
namespace {

const Rule nth = NthRule{{3, 7}};
const Rule every = EveryRule{.interval = 5, .winners = 2};
const Rule first = FirstRule{.count = 4};

std::string winning_places(const Rule& rule, std::int64_t up_to) {
  std::string places;
  for (std::int64_t ordinal = 1; ordinal <= up_to; ++ordinal) {
    if (is_target(rule, ordinal)) places += std::to_string(ordinal) + " ";
  }
  return places;
}

TEST(Rule, NamesItsWinningPlaces) {
  EXPECT_EQ(winning_places(nth, 20), "3 7 ");
  EXPECT_EQ(winning_places(every, 20), "5 10 ");
  EXPECT_EQ(winning_places(first, 20), "1 2 3 4 ");
}

TEST(Rule, CountsReachedTargetsExactlyAtEachEdge) {
  for (const Rule& rule : {nth, every, first}) {
    std::int64_t counted = 0;
    EXPECT_EQ(targets_reached(rule, 0), 0);
    for (std::int64_t entries = 1; entries <= 20; ++entries) {
      if (is_target(rule, entries)) ++counted;
      EXPECT_EQ(targets_reached(rule, entries), counted) << entries;
    }
    EXPECT_EQ(counted, targets_total(rule));
    EXPECT_TRUE(is_target(rule, last_target(rule)));
  }
}

TEST(Rule, ListsWhatIsStillAhead) {
  EXPECT_EQ(targets_above(nth, 3, 10), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(targets_above(every, 0, 10), (std::vector<std::int64_t>{5, 10}));
  EXPECT_EQ(targets_above(first, 1, 2), (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(targets_above(first, 4, 10).empty());
}

TEST(Rule, OnlyFirstHasACapacityOfItsOwn) {
  EXPECT_EQ(capacity(first), 4);
  EXPECT_EQ(capacity(nth), std::nullopt);
  EXPECT_EQ(capacity(every), std::nullopt);
}

TEST(Rule, WorksAtTheLargestPlace) {
  const Rule far = NthRule{{integer_max}};
  EXPECT_TRUE(is_target(far, integer_max));
  EXPECT_EQ(last_target(far), integer_max);
  EXPECT_EQ(last_target(EveryRule{.interval = integer_max, .winners = 1}), integer_max);
}

}  // namespace
}  // namespace hotrow
