#include "hotrow/app/http_url.hpp"

#include <algorithm>

namespace hotrow {
namespace {

bool is_unreserved(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<HttpUrl> parse_http_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (!text.starts_with(scheme)) return std::nullopt;
  text.remove_prefix(scheme.size());
  if (text.ends_with('/')) text.remove_suffix(1);
  if (text.empty() || text.find_first_of("/?#@ ") != std::string_view::npos) return std::nullopt;

  HttpUrl url{.host = std::string(text), .port = "80", .authority = std::string(text)};
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    if (!is_port(text.substr(colon + 1))) return std::nullopt;
    url.host = text.substr(0, colon);
    url.port = text.substr(colon + 1);
  }
  if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
  if (url.host.empty()) return std::nullopt;
  return url;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(byte)) {
      encoded += c;
    } else {
      encoded += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return encoded;
}

}  // namespace hotrow
