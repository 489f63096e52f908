#include "hotrow/core/fees.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hotrow/base/checked.hpp"

namespace hotrow {
namespace {

__extension__ using Wide = __int128;

/// Whether `part` is floor(price x bps / 10000), without dividing.
bool is_floor(std::int64_t part, std::int64_t price, std::int64_t bps) {
  const Wide product = Wide(price) * bps;
  return Wide(part) * 10'000 <= product && product < (Wide(part) + 1) * 10'000;
}

/// Neither more nor less than the rule says, in both of its uses.
bool is_exact(std::int64_t price, std::int64_t bps) {
  const Rates plain{.deposit_bps = bps, .deposit_min = 0, .cut_bps = bps, .cut_min = 0};
  const std::int64_t cut = sale_cut(plain, price);
  const std::int64_t seller_part = price - cut;
  const bool whole = cut >= 0 && seller_part >= 0 && cut + seller_part == price;
  const Rates least{.deposit_bps = bps, .deposit_min = 7, .cut_bps = bps, .cut_min = 7};
  return whole && is_floor(cut, price, bps) && listing_deposit(plain, price) == cut &&
         sale_cut(least, price) == std::min(price, std::max<std::int64_t>(7, cut)) &&
         listing_deposit(least, price) == std::max<std::int64_t>(7, cut);
}

TEST(Fees, OfEveryPriceToAHundredThousandAreExact) {
  // The stride has no factor in common with 10000: over the prices every rate comes up.
  std::int64_t bps = 0;
  for (std::int64_t price = 1; price <= 100'000; ++price) {
    for (int i = 0; i < 50; ++i) {
      bps = (bps + 197) % 10'001;
      ASSERT_TRUE(is_exact(price, bps)) << price << " at " << bps;
    }
    ASSERT_TRUE(is_exact(price, 0) && is_exact(price, 500) && is_exact(price, 10'000)) << price;
  }
}

TEST(Fees, OfEveryRateAreExactAtTheEdgesAndNothingOverflows) {
  for (const std::int64_t price :
       {std::int64_t(1), std::int64_t(2), std::int64_t(3), std::int64_t(19), std::int64_t(20),
        std::int64_t(9'999), std::int64_t(10'000), std::int64_t(10'001), std::int64_t(99'999),
        std::int64_t(100'000), std::int64_t(2'147'483'647), std::int64_t(922'337'203'685'477),
        std::int64_t(922'337'203'685'478), integer_max - 1, integer_max}) {
    for (std::int64_t bps = 0; bps <= 10'000; ++bps) {
      ASSERT_TRUE(is_exact(price, bps)) << price << " at " << bps;
    }
  }
}

TEST(Fees, OfTheDefaultRatesAreThoseOfTheContract) {
  const Rates rates;
  EXPECT_EQ(listing_deposit(rates, 1), 1);
  EXPECT_EQ(listing_deposit(rates, 199), 1);
  EXPECT_EQ(listing_deposit(rates, 200), 2);
  EXPECT_EQ(sale_cut(rates, 1), 1);
  EXPECT_EQ(sale_cut(rates, 39), 1);
  EXPECT_EQ(sale_cut(rates, 40), 2);
  EXPECT_EQ(sale_cut(rates, integer_max), 450'359'962'737'049);
}

TEST(Fees, AreNeverMoreThanThePriceThoughTheLeastCutIs) {
  const Rates rates{.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 100};
  EXPECT_EQ(sale_cut(rates, 99), 99);
  EXPECT_EQ(sale_cut(rates, 100), 100);
  EXPECT_EQ(sale_cut(rates, 101), 100);
}

TEST(Rates, AreSoundWhereListingNeverCostsMoreThanSelling) {
  EXPECT_TRUE(are_sound({}));
  EXPECT_TRUE(are_sound({.deposit_bps = 500, .deposit_min = 1, .cut_bps = 500, .cut_min = 1}));
  EXPECT_TRUE(are_sound({.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 0}));
  EXPECT_FALSE(are_sound({.deposit_bps = 501, .deposit_min = 1, .cut_bps = 500, .cut_min = 1}));
  EXPECT_FALSE(are_sound({.deposit_bps = 100, .deposit_min = 2, .cut_bps = 500, .cut_min = 1}));
  EXPECT_FALSE(are_sound({.deposit_bps = 100, .deposit_min = 1, .cut_bps = 10'001, .cut_min = 1}));
  EXPECT_FALSE(are_sound({.deposit_bps = -1, .deposit_min = 1, .cut_bps = 500, .cut_min = 1}));
  EXPECT_FALSE(are_sound({.deposit_bps = 0, .deposit_min = -1, .cut_bps = 0, .cut_min = 0}));
  EXPECT_FALSE(are_sound({.deposit_bps = 0, .deposit_min = -2, .cut_bps = 0, .cut_min = -1}));
}

}  // namespace
}  // namespace hotrow
