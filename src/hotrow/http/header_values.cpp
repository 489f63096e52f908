#include "hotrow/http/header_values.hpp"

#include <algorithm>
#include <charconv>

namespace hotrow::http {
namespace {

constexpr std::size_t idempotency_key_length_max = 255;
constexpr std::size_t request_id_length_max = 128;

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7e; });
}

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && std::ranges::equal(text.substr(0, lower.size()), lower, {}, to_lower);
}

/// The content of a quoted string; only `"` and `\` may be escaped.
std::optional<std::string> unquoted(std::string_view text) {
  std::string content;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? std::optional(content) : std::nullopt;
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != '"' && text[i] != '\\')) return std::nullopt;
    }
    content += text[i];
  }
  return std::nullopt;
}

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_all_zeros(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

}  // namespace

std::optional<std::string_view> bearer_secret(std::string_view authorization) {
  if (!starts_with_ignoring_case(authorization, "bearer ")) return std::nullopt;
  authorization.remove_prefix(7);
  const std::size_t start = authorization.find_first_not_of(' ');
  if (start == std::string_view::npos) return std::nullopt;
  return authorization.substr(start);
}

std::optional<std::string> idempotency_key(std::string_view value) {
  std::optional<std::string> key = value.starts_with('"') ? unquoted(value) : std::string(value);
  if (!key || key->empty() || key->size() > idempotency_key_length_max) return std::nullopt;
  return is_visible(*key) ? key : std::nullopt;
}

std::optional<IfMatch> if_match(std::string_view value) {
  if (value == "*") return IfMatch{.any = true};
  if (value.starts_with("W/")) {
    value.remove_prefix(2);
    const bool is_tag = value.size() >= 2 && value.front() == '"' && value.find('"', 1) == value.size() - 1;
    return is_tag ? std::optional(IfMatch{}) : std::nullopt;  // A weak tag never matches (RFC 9110, 8.8.3.2).
  }
  if (value.size() < 2 || value.front() != '"' || value.find('"', 1) != value.size() - 1) return std::nullopt;
  value = value.substr(1, value.size() - 2);
  IfMatch match;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), match.version);
  const bool is_version = error == std::errc() && end == value.data() + value.size() && match.version > 0;
  return is_version ? match : IfMatch{};
}

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  if (type.empty()) return content_type.empty();
  constexpr std::string_view json = "application/json";
  return type.size() == json.size() && starts_with_ignoring_case(type, json);
}

bool is_request_id(std::string_view value) {
  return !value.empty() && value.size() <= request_id_length_max && is_visible(value);
}

bool is_traceparent(std::string_view value) {
  if (value.size() != 55 || value[2] != '-' || value[35] != '-' || value[52] != '-') return false;
  const std::string_view trace = value.substr(3, 32);
  const std::string_view parent = value.substr(36, 16);
  return value.starts_with("00") && is_lower_hex(trace) && !is_all_zeros(trace) && is_lower_hex(parent) &&
         !is_all_zeros(parent) && is_lower_hex(value.substr(53));
}

bool prefers_html(std::string_view accept) {
  const std::size_t html = accept.find("text/html");
  return html != std::string_view::npos && html < accept.find("json");
}

}  // namespace hotrow::http
