#pragma once

#include <chrono>
#include <optional>
#include <unordered_map>

#include "hotrow/base/guarded.hpp"
#include "hotrow/core/decide.hpp"

namespace hotrow {

/// The latest committed state of hot rows that this process has seen, for answers that need no lock and no
/// look-up. It only ever follows the database: an entry is at most `age_max` old or it is not used, so a
/// change made through another server is seen after that time at the latest. Safe from all threads.
class HotRows {
 public:
  static constexpr std::chrono::milliseconds age_max{1'000};
  /// An answer must not depend on how well two clocks agree to within this.
  static constexpr std::chrono::milliseconds margin{200};

  /// `pressure` is core's pressure_on() the row; `now` the store's clock at the steady time `read_at`.
  void publish(const Key& key, const Row& row, const Pressure& pressure, Timestamp now, SteadyTime read_at);

  /// What is known of a command as it comes in, before it joins any queue.
  struct Reception {
    std::optional<Answer> early;           ///< Core's early_answer().
    std::chrono::milliseconds gathers{0};  ///< Core's gather_time().
    std::optional<std::int64_t> queue_max;
  };
  /// Nothing for a row that was not seen lately. `window` is the one where no policy names one.
  Reception receive(const Command& command, const Keys& hot_keys, SteadyTime at,
                    std::chrono::milliseconds window) const;

 private:
  static constexpr std::size_t rows_max = 4'096;

  struct Seen {
    Row row;
    Pressure pressure;
    Timestamp now;
    SteadyTime read_at;
  };

  Guarded<std::unordered_map<Key, Seen, KeyHash>> seen_;
};

}  // namespace hotrow
