#include "hotrow/engine/hot_rows.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow {

void HotRows::publish(const Key& key, const Row& row, Timestamp now, SteadyTime read_at) {
  seen_.with([&](auto& seen) {
    if (seen.size() >= rows_max && !seen.contains(key)) seen.clear();
    seen.insert_or_assign(key, Seen{.row = row, .now = now, .read_at = read_at});
    HOTROW_ASSERT(seen.size() <= rows_max);
  });
}

std::optional<Answer> HotRows::early_answer(const Command& command, const Keys& hot_keys,
                                            SteadyTime at) const {
  if (hot_keys.size() != 1) return std::nullopt;
  return seen_.with([&](const auto& seen) -> std::optional<Answer> {
    const auto found = seen.find(hot_keys.front());
    if (found == seen.end()) return std::nullopt;
    const auto age = std::chrono::duration_cast<std::chrono::microseconds>(at - found->second.read_at);
    if (age < std::chrono::microseconds(0) || age > age_max) return std::nullopt;
    return hotrow::early_answer(command, found->second.row, found->second.now + age, margin);
  });
}

}  // namespace hotrow
