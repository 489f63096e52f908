#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hotrow::http {

/// %XX and nothing else ("+" stays "+"); nullopt for a broken escape.
std::optional<std::string> percent_decode(std::string_view text);

/// For paths that this server writes itself: everything but the unreserved characters of RFC 3986 is escaped.
std::string percent_encode(std::string_view text);

/// A request target in origin form, split at the first "?". Views into the text it was made from.
struct Target {
  std::string_view path;
  std::string_view query;
};

Target split_target(std::string_view target);

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// "a=1&b=2" decoded ("+" is a blank in values, as forms send it); nullopt for a broken escape or for text
/// that is not UTF-8.
std::optional<QueryParameters> parse_query(std::string_view query);

}  // namespace hotrow::http
