#pragma once

#include <vector>

#include "hotrow/store/store.hpp"
#include "tests/support/aftermath.hpp"
#include "tests/support/generate_market.hpp"

namespace hotrow::test {

/// Runs the trades in order on an empty store whose clock is `clock`, one transaction for each piece: a piece
/// ends after each index in `cuts` and wherever the clock moves. Fails the test when an attempt fails or an
/// invariant is violated after one.
Aftermath trade_in_pieces(Store& store, Timestamp& clock, const std::vector<TimedCommand>& trades,
                          const std::vector<std::size_t>& cuts);

}  // namespace hotrow::test
