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

template <class T, class F>
T HotRows::look(const Key& key, SteadyTime at, F&& use) const {
  return seen_.with([&](const auto& seen) -> T {
    const auto found = seen.find(key);
    if (found == seen.end()) return T();
    const auto age = std::chrono::duration_cast<std::chrono::microseconds>(at - found->second.read_at);
    if (age < std::chrono::microseconds(0) || age > age_max) return T();
    return use(found->second.row, found->second.now + age);
  });
}

std::optional<Answer> HotRows::early_answer(const Command& command, const Keys& hot_keys,
                                            SteadyTime at) const {
  if (hot_keys.size() != 1) return std::nullopt;
  return look<std::optional<Answer>>(hot_keys.front(), at, [&](const Row& row, Timestamp now) {
    return hotrow::early_answer(command, row, now, margin);
  });
}

std::chrono::milliseconds HotRows::gather_time(const Command& command, const Keys& hot_keys, SteadyTime at,
                                               std::chrono::milliseconds window) const {
  return look<std::chrono::milliseconds>(hot_keys.front(), at, [&](const Row& row, Timestamp now) {
    return hotrow::gather_time(command, row, now, window);
  });
}

}  // namespace hotrow
