#include "hotrow/store/migration.hpp"

#include <gtest/gtest.h>

#include <array>

namespace hotrow {
namespace {

const std::array<Migration, 3> known = {{
    {.number = 1, .name = "first", .sql = "CREATE TABLE a (x);"},
    {.number = 2, .name = "second", .sql = "CREATE TABLE b (x);"},
    {.number = 3, .name = "third", .sql = "CREATE TABLE c (x);"},
}};

AppliedMigration applied(std::size_t i) {
  return {.number = known[i].number, .checksum = checksum(known[i])};
}

TEST(Migrations, AllArePendingOnAnEmptyDatabase) {
  const auto left = pending(known, {});
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 3u);
  EXPECT_EQ(left->front().number, 1);
}

TEST(Migrations, ThoseAppliedAreNotPending) {
  const std::array<AppliedMigration, 2> done = {applied(0), applied(1)};
  const auto left = pending(known, done);
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().name, "third");
}

TEST(Migrations, NoneIsPendingOnACurrentDatabase) {
  const std::array<AppliedMigration, 3> done = {applied(0), applied(1), applied(2)};
  const auto left = pending(known, done);
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->empty());
}

TEST(Migrations, ANewerDatabaseIsRefused) {
  const std::array<AppliedMigration, 4> done = {applied(0), applied(1), applied(2),
                                                AppliedMigration{.number = 4, .checksum = "of the future"}};
  const auto left = pending(known, done);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().kind, ErrorKind::fatal);
  EXPECT_EQ(left.error().code, "schema_newer");
}

TEST(Migrations, AChangedTextIsRefused) {
  std::array<AppliedMigration, 2> done = {applied(0), applied(1)};
  done[1].checksum = checksum({.number = 2, .name = "second", .sql = "CREATE TABLE b (x INTEGER);"});
  const auto left = pending(known, done);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().kind, ErrorKind::fatal);
  EXPECT_EQ(left.error().code, "schema_changed");
}

TEST(Migrations, AGapIsRefused) {
  const std::array<AppliedMigration, 2> done = {applied(0), applied(2)};
  const auto left = pending(known, done);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().kind, ErrorKind::fatal);
  EXPECT_EQ(left.error().code, "schema_gap");
}

TEST(Migrations, TheChecksumIsThatOfTheTextAlone) {
  const Migration renamed{.number = 7, .name = "other", .sql = known[0].sql};
  EXPECT_EQ(checksum(renamed), checksum(known[0]));
  EXPECT_NE(checksum(known[0]), checksum(known[1]));
}

}  // namespace
}  // namespace hotrow
