#include "hotrow/http/listing_reading.hpp"

#include <algorithm>

namespace hotrow::http {

ListingView MarketTime::view(const ListingRow& row) const {
  return {.row = row, .extension = extension, .server_time = std::max(now, row.decided_at)};
}

Result<MarketTime> read_market_time(Queries& queries) {
  Result<MarketRow> market = queries.market();
  if (!market) return failure(std::move(market.error()));
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  return MarketTime{.extension = market->extension, .now = *now};
}

Result<std::optional<ListingReading>> read_listing(Queries& queries, const std::string& id) {
  Result<std::optional<ListingRow>> row = queries.listing(id);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return std::nullopt;
  Result<MarketTime> market = read_market_time(queries);
  if (!market) return failure(std::move(market.error()));
  return ListingReading{.row = std::move(**row), .market = *market};
}

Response listing_not_found_response(const std::string& listing, const AnswerContext& context) {
  return problem_response({.code = "listing_not_found",
                           .detail = "There is no listing with this id.",
                           .figures = {{"listing_id", listing}}},
                          context);
}

}  // namespace hotrow::http
