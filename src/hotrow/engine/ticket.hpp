#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hotrow/core/command.hpp"
#include "hotrow/engine/engine.hpp"

namespace hotrow {

/// A command on its way through the engine. Owned by exactly one queue or batch at a time, until it is
/// answered, once.
struct Ticket {
  Command command;
  ReplyFunction reply;
  Keys hot_keys;
  std::shared_ptr<const Share> share;  ///< nullptr for commands without one.
  std::size_t weight = 1;
  std::uint64_t sequence = 0;  ///< Order of arrival in the lane.
  SteadyTime arrived{};
  std::chrono::milliseconds gathers{0};   ///< How long it waits for others for its row (engine/windows.hpp).
  std::optional<std::int64_t> queue_max;  ///< How many may wait for its row here, by a policy.
  /// When the command's patience with strangers' locks ends; set before its first attempt.
  std::optional<SteadyTime> lock_deadline;
};

using Tickets = std::vector<std::unique_ptr<Ticket>>;

}  // namespace hotrow
