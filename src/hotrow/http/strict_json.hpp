#pragma once

#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace hotrow::http {

inline constexpr std::size_t json_depth_max = 16;

/// Reads one JSON object from a client. Refused, with the reason: broken syntax or UTF-8, a member named
/// twice in one object, text after the end, anything but an object, more than json_depth_max levels.
/// The object must not outlive `storage`.
tl::expected<boost::json::object, std::string> parse_object(std::string_view text,
                                                            boost::json::storage_ptr storage = {});

/// The same value always gives the same text: members sorted by name, no white space. For fingerprints.
std::string canonical_json(const boost::json::value& value);
std::string canonical_json(const boost::json::object& object);

}  // namespace hotrow::http
