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

  /// `now` is the store's clock at the steady time `read_at`.
  void publish(const Key& key, const Row& row, Timestamp now, SteadyTime read_at);

  /// See core's early_answer().
  std::optional<Answer> early_answer(const Command& command, const Keys& hot_keys, SteadyTime at) const;

  /// See core's gather_time(); 0 for a row that was not seen lately.
  std::chrono::milliseconds gather_time(const Command& command, const Keys& hot_keys, SteadyTime at,
                                        std::chrono::milliseconds window) const;

 private:
  static constexpr std::size_t rows_max = 4'096;

  struct Seen {
    Row row;
    Timestamp now;
    SteadyTime read_at;
  };

  /// Calls `use` with the row and the store's clock as it must be by `at`; T() when the row is not known.
  template <class T, class F>
  T look(const Key& key, SteadyTime at, F&& use) const;

  Guarded<std::unordered_map<Key, Seen, KeyHash>> seen_;
};

}  // namespace hotrow
