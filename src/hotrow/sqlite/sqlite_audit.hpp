#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"

namespace hotrow::sqlite {

/// Counts what the audit judges. In the transaction under way: call it inside one.
Result<PromotionFacts> count_facts(Connection& connection, PromotionRow promotion);

/// Rows of promotions that are not there. In the transaction under way.
Result<std::vector<Violation>> find_orphans(Connection& connection);

}  // namespace hotrow::sqlite
