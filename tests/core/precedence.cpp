#include "tests/core/precedence.hpp"

#include <gtest/gtest.h>

namespace hotrow::test {
namespace {

std::string hear(MarketWorld world, Command command, const std::vector<const Obstacle*>& put) {
  for (const Obstacle* obstacle : put) obstacle->put(world, command);
  return world.hear(command);
}

std::string name(const Obstacle& obstacle) { return std::string(traits(obstacle.code).code); }

}  // namespace

void expect_precedence(const MarketWorld& base, const Command& command,
                       const std::vector<Obstacle>& obstacles) {
  EXPECT_EQ(hear(base, command, {}), "ok");
  for (std::size_t first = 0; first < obstacles.size(); ++first) {
    EXPECT_EQ(hear(base, command, {&obstacles[first]}), name(obstacles[first]));
    for (std::size_t second = first + 1; second < obstacles.size(); ++second) {
      EXPECT_EQ(hear(base, command, {&obstacles[second], &obstacles[first]}), name(obstacles[first]))
          << "with " << name(obstacles[second]);
    }
  }
}

Obstacle key_used_before() {
  return {RejectionCode::idempotency_key_reused, [](MarketWorld& world, Command& command) {
            const Owner owner{.kind = OwnerKind::player, .id = "Z"};
            const Command other = command_of(MoveMoney{.owner = owner, .amount = 1});
            world.hear(with_key(other, "key", "another request"));
            command = with_key(command, "key", "this request");
          }};
}

Obstacle paused_market() {
  return {RejectionCode::market_paused, [](MarketWorld& world, Command&) { world.pause(); }};
}

}  // namespace hotrow::test
