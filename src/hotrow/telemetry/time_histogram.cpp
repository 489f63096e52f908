#include "hotrow/telemetry/time_histogram.hpp"

#include <algorithm>
#include <limits>

namespace hotrow {

void TimeHistogram::observe(std::chrono::microseconds time) {
  const auto bound = std::ranges::lower_bound(time_bounds_us, time.count());
  const auto bucket = static_cast<std::size_t>(bound - time_bounds_us.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_us_.fetch_add(time.count(), std::memory_order_relaxed);
}

std::vector<prometheus::MetricFamily> TimeHistogram::Collect() const {
  prometheus::ClientMetric metric;
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    below += counts_[bucket].load(std::memory_order_relaxed);
    const double bound = bucket < time_bounds_us.size() ? static_cast<double>(time_bounds_us[bucket]) / 1e6
                                                        : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({below, bound});
  }
  metric.histogram.sample_count = below;
  metric.histogram.sample_sum = static_cast<double>(sum_us_.load(std::memory_order_relaxed)) * 1e-6;
  return {{name_, help_, prometheus::MetricType::Histogram, {metric}}};
}

}  // namespace hotrow
