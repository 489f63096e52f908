#pragma once

#include <chrono>
#include <cstdint>

namespace hotrow {

/// How long a batch waits before attempt `tries` + 1: nothing after the first failure, then 20 ms x 2^n, at
/// most 1.28 s, each reduced by a share of itself that `chance` (any number) picks, so that servers which
/// collided do not collide again in step.
constexpr std::chrono::milliseconds backoff(int tries, std::uint64_t chance) {
  if (tries <= 1) return std::chrono::milliseconds(0);
  const int doublings = tries - 2 < 6 ? tries - 2 : 6;
  const std::int64_t full = std::int64_t{20} << doublings;
  return std::chrono::milliseconds(full / 2 +
                                   static_cast<std::int64_t>(chance % std::uint64_t(full / 2 + 1)));
}

}  // namespace hotrow
