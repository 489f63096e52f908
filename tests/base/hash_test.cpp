#include "hotrow/base/hash.hpp"

#include <gtest/gtest.h>

namespace hotrow {
namespace {

TEST(FrozenHash, GivesTheSameValuesInEveryBuild) {  // G02: the published FNV-1a vectors
  EXPECT_EQ(frozen_hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(frozen_hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(frozen_hash("foobar"), 0x85944171f73967e8ULL);
}

TEST(Sha256, MatchesTheStandardsVector) {  // FIPS 180-4, "abc"
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(RandomHex, HasTheLengthAskedForAndDoesNotRepeat) {
  EXPECT_EQ(random_hex(16).size(), 32u);
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace hotrow
