#pragma once

#include <cstdint>
#include <optional>

namespace hotrow {

/// The largest amount or ordinal: what a JSON number carries exactly everywhere (2^53 - 1, RFC 8259 section
/// 6).
inline constexpr std::int64_t integer_max = 9007199254740991;

/// Arithmetic that says so when the result does not fit 64 bits.
inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace hotrow
