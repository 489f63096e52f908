#include "hotrow/core/fees.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

constexpr std::int64_t bps_whole = 10'000;

std::int64_t part(std::int64_t amount, std::int64_t bps) {
  HOTROW_ASSERT(amount >= 0 && bps >= 0 && bps <= bps_whole);
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide(amount) * bps / bps_whole);
}

}  // namespace

std::int64_t listing_deposit(const Rates& rates, std::int64_t start_price) {
  HOTROW_ASSERT(rates.deposit_min >= 0);
  return std::max(rates.deposit_min, part(start_price, rates.deposit_bps));
}

std::int64_t sale_cut(const Rates& rates, std::int64_t price) {
  HOTROW_ASSERT(rates.cut_min >= 0);
  return std::min(price, std::max(rates.cut_min, part(price, rates.cut_bps)));
}

bool are_sound(const Rates& rates) {
  const bool in_range = rates.deposit_bps >= 0 && rates.deposit_min >= 0 && rates.cut_min >= 0 &&
                        rates.cut_bps >= 0 && rates.cut_bps <= bps_whole;
  return in_range && rates.deposit_bps <= rates.cut_bps && rates.deposit_min <= rates.cut_min;
}

}  // namespace hotrow
