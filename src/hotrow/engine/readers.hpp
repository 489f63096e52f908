#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "hotrow/base/result.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// A few threads, each with a reading session of its own, for questions that must not wait on a writer's
/// connection. Safe from all threads.
class Readers {
 public:
  /// A question. Runs on a reader's thread; must not throw.
  using Job = std::function<void(Queries&)>;

  struct Options {
    std::size_t threads = 2;
    std::size_t queue_max = 4'096;
  };

  /// Opens all sessions; fails when the store does.
  static Result<std::unique_ptr<Readers>> start(Store& store, const Options& options);
  ~Readers();  ///< Finishes what was taken.

  /// False when the queue is full or draining: the job will not run. Never blocks.
  [[nodiscard]] bool submit(Job job);

  /// Refuses new jobs, finishes those taken. Harmless to repeat.
  void drain();

 private:
  class Pool;
  explicit Readers(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool_;
};

}  // namespace hotrow
