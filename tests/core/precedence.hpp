#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/core/market_world.hpp"

namespace hotrow::test {

/// Something that makes a command be refused. Applied to a world and to the command alone, so that several of
/// them can stand in the way of one command.
struct Obstacle {
  RejectionCode code;
  std::function<void(MarketWorld& world, Command& command)> put;
};

/// Tries the command in `base` without any of them, with each one, and with each two: of two, the one that
/// stands first in `obstacles` is told. They are put up from the last to the first.
void expect_precedence(const MarketWorld& base, const Command& command,
                       const std::vector<Obstacle>& obstacles);

/// Obstacles that several commands meet.
Obstacle key_used_before();
Obstacle paused_market();

}  // namespace hotrow::test
