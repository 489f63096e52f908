#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotrow {

/// An instant: microseconds since 1970-01-01T00:00:00Z. The only form of wall time in the program and in
/// every store; two stores that kept different precisions would decide the same bid differently.
struct Timestamp {
  std::int64_t micros = 0;

  friend constexpr auto operator<=>(Timestamp, Timestamp) = default;
  friend constexpr Timestamp operator+(Timestamp at, std::chrono::microseconds by) {
    return {at.micros + by.count()};
  }
  friend constexpr Timestamp operator-(Timestamp at, std::chrono::microseconds by) {
    return {at.micros - by.count()};
  }
  friend constexpr std::chrono::microseconds operator-(Timestamp a, Timestamp b) {
    return std::chrono::microseconds(a.micros - b.micros);
  }
};

/// For budgets and deadlines; never stored, never compared between processes.
using SteadyTime = std::chrono::steady_clock::time_point;

/// This machine's wall clock. The one place that reads it; deciding uses the store's clock instead.
Timestamp wall_clock_now();

/// RFC 3339 with an offset ("Z", "+09:00"), years 0001 to 9999. A date without a time or a time without an
/// offset is refused, as is second 60. Digits past microseconds are cut.
std::optional<Timestamp> parse_rfc3339(std::string_view text);

/// "2026-12-01T03:00:00.000000Z": always UTC, always six digits, so that texts sort as times do.
std::string format_rfc3339(Timestamp at);

}  // namespace hotrow
