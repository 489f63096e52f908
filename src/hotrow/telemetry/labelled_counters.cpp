#include "hotrow/telemetry/labelled_counters.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace hotrow {
namespace {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> latest = 0;
  return ++latest;
}

/// A counter that this thread found lately.
struct Found {
  std::uint64_t owner = 0;
  std::string first;
  std::string second;
  prometheus::Counter* counter = nullptr;
};

constexpr std::size_t found_max = 16;

/// The one place where a pair is remembered: "201" and "200", "accepted" and "already" lie apart.
std::size_t place(std::uint64_t owner, std::string_view first, std::string_view second) {
  const auto last = static_cast<unsigned char>(second.empty() ? '\0' : second.back());
  return (owner + first.size() + second.size() + last) % found_max;
}

}  // namespace

LabelledCounters::LabelledCounters(prometheus::Registry& registry, const Description& description)
    : identity_(next_identity()),
      family_(prometheus::BuildCounter().Name(description.name).Help(description.help).Register(registry)),
      first_label_(description.first_label),
      second_label_(description.second_label) {}

void LabelledCounters::count(std::string_view first, std::string_view second) {
  thread_local std::array<Found, found_max> lately;
  Found& found = lately.at(place(identity_, first, second));
  if (found.owner != identity_ || found.first != first || found.second != second) {
    found = {identity_, std::string(first), std::string(second), &find_or_add(first, second)};
  }
  found.counter->Increment();
}

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
