#pragma once

#include <cstddef>
#include <string_view>

namespace hotrow {

/// Well-formed UTF-8 as of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_valid_utf8(std::string_view text);

inline constexpr std::size_t id_bytes_max = 128;

/// An id: 1 to 128 bytes of valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F).
/// Ids are opaque and compared byte for byte: the NFC and NFD forms of a name are two ids.
bool is_valid_id(std::string_view text);

}  // namespace hotrow
