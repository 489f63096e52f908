#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hotrow {

/// Something that must hold of the auction's rows at every moment, whatever happened before.
struct MarketInvariant {
  std::string_view name;     ///< "held_is_leads_and_deposits": as `hotrow verify` and /v1/audit tell it.
  std::string_view meaning;  ///< One sentence for operators.
  /// One row for each violation, with its subject ("wallet player:anna gold", "listing sword-1") as the only
  /// column `subject`. The same text runs on SQLite and PostgreSQL, with the schema as search path, so that
  /// an operator can read it and run it by hand.
  std::string_view sql;
};

struct InvariantCount {
  std::int64_t violations = 0;
  std::string example;  ///< The first subject; empty when there is none.
};

/// All of them, in the order in which they are told.
std::span<const MarketInvariant> market_invariants();

}  // namespace hotrow
