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

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && starts_with_ignoring_case(text, lower);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

enum class Weak : std::uint8_t { never, like_strong };

/// 0 for what no version is.
std::int64_t version_of(std::string_view tag) {
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), version);
  return error == std::errc() && end == tag.data() + tag.size() && version > 0 ? version : 0;
}

/// A list of entity tags with commas between, at least one.
std::optional<VersionTags> version_tags(std::string_view value, Weak weak) {
  value = trimmed(value);
  if (value == "*") return VersionTags{.any = true};
  VersionTags found;
  bool has_tag = false;
  while (!value.empty()) {
    if (value.front() != ',') {
      const bool is_weak = value.starts_with("W/");
      if (is_weak) value.remove_prefix(2);
      const std::size_t end = value.find('"', 1);
      if (!value.starts_with('"') || end == std::string_view::npos) return std::nullopt;
      const std::string_view tag = value.substr(1, end - 1);
      if (tag.find_first_of(" \t") != std::string_view::npos) return std::nullopt;
      const std::int64_t version = version_of(tag);
      if (version > 0 && (!is_weak || weak == Weak::like_strong)) found.versions.push_back(version);
      has_tag = true;
      value = trimmed(value.substr(end + 1));
      if (!value.empty() && value.front() != ',') return std::nullopt;
    }
    if (!value.empty()) value = trimmed(value.substr(1));
  }
  return has_tag ? std::optional(std::move(found)) : std::nullopt;
}

struct Parameter {
  std::string_view name;
  std::string_view value;  ///< Without its quotes.
};

/// Takes the next parameter of a media type: `text` begins before its ";".
std::optional<Parameter> take_parameter(std::string_view& text) {
  const std::size_t start = text.find(';');
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + 1);
  std::size_t end = 0;
  for (bool quoted = false; end < text.size() && (quoted || text[end] != ';'); ++end) {
    if (text[end] == '"') quoted = !quoted;
  }
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end);
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return Parameter{.name = trimmed(part), .value = {}};
  std::string_view value = trimmed(part.substr(equals + 1));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return Parameter{.name = trimmed(part.substr(0, equals)), .value = value};
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

std::optional<VersionTags> if_match(std::string_view value) { return version_tags(value, Weak::never); }

std::optional<VersionTags> if_none_match(std::string_view value) {
  return version_tags(value, Weak::like_strong);
}

bool is_json(std::string_view content_type) {
  const std::string_view type = trimmed(content_type.substr(0, content_type.find(';')));
  if (type.empty()) return content_type.empty();
  if (!equals_ignoring_case(type, "application/json")) return false;
  while (std::optional<Parameter> parameter = take_parameter(content_type)) {
    if (!equals_ignoring_case(parameter->name, "charset")) continue;
    if (!equals_ignoring_case(parameter->value, "utf-8")) return false;
  }
  return true;
}

bool is_identity(std::string_view content_encoding) {
  return content_encoding.empty() || equals_ignoring_case(content_encoding, "identity");
}

bool is_host(std::string_view value) {
  return std::ranges::all_of(value, [](char c) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_plain || std::string_view("-._~%!$&'()*+,;=:[]").find(c) != std::string_view::npos;
  });
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
