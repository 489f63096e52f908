#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace hotrow {

/// What is known of a run's latencies: all of them, because there are few enough to keep. A value.
class Latencies {
 public:
  void add(std::chrono::microseconds latency) { all_.push_back(latency); }

  /// The share's quantile of those from `from` on.
  std::chrono::microseconds quantile(double share, std::size_t from) const {
    std::vector<std::chrono::microseconds> part(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.end());
    if (part.empty()) return {};
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(part.size() - 1));
    std::ranges::nth_element(part, part.begin() + static_cast<std::ptrdiff_t>(rank));
    return part[rank];
  }

  std::size_t size() const { return all_.size(); }

 private:
  std::vector<std::chrono::microseconds> all_;
};

}  // namespace hotrow
