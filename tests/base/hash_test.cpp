#include "hotrow/base/hash.hpp"

#include <gtest/gtest.h>

namespace hotrow {
namespace {

TEST(FrozenHash, GivesTheSameValuesInEveryBuild) {  // G02: computed by an independent program
  EXPECT_EQ(frozen_hash(""), 0xf8bb92c91b3f5cc0ULL);
  EXPECT_EQ(frozen_hash("a"), 0xa928bad1eb06e438ULL);
  EXPECT_EQ(frozen_hash("eight by"), 0x7db4ed4a3987a81ULL);
  EXPECT_EQ(frozen_hash("nine byte"), 0x4857bd71527de22cULL);
  EXPECT_EQ(frozen_hash("promotion", 7), 0x94ddc68b07dad7f8ULL);
}

TEST(FrozenHash, TellsTextsApartThatDifferInLengthAlone) {
  EXPECT_NE(frozen_hash(""), frozen_hash(std::string(1, '\0')));
  EXPECT_NE(frozen_hash(std::string(8, '\0')), frozen_hash(std::string(9, '\0')));
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
