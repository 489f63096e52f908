#include "hotrow/http/members.hpp"

#include <algorithm>
#include <span>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/utf8.hpp"

namespace hotrow::http {
namespace {

namespace json = boost::json;

constexpr std::string_view not_an_integer =
    "must be an integer without fraction or exponent, at most 9007199254740991";

std::size_t count_characters(std::string_view text) {
  return std::size_t(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// U+0000 to U+001F, U+007F and U+0080 to U+009F, in valid UTF-8.
bool has_control_character(std::string_view text, bool lines_allowed) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (lines_allowed && (c == '\n' || c == '\r' || c == '\t')) continue;
    if (c < 0x20 || c == 0x7F) return true;
    if (c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

}  // namespace

std::optional<std::int64_t> read_integer(const json::value& value, const IntegerRange& range,
                                         const std::string& field, FieldErrors& errors) {
  if (!value.is_int64()) {
    errors.add(field, std::string(not_an_integer));
    return std::nullopt;
  }
  const std::int64_t number = value.get_int64();
  if (number >= range.min && number <= range.max) return number;
  errors.add(field, "must be from " + std::to_string(range.min) + " to " + std::to_string(range.max));
  return std::nullopt;
}

std::optional<std::string> read_id(const json::value& value, const std::string& field, FieldErrors& errors) {
  if (!value.is_string()) {
    errors.add(field, "must be a string");
    return std::nullopt;
  }
  if (is_valid_id(view(value.get_string()))) return std::string(value.get_string());
  errors.add(field, "must be 1 to 128 bytes of UTF-8 without control characters");
  return std::nullopt;
}

bool is_currency(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= 16 && std::ranges::all_of(text, fits);
}

const json::value* Members::take(std::string_view name, Presence presence) {
  HOTROW_ASSERT(asked_count_ < members_max);
  asked_[asked_count_++] = name;
  const json::value* value = object_.if_contains(name);
  if (value == nullptr) {
    if (presence == Presence::required) error(name, "is required");
    return nullptr;
  }
  if (value->is_null() && presence == Presence::optional) return nullptr;
  return value;
}

std::optional<std::int64_t> Members::integer(std::string_view name, Presence presence,
                                             const IntegerRange& range) {
  const json::value* value = take(name, presence);
  return value != nullptr ? read_integer(*value, range, field(name), errors_) : std::nullopt;
}

std::optional<std::string> Members::text(std::string_view name, Presence presence, const TextLimits& limits) {
  const json::value* value = take(name, presence);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    error(name, "must be a string");
    return std::nullopt;
  }
  const std::string_view content = view(value->get_string());
  const std::size_t characters = count_characters(content);
  if (characters < limits.characters_min || characters > limits.characters_max) {
    error(name, "must have " + std::to_string(limits.characters_min) + " to " +
                    std::to_string(limits.characters_max) + " characters");
    return std::nullopt;
  }
  if (has_control_character(content, limits.lines)) {
    error(name, "must not have control characters");
    return std::nullopt;
  }
  return std::string(content);
}

std::optional<std::string> Members::id(std::string_view name, Presence presence) {
  const json::value* value = take(name, presence);
  return value != nullptr ? read_id(*value, field(name), errors_) : std::nullopt;
}

std::optional<Owner> Members::owner(std::string_view name) {
  const json::value* value = take(name, Presence::required);
  if (value == nullptr) return std::nullopt;
  std::optional<Owner> owner =
      value->is_string() ? owner_from_string(view(value->get_string())) : std::nullopt;
  if (owner && is_valid_id(owner->id)) return owner;
  error(name, "must be player:<id> or guild:<id>, the id 1 to 128 bytes of UTF-8 without control characters");
  return std::nullopt;
}

std::string Members::currency() {
  const json::value* value = take("currency", Presence::optional);
  if (value == nullptr) return std::string(default_currency);
  if (value->is_string() && is_currency(view(value->get_string()))) return std::string(value->get_string());
  error("currency", std::string(not_a_currency));
  return std::string(default_currency);
}

std::optional<Timestamp> Members::time(std::string_view name, Presence presence) {
  const json::value* value = take(name, presence);
  if (value == nullptr) return std::nullopt;
  const std::optional<Timestamp> at =
      value->is_string() ? parse_rfc3339(view(value->get_string())) : std::nullopt;
  if (!at) error(name, "must be an RFC 3339 time with an offset, like 2026-12-01T12:00:00+09:00");
  return at;
}

bool Members::flag_or(std::string_view name, bool absent) {
  const json::value* value = take(name, Presence::optional);
  if (value == nullptr) return absent;
  if (value->is_bool()) return value->get_bool();
  error(name, "must be true or false");
  return absent;
}

const json::object* Members::object(std::string_view name, Presence presence) {
  const json::value* value = take(name, presence);
  if (value == nullptr) return nullptr;
  if (value->is_object()) return &value->get_object();
  error(name, "must be an object");
  return nullptr;
}

const json::array* Members::array(std::string_view name) {
  const json::value* value = take(name, Presence::required);
  if (value == nullptr) return nullptr;
  if (value->is_array()) return &value->get_array();
  error(name, "must be an array");
  return nullptr;
}

bool Members::has(std::string_view name) const {
  const json::value* value = object_.if_contains(name);
  return value != nullptr && !value->is_null();
}

void Members::refuse_others() {
  const std::span asked(asked_.data(), asked_count_);
  for (const auto& member : object_) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::ranges::find(asked, name) == asked.end()) error(name, "is not a known member");
  }
}

}  // namespace hotrow::http
