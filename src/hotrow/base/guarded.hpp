#pragma once

#include <mutex>
#include <utility>

namespace hotrow {

/// A value that can only be reached while its mutex is held. Safe from all threads.
/// `with` calls out under the lock: keep the callable short and never call back into the owner from it.
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <class F>
  decltype(auto) with(F&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

  template <class F>
  decltype(auto) with(F&& use) const {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace hotrow
