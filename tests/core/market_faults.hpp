#pragma once

#include <string>
#include <vector>

#include "tests/core/market_rows.hpp"

namespace hotrow::test {

/// Everything that must hold of the auction's rows at every moment, in plain loops over all of them: money is
/// neither made nor lost, what is held has a lead or a deposit behind it, an item is in one place, a listing
/// tells everything that happened to it. One line a violation; empty when all is well.
///
/// Written apart from the SQL of store/market_invariants.cpp on purpose: two accounts of the same law.
std::vector<std::string> market_faults(const RowMap& rows);

}  // namespace hotrow::test
