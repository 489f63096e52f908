#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hotrow {

/// Upper bounds of the buckets: from a lock that nobody else wants to a request that ran into its deadline.
inline constexpr std::array<std::int64_t, 15> time_bounds_us{
    100,    250,     500,     1'000,   2'500,     5'000,     10'000,    25'000,
    50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

/// A histogram of times that is fed once a request, without a lock. Safe from all threads.
class TimeHistogram final : public prometheus::Collectable {
 public:
  TimeHistogram(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {}

  void observe(std::chrono::microseconds time);

  /// One family. The parts are read one after the other: a time observed meanwhile may be in some of them.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  std::string name_;
  std::string help_;
  std::array<std::atomic<std::uint64_t>, time_bounds_us.size() + 1>
      counts_{};  ///< The last: above all bounds.
  std::atomic<std::int64_t> sum_us_ = 0;
};

}  // namespace hotrow
