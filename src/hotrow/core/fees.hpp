#pragma once

#include <cstdint>

#include "hotrow/core/listing_row.hpp"

namespace hotrow {

/// What the house holds and takes: the one place for the quote, the answer and the settlement. Fractions are
/// cut off; products are formed in 128 bits, so that nothing overflows for any price up to 2^53 - 1.

/// max(deposit_min, floor(start_price x deposit_bps / 10000)), held from the seller when he lists.
std::int64_t listing_deposit(const Rates& rates, std::int64_t start_price);

/// min(price, max(cut_min, floor(price x cut_bps / 10000))), taken from what the buyer pays.
std::int64_t sale_cut(const Rates& rates, std::int64_t price);

/// Rates under which a seller could never be charged more for listing than for selling.
bool are_sound(const Rates& rates);

}  // namespace hotrow
