#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/http/market_json.hpp"
#include "hotrow/http/response.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::http {

/// The market as a listing's reader needs it.
struct MarketTime {
  std::chrono::microseconds extension{0};
  Timestamp now;

  /// A listing's clock never goes back.
  ListingView view(const ListingRow& row, const Pressure& pressure) const;
};
/// Read it after the listings, so that an end moved meanwhile is not shown too early.
Result<MarketTime> read_market_time(Queries& queries);

/// The pressure policy in force on each of the listings, in their order; all policies are read in one go.
Result<std::vector<Pressure>> read_pressures(Queries& queries, std::span<const ListingRow> listings);

/// A listing as read from the store.
struct ListingReading {
  ListingRow row;
  Pressure pressure;
  MarketTime market;

  ListingView view() const { return market.view(row, pressure); }
};

/// nullopt when there is no such listing.
Result<std::optional<ListingReading>> read_listing(Queries& queries, const std::string& id);

/// 404 for a listing that is not there.
Response listing_not_found_response(const std::string& listing, const AnswerContext& context);

}  // namespace hotrow::http
