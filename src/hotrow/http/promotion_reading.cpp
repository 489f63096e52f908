#include "hotrow/http/promotion_reading.hpp"

#include <algorithm>

namespace hotrow::http {

Result<PromotionReading> with_winners(Queries& queries, PromotionRow row, Timestamp now) {
  PromotionReading reading{.row = std::move(row), .server_time = now};
  reading.server_time = std::max(now, reading.row.decided_at);
  if (reading.row.winners == 0) return reading;
  Result<std::vector<WinnerRow>> winners = queries.winners(reading.row.id, 0, winners_shown_max);
  if (!winners) return failure(std::move(winners.error()));
  std::erase_if(*winners, [&](const WinnerRow& winner) { return winner.ordinal > reading.row.entries; });
  reading.winners = std::move(*winners);
  return reading;
}

Result<std::optional<PromotionReading>> read_promotion_state(Queries& queries, const std::string& id) {
  Result<std::optional<PromotionRow>> row = queries.promotion(id);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return std::nullopt;
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  Result<PromotionReading> reading = with_winners(queries, std::move(**row), *now);
  if (!reading) return failure(std::move(reading.error()));
  return std::move(*reading);
}

}  // namespace hotrow::http
