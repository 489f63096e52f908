#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/core/listing_row.hpp"

namespace hotrow {

/// A listing's terms, as the stores keep them. Names and meaning never change; members may be added.
std::string encode_terms(const ListingTerms& terms);
std::optional<ListingTerms> decode_terms(std::string_view text);

boost::json::object to_json(const ItemFacts& item);
std::optional<ItemFacts> item_facts_from_json(const boost::json::value& value);

}  // namespace hotrow
