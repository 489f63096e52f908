#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "hotrow/core/command.hpp"
#include "hotrow/core/listing_row.hpp"
#include "hotrow/core/outcome.hpp"

namespace hotrow {

/// What follows from a listing's row alone. Pure.

inline constexpr std::chrono::seconds listing_duration_min{1};
inline constexpr std::chrono::hours listing_duration_max{24 * 30};
inline constexpr std::int64_t anti_snipe_window_max_seconds = 3600;
inline constexpr std::int64_t anti_snipe_extensions_max = 100;

/// The least that a bid must be: the start price, or the lead and the increment.
std::int64_t min_next_bid(const ListingRow& listing);

/// The same for callers: nullopt when it is more than any bid can be.
std::optional<std::int64_t> shown_min_next_bid(const ListingRow& listing);

/// The end that people see. Of a listing that has closed it stays what it was then.
Timestamp shown_end(const ListingRow& listing, std::chrono::microseconds market_extension);

/// The end that extensions never pass, in market time.
Timestamp hard_end(const ListingTerms& terms);

/// Whether no bid is accepted any more. `market_now` is the store's clock less the market's extension.
bool has_ended(const ListingRow& listing, Timestamp market_now);

/// What is wrong with a listing's members whatever the time and the rows; empty when nothing is.
std::vector<FieldError> listing_faults(const CreateListing& create);

/// The parts that an event or an answer names.
WalletId seller_wallet(const ListingTerms& terms);
WalletId player_wallet(const std::string& player, const std::string& currency);

}  // namespace hotrow
