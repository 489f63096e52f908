#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hotrow {

/// Where a server is: http://host[:port]. A value.
struct HttpUrl {
  std::string host;
  std::string port;
  std::string authority;  ///< As it stands in the Host header.
};

/// nullopt for anything else, https and paths included.
std::optional<HttpUrl> parse_http_url(std::string_view text);

/// One segment of a path or one value of a query: everything but unreserved characters as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace hotrow
