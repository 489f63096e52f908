#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "hotrow/base/hash.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/postgres/pg_store.hpp"
#include "hotrow/sqlite/sqlite_store.hpp"
#include "hotrow/store/memory_store.hpp"

// The engine in process: one promotion, distinct users, a fixed number of commands outstanding. Prints
// entries a second, as a number alone, for script/bench.
//
//   engine_bench memory:|sqlite:PATH|postgres://... [seconds] [outstanding]
namespace hotrow {
namespace {

using std::chrono::steady_clock;

Result<std::unique_ptr<Store>> open_store(const std::string& url) {
  if (url == "memory:") return open_memory_store();
  if (url.starts_with("sqlite:")) return open_sqlite_store({.path = url.substr(7)});
  const PostgresOptions options{.url = url, .lock_timeout = EngineOptions{}.lock_wait};
  if (auto migrated = migrate_postgres(options); !migrated) return failure(migrated.error());
  return open_postgres_store(options);
}

/// Keeps `outstanding` commands in the engine until the time is over, and counts the answers.
class Load {
 public:
  Load(Engine& engine, std::string promotion, std::size_t outstanding)
      : engine_(engine), promotion_(std::move(promotion)), outstanding_(outstanding), run_(random_hex(4)) {}

  double entries_per_second(std::chrono::seconds duration) {
    const auto start = steady_clock::now();
    until_ = start + duration;
    for (std::size_t i = 0; i < outstanding_; ++i) enter();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return done_ == outstanding_; });
    const std::chrono::duration<double> took = steady_clock::now() - start;
    if (failed_ > 0) std::fprintf(stderr, "%zu commands failed\n", std::size_t(failed_));
    return double(accepted_) / took.count();
  }

 private:
  void enter() {
    const std::size_t n = next_.fetch_add(1);
    Command command{.envelope = {.actor = "bench"}, .body = EnterPromotion{promotion_, user(n)}};
    command.envelope.request_id = "01HZX3" + run_ + std::to_string(10'000'000 + n);
    engine_.submit(std::move(command), [this](Result<Reply> reply) {
      (reply ? accepted_ : failed_).fetch_add(1);
      if (reply && steady_clock::now() < until_) return enter();
      const std::lock_guard lock(mutex_);
      if (++done_ == outstanding_) idle_.notify_one();
    });
  }

  /// Random and of real length: ids do not arrive in the order of the index.
  std::string user(std::size_t n) const {
    const std::uint64_t mixed = (n + 1) * 0x9E3779B97F4A7C15ULL;
    char text[48];
    std::snprintf(text, sizeof text, "%016llx-%s-%zu", static_cast<unsigned long long>(mixed), run_.c_str(),
                  n);
    return text;
  }

  Engine& engine_;
  std::string promotion_;
  std::size_t outstanding_;
  std::string run_;
  steady_clock::time_point until_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> accepted_ = 0;
  std::atomic<std::size_t> failed_ = 0;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t done_ = 0;
};

Command create(const std::string& promotion) {
  PromotionSettings settings{.title = "Bench", .rule = NthRule{{1000}}};
  return {.envelope = {.actor = "bench"},
          .body = PutPromotion{.promotion = promotion,
                               .settings = std::make_shared<const PromotionSettings>(std::move(settings))}};
}

int run(const std::string& url, int seconds, std::size_t outstanding) {
  Result<std::unique_ptr<Store>> store = open_store(url);
  if (!store) {
    std::fprintf(stderr, "%s: %s\n", store.error().code.c_str(), store.error().detail.c_str());
    return 1;
  }
  Observer observer;
  auto engine = Engine::start(**store, {}, observer);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().detail.c_str());
    return 1;
  }
  const std::string promotion = "bench-" + random_hex(4);
  (*engine)->submit(create(promotion), [](Result<Reply>) {});
  std::printf("%.0f\n",
              Load(**engine, promotion, outstanding).entries_per_second(std::chrono::seconds(seconds)));
  return 0;
}

}  // namespace
}  // namespace hotrow

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: engine_bench memory:|sqlite:PATH|postgres://... [seconds] [outstanding]\n");
    return 2;
  }
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 5;
  const int outstanding = argc > 3 ? std::atoi(argv[3]) : 4096;
  return hotrow::run(argv[1], seconds, std::size_t(outstanding));
}
