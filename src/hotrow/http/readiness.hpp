#pragma once

#include <atomic>

namespace hotrow::http {

/// Whether a load balancer should send requests here. One failed check may be chance; three in a row are not,
/// and one success ends the doubt. Safe from all threads.
class Readiness {
 public:
  static constexpr int failures_max = 3;

  void record_success() { failures_ = 0; }
  void record_failure() {
    if (failures_ < failures_max) ++failures_;
  }
  void begin_drain() { draining_ = true; }

  bool is_draining() const { return draining_; }
  bool store_answers() const { return failures_ < failures_max; }
  bool is_ready() const { return !is_draining() && store_answers(); }

 private:
  std::atomic<int> failures_ = 0;
  std::atomic<bool> draining_ = false;
};

}  // namespace hotrow::http
