#pragma once

#include <string>

#include "hotrow/core/listing_row.hpp"
#include "hotrow/http/members.hpp"

namespace hotrow::http {

inline constexpr std::size_t attributes_bytes_max = 16 * 1024;  ///< In canonical form.

/// `family` and `attributes` of an item that is to be created.
ItemFacts read_item_facts(Members& in, std::string id);

}  // namespace hotrow::http
