#pragma once

#include <string>
#include <string_view>

namespace hotrow::http {

/// Fills in the pieces that stand in many schemas: "@id" and its like.
std::string with_pieces(std::string_view text);

}  // namespace hotrow::http
