#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace hotrow {

/// Counters of one family told apart by two labels, whose values come from small fixed sets. A thread that
/// counts the same few pairs over and over takes no lock and builds no string. Safe from all threads.
class LabelledCounters {
 public:
  struct Description {
    std::string name;
    std::string help;
    std::string first_label;
    std::string second_label;
  };

  LabelledCounters(prometheus::Registry& registry, const Description& description);

  void count(std::string_view first, std::string_view second);

 private:
  using Pair = std::tuple<std::string, std::string>;
  using PairView = std::tuple<std::string_view, std::string_view>;
  struct Less {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard calls it so.
    bool operator()(const PairView& a, const PairView& b) const { return a < b; }
  };

  prometheus::Counter& find_or_add(std::string_view first, std::string_view second);

  const std::uint64_t identity_;  ///< Of this object among all that ever were: an address can come again.
  prometheus::Family<prometheus::Counter>& family_;
  std::string first_label_;
  std::string second_label_;
  std::shared_mutex mutex_;
  std::map<Pair, prometheus::Counter*, Less> counters_;
};

}  // namespace hotrow
