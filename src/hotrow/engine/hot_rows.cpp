#include "hotrow/engine/hot_rows.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow {

void HotRows::publish(const Key& key, const Row& row, const Pressure& pressure, Timestamp now,
                      SteadyTime read_at) {
  seen_.with([&](auto& seen) {
    if (seen.size() >= rows_max && !seen.contains(key)) seen.clear();
    seen.insert_or_assign(key, Seen{.row = row, .pressure = pressure, .now = now, .read_at = read_at});
    HOTROW_ASSERT(seen.size() <= rows_max);
  });
}

HotRows::Reception HotRows::receive(const Command& command, const Keys& hot_keys, SteadyTime at,
                                    std::chrono::milliseconds window) const {
  return seen_.with([&](const auto& rows) -> Reception {
    const auto found = rows.find(hot_keys.front());
    if (found == rows.end()) return {};
    const Seen& seen = found->second;
    const auto age = std::chrono::duration_cast<std::chrono::microseconds>(at - seen.read_at);
    if (age < std::chrono::microseconds(0) || age > age_max) return {};
    const Timestamp now = seen.now + age;
    if (seen.pressure.bid_window_ms) window = std::chrono::milliseconds(*seen.pressure.bid_window_ms);
    Reception reception{.gathers = gather_time(command, seen.row, now, window),
                        .queue_max = seen.pressure.queue_max};
    if (hot_keys.size() == 1) reception.early = early_answer(command, seen.row, now, margin);
    return reception;
  });
}

}  // namespace hotrow
