#include "hotrow/telemetry/labelled_counters.hpp"

#include <mutex>

namespace hotrow {

LabelledCounters::LabelledCounters(prometheus::Registry& registry, const Description& description)
    : family_(prometheus::BuildCounter().Name(description.name).Help(description.help).Register(registry)),
      first_label_(description.first_label),
      second_label_(description.second_label) {}

prometheus::Counter& LabelledCounters::find_or_add(std::string_view first, std::string_view second) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = counters_.find(PairView(first, second)); found != counters_.end()) {
      return *found->second;
    }
  }
  Pair pair{first, second};
  prometheus::Counter& counter =
      family_.Add({{first_label_, std::get<0>(pair)}, {second_label_, std::get<1>(pair)}});
  const std::unique_lock lock(mutex_);
  counters_.try_emplace(std::move(pair), &counter);
  return counter;
}

}  // namespace hotrow
