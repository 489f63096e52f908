#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hotrow {

/// Who comes, and in which order they press the button.
struct StampedePlan {
  std::vector<std::string> users;
  std::vector<std::uint32_t> requests;  ///< Indexes into users, in the order of sending.
};

struct StampedePlanOptions {
  std::size_t users = 0;
  double repeat_share = 0;  ///< Of the users: half press twice at the same moment, half come again later.
  std::uint64_t seed = 0;   ///< The same seed gives the same plan.
};

StampedePlan plan_stampede(const StampedePlanOptions& options);

}  // namespace hotrow
