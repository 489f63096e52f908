#include "hotrow/engine/readers.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "hotrow/base/assert.hpp"

namespace hotrow {

class Readers::Pool {
 public:
  explicit Pool(std::size_t queue_max) : queue_max_(queue_max) {}

  Result<void> open(Store& store, std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      Result<std::unique_ptr<Queries>> session = store.open_queries();
      if (!session) return failure(std::move(session.error()));
      sessions_.push_back(std::move(*session));
    }
    for (const auto& session : sessions_) {
      threads_.emplace_back([this, queries = session.get()] { serve(*queries); });
    }
    return {};
  }

  bool submit(Job job) {
    HOTROW_ASSERT(job != nullptr);
    {
      const std::lock_guard lock(mutex_);
      if (draining_ || jobs_.size() >= queue_max_) return false;
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
  }

  void drain() {
    {
      const std::lock_guard lock(mutex_);
      draining_ = true;
    }
    wake_.notify_all();
    threads_.clear();  // Joins.
  }

 private:
  void serve(Queries& queries) {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return draining_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job(queries);
      lock.lock();
    }
  }

  std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool draining_ = false;
  std::vector<std::unique_ptr<Queries>> sessions_;
  std::vector<std::jthread> threads_;
};

Readers::Readers(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}

Readers::~Readers() { drain(); }

Result<std::unique_ptr<Readers>> Readers::start(Store& store, const Options& options) {
  auto pool = std::make_unique<Pool>(options.queue_max);
  if (Result<void> opened = pool->open(store, options.threads); !opened) {
    return failure(std::move(opened.error()));
  }
  return std::unique_ptr<Readers>(new Readers(std::move(pool)));
}

bool Readers::submit(Job job) { return pool_->submit(std::move(job)); }

void Readers::drain() { pool_->drain(); }

}  // namespace hotrow
