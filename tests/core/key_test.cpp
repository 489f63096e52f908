#include "hotrow/core/key.hpp"

#include <gtest/gtest.h>

#include "hotrow/core/write_set.hpp"

namespace hotrow {
namespace {

TEST(Key, PartsNeverRunIntoEachOther) {
  EXPECT_NE(entry_key("a|b", "c"), entry_key("a", "b|c"));
  EXPECT_NE(KeyHash()(entry_key("ab", "c")), KeyHash()(entry_key("a", "bc")));
  EXPECT_NE(entry_key("p", "j\u00fcrgen"), entry_key("p", "ju\u0308rgen"));  // J02
}

TEST(Key, OrderIsKindFirstAndThenBytes) {
  EXPECT_LT(promotion_key("z"), entry_key("a", "a"));
  EXPECT_LT(entry_key("a", "b"), entry_key("a", "ba"));
  EXPECT_LT(promotion_key("a"), promotion_key("\u00e9"));
}

TEST(Key, RoutingIsTheSameInEveryBuild) {  // G02
  EXPECT_EQ(routing_hash(promotion_key("launch")), 0xe8e8f685e83d5b97ULL);
}

TEST(WriteSet, KeepsEachRowOnceInItsLastStateAndAnInsertAnInsert) {
  WriteSet writes;
  writes.add({.key = promotion_key("p"),
              .row = PromotionRow{.id = "p", .entries = 1},
              .how = RowWrite::How::insert});
  writes.add({.key = entry_key("p", "b"), .row = EntryRow{.user = "b"}});
  writes.add({.key = entry_key("p", "a"), .row = EntryRow{.user = "a"}});
  writes.add({.key = promotion_key("p"),
              .row = PromotionRow{.id = "p", .entries = 2},
              .how = RowWrite::How::update});
  const auto sorted = writes.sorted();
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(std::get<PromotionRow>(sorted[0].row).entries, 2);
  EXPECT_EQ(sorted[0].how, RowWrite::How::insert);
  EXPECT_EQ(sorted[1].key.second, "a");
}

}  // namespace
}  // namespace hotrow
