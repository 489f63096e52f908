#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotrow::http {

/// An opaque cursor: where a list goes on, bound to the list and its filters. `list` names both, e.g.
/// "promotions?state=open". Base64url, so that it needs no escapes.
std::string encode_cursor(std::string_view list, std::string_view position);
std::string encode_cursor(std::string_view list, std::int64_t position);

/// The position; nullopt when the cursor is not one or was made for another list.
std::optional<std::string> decode_cursor(std::string_view list, std::string_view cursor);
std::optional<std::int64_t> decode_number_cursor(std::string_view list, std::string_view cursor);

}  // namespace hotrow::http
