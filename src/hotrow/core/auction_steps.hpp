#pragma once

#include <boost/json/array.hpp>
#include <optional>
#include <string>

#include "hotrow/core/deal.hpp"

namespace hotrow {

/// What several of the auction's rules say and do in the same way.

inline constexpr const char* item_astray = "its item is not in its escrow";
inline constexpr const char* holds_astray = "a wallet cannot give or take what this listing needs";

Rejection listing_not_found(const std::string& listing);
Rejection listing_closed(const ListingRow& listing, const Deal& deal);
Rejection listing_set_aside();
Rejection market_paused();
Rejection insufficient_funds(std::int64_t available, std::int64_t needed);

/// Why an item cannot leave its owner's inventory.
std::optional<Rejection> location_refusal(const ItemRow& item);

/// If-Match: `expected` are the versions that the caller accepts.
std::optional<Rejection> version_refusal(const Deal& deal, const ListingRow& listing,
                                         const VersionMatch& expected);

/// [{"owner","amount"}]: what a leader has back.
boost::json::array refunded(const Lead& lead);

/// The sale's event and the house's cut, whoever sold it and how.
void sell(Deal& deal, const std::string& buyer, std::int64_t price, const char* via);

}  // namespace hotrow
