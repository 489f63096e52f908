#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::http {

inline constexpr std::size_t winners_shown_max = 1000;

/// A promotion as read from the store, with its first winners.
struct PromotionReading {
  PromotionRow row;
  Timestamp server_time;
  std::vector<WinnerRow> winners;  ///< At most winners_shown_max.

  PromotionView view() const { return {.row = row, .server_time = server_time, .winners = winners}; }
};

/// Adds the winners that `row` knows of: those pinned after it was read are left out, so that the whole is
/// one state.
Result<PromotionReading> with_winners(Queries& queries, PromotionRow row, Timestamp now);

/// nullopt when there is no such promotion.
Result<std::optional<PromotionReading>> read_promotion_state(Queries& queries, const std::string& id);

}  // namespace hotrow::http
