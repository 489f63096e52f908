#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hotrow/base/hash.hpp"
#include "hotrow/sqlite/sqlite_store.hpp"

// The SQLite store alone, without engine or HTTP: entries of one promotion through Transaction, in batches.
//
//   sqlite_store_bench PATH [batch] [entries]
namespace hotrow {
namespace {

using std::chrono::steady_clock;

struct Times {
  std::chrono::duration<double> lock{};
  std::chrono::duration<double> commit{};
};

/// Random and of real length: ids do not arrive in the order of the index.
std::string user(std::int64_t n) {
  char text[48];
  std::snprintf(text, sizeof text, "user-%016llx",
                static_cast<unsigned long long>(std::uint64_t(n) * 0x9E3779B97F4A7C15ULL));
  return text;
}

class Bench {
 public:
  explicit Bench(Transaction& transaction) : transaction_(transaction) {}

  Result<void> create() {
    PromotionSettings settings{.title = "Bench", .rule = NthRule{{1000}}};
    PromotionRow row{.id = promotion_,
                     .settings = std::make_shared<const PromotionSettings>(std::move(settings)),
                     .version = 1};
    const std::vector<RowWrite> writes = {{.key = promotion_key(promotion_), .row = std::move(row)}};
    transaction_.begin(next_attempt());
    if (auto locked = transaction_.lock({}); !locked) return failure(locked.error());
    transaction_.apply(writes);
    return transaction_.commit();
  }

  Result<void> enter(std::int64_t first, std::int64_t count) {
    Keys keys = {promotion_key(promotion_)};
    for (std::int64_t i = 0; i < count; ++i) keys.push_back(entry_key(promotion_, user(first + i)));
    std::sort(keys.begin(), keys.end());
    transaction_.begin(next_attempt());
    const auto start = steady_clock::now();
    const Result<Locked> locked = transaction_.lock(keys);
    if (!locked) return failure(locked.error());
    times_.lock += steady_clock::now() - start;

    auto promotion = std::get<PromotionRow>(*locked->rows[0]);
    std::vector<RowWrite> writes;
    writes.reserve(keys.size());
    writes.push_back({.key = keys[0], .how = RowWrite::How::update});
    for (std::size_t i = 1; i < keys.size(); ++i) {
      EntryRow entry{.promotion = promotion_,
                     .user = keys[i].second,
                     .ordinal = ++promotion.entries,
                     .entered_at = locked->now,
                     .request_id = "01HZX3VB7JQ2M4" + std::to_string(10'000'000 + promotion.entries),
                     .actor = "shop"};
      writes.push_back({.key = keys[i], .row = std::move(entry)});
    }
    writes[0].row = std::move(promotion);
    const auto decided = steady_clock::now();
    transaction_.apply(writes);
    const Result<void> committed = transaction_.commit();
    times_.commit += steady_clock::now() - decided;
    return committed;
  }

  const Times& times() const { return times_; }

 private:
  AttemptOptions next_attempt() { return {.id = {.server = server_, .number = ++attempts_}}; }

  Transaction& transaction_;
  std::string promotion_ = "bench-" + random_hex(4);
  std::string server_ = random_hex(8);
  std::int64_t attempts_ = 0;
  Times times_;
};

int run(const std::string& path, std::int64_t batch, std::int64_t entries) {
  const auto store = open_sqlite_store({.path = path});
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().detail.c_str());
    return 1;
  }
  const auto transaction = (*store)->open_transaction();
  Bench bench(**transaction);
  Result<void> done = bench.create();
  const auto start = steady_clock::now();
  auto last_tenth = start;
  for (std::int64_t n = 0; done && n < entries; n += batch) {
    if (n < entries / 10 * 9) last_tenth = steady_clock::now();
    done = bench.enter(n, batch);
  }
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().detail.c_str());
    return 1;
  }
  const auto end = steady_clock::now();
  const std::chrono::duration<double> took = end - start;
  const std::chrono::duration<double> last = end - last_tenth;
  std::printf(
      "%lld entries in batches of %lld: %.0f a second, the last tenth %.0f (lock %.2f s, commit %.2f s of "
      "%.2f s)\n",
      static_cast<long long>(entries), static_cast<long long>(batch), double(entries) / took.count(),
      double(entries) / 10 / last.count(), bench.times().lock.count(), bench.times().commit.count(),
      took.count());
  return 0;
}

}  // namespace
}  // namespace hotrow

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sqlite_store_bench PATH [batch] [entries]\n");
    return 2;
  }
  return hotrow::run(argv[1], argc > 2 ? std::atoll(argv[2]) : 512, argc > 3 ? std::atoll(argv[3]) : 200'000);
}
