#include "hotrow/core/listing_row.hpp"

#include "hotrow/base/names.hpp"

namespace hotrow {
namespace {

constexpr Names<ItemLocation, 3> item_locations({"inventory", "escrow", "outside"});
constexpr Names<OnClose, 2> closing_places({"inventory", "outside"});
constexpr Names<ListingStatus, 5> listing_statuses({"active", "sold", "expired", "cancelled", "voided"});

}  // namespace

std::string_view to_string(ItemLocation location) { return item_locations.of(location); }
std::optional<ItemLocation> item_location_from_string(std::string_view text) {
  return item_locations.value(text);
}

std::string_view to_string(OnClose place) { return closing_places.of(place); }
std::optional<OnClose> on_close_from_string(std::string_view text) { return closing_places.value(text); }

std::string_view to_string(ListingStatus status) { return listing_statuses.of(status); }
std::optional<ListingStatus> listing_status_from_string(std::string_view text) {
  return listing_statuses.value(text);
}

std::string bid_id(const std::string& listing, std::int64_t n) { return listing + ":" + std::to_string(n); }

}  // namespace hotrow
