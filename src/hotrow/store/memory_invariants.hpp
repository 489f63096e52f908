#pragma once

#include "hotrow/store/market_invariants.hpp"
#include "hotrow/store/memory_tables.hpp"

namespace hotrow {

/// Counts one of market_invariants() by plain loops, as its SQL does: one violation for each row.
InvariantCount count_violations(const MemoryTables& tables, const MarketInvariant& invariant);

}  // namespace hotrow
