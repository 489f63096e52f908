#include "hotrow/http/cursor.hpp"

#include <charconv>

#include "hotrow/base/hash.hpp"

namespace hotrow::http {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t seal_bytes = 8;

/// The list's hash. Frozen: a cursor outlives the server that made it.
std::string seal(std::string_view list, std::string_view position) {
  std::uint64_t hash = frozen_hash(position, frozen_hash(list));
  std::string bytes;
  for (std::size_t i = 0; i < seal_bytes; ++i, hash >>= 8) bytes += static_cast<char>(hash & 255);
  return bytes;
}

std::string base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += alphabet[(bits >> (count - 6)) & 63];
  }
  if (count > 0) text += alphabet[(bits << (6 - count)) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = alphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255);
  }
  const bool is_whole = count < 6 && (bits & ((1U << count) - 1)) == 0;  // One text for the same bytes.
  if (!is_whole) return std::nullopt;
  return bytes;
}

}  // namespace

std::string encode_cursor(std::string_view list, std::string_view position) {
  return base64url(seal(list, position) + std::string(position));
}

std::string encode_cursor(std::string_view list, std::int64_t position) {
  return encode_cursor(list, std::to_string(position));
}

std::optional<std::string> decode_cursor(std::string_view list, std::string_view cursor) {
  const std::optional<std::string> bytes = from_base64url(cursor);
  if (!bytes || bytes->size() < seal_bytes) return std::nullopt;
  std::string position = bytes->substr(seal_bytes);
  if (bytes->substr(0, seal_bytes) != seal(list, position)) return std::nullopt;
  return position;
}

std::optional<std::int64_t> decode_number_cursor(std::string_view list, std::string_view cursor) {
  const std::optional<std::string> text = decode_cursor(list, cursor);
  if (!text) return std::nullopt;
  std::int64_t position = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), position);
  if (error != std::errc() || end != text->data() + text->size() || position < 0) return std::nullopt;
  return position;
}

}  // namespace hotrow::http
