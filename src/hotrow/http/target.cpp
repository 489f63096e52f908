#include "hotrow/http/target.hpp"

#include <algorithm>

#include "hotrow/base/utf8.hpp"

namespace hotrow::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::optional<std::string> decode_parameter(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, '+', ' ');
  std::optional<std::string> decoded = percent_decode(blanks);
  if (decoded && !is_valid_utf8(*decoded)) return std::nullopt;
  return decoded;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    encoded += '%';
    encoded += hex[static_cast<unsigned char>(c) >> 4];
    encoded += hex[static_cast<unsigned char>(c) & 15];
  }
  return encoded;
}

Target split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {.path = target, .query = {}};
  return {.path = target.substr(0, mark), .query = target.substr(mark + 1)};
}

std::optional<QueryParameters> parse_query(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::string_view name = pair.substr(0, pair.find('='));
    const std::string_view value = pair.substr(std::min(pair.size(), name.size() + 1));
    std::optional<std::string> decoded_name = decode_parameter(name);
    std::optional<std::string> decoded_value = decode_parameter(value);
    if (!decoded_name || !decoded_value) return std::nullopt;
    parameters.emplace_back(std::move(*decoded_name), std::move(*decoded_value));
  }
  return parameters;
}

}  // namespace hotrow::http
