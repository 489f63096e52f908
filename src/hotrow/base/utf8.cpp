#include "hotrow/base/utf8.hpp"

#include <cstdint>

namespace hotrow {
namespace {

struct Lead {
  std::size_t length;           ///< Bytes of the whole sequence; 0 for a byte that cannot lead.
  std::uint32_t bits;           ///< The lead's own part of the code point.
  std::uint32_t smallest_code;  ///< Anything smaller is an overlong form.
};

Lead classify(unsigned char c) {
  if (c < 0x80) return {1, c, 0};
  if ((c & 0xE0) == 0xC0) return {2, c & 0x1Fu, 0x80};
  if ((c & 0xF0) == 0xE0) return {3, c & 0x0Fu, 0x800};
  if ((c & 0xF8) == 0xF0) return {4, c & 0x07u, 0x10000};
  return {0, 0, 0};
}

constexpr std::uint32_t malformed = 0xFFFFFFFF;

/// Takes one code point off the front of `text`, which is not empty; `malformed` when it is none.
std::uint32_t take_code_point(std::string_view& text) {
  const Lead lead = classify(static_cast<unsigned char>(text.front()));
  if (lead.length == 0 || text.size() < lead.length) return malformed;
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) return malformed;
    code = (code << 6) | (c & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.smallest_code || surrogate || code > 0x10FFFF) return malformed;
  text.remove_prefix(lead.length);
  return code;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    if (take_code_point(text) == malformed) return false;
  }
  return true;
}

bool is_valid_id(std::string_view text) {
  if (text.empty() || text.size() > id_bytes_max) return false;
  while (!text.empty()) {
    const std::uint32_t code = take_code_point(text);
    const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
    if (code == malformed || control) return false;
  }
  return true;
}

}  // namespace hotrow
