#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "hotrow/base/hash.hpp"
#include "hotrow/postgres/pg_session.hpp"
#include "tests/postgres/pg_rows.hpp"
#include "tests/support/pg_cluster.hpp"

// The PostgreSQL store alone, without engine or HTTP: entries of one promotion through one Transaction, in
// batches, against COPY of the same rows in the same order into the same table and indexes. Starts its own
// server (fsync on). Times are wall and CPU, of this process and of the server's session.
//
//   pg_store_bench [entries] [batch...]
namespace hotrow {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Random and of real length: ids do not arrive in the order of the index.
std::string user(std::int64_t n) {
  char text[48];
  std::snprintf(text, sizeof text, "user-%016llx",
                static_cast<unsigned long long>(std::uint64_t(n) * 0x9E3779B97F4A7C15ULL));
  return text;
}

double own_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpu_of(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/stat");
  std::string word;
  for (int field = 1; field <= 13; ++field) in >> word;
  double user_ticks = 0;
  double system_ticks = 0;
  in >> user_ticks >> system_ticks;
  return (user_ticks + system_ticks) / double(::sysconf(_SC_CLK_TCK));
}

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().code + ": " + result.error().detail);
  return std::move(*result);
}

class Bench {
 public:
  explicit Bench(std::int64_t entries) : entries_(entries) {
    options_.url = cluster_.url();
    options_.server = "bench";
  }

  void run(std::int64_t batch) {
    options_.schema = "batch_" + std::to_string(batch);
    value_of(migrate_postgres(options_));
    const auto store = value_of(open_postgres_store(options_));
    create(*store, "promotion");
    const auto transaction = value_of(store->open_transaction());
    enter(*transaction, 0, batch);  // Prepares the statements.
    const std::string backend =
        cluster_.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'hotrow/bench/writer'");
    lock_time_ = commit_time_ = Seconds(0);
    cluster_.sql("CHECKPOINT");
    const double own_before = own_cpu();
    const double backend_before = cpu_of(backend);
    const auto start = Clock::now();
    std::int64_t done = batch;
    for (; done < entries_; done += batch) enter(*transaction, done, batch);
    const Seconds took = Clock::now() - start;
    const double count = double(done - batch);
    const double own = own_cpu() - own_before;
    const double session = cpu_of(backend) - backend_before;
    const Copied copied = copy_again();
    std::printf("batch %5lld: %7.0f entries/s, COPY %7.0f rows/s, ratio %.2f\n",
                static_cast<long long>(batch), count / took.count(), copied.rows_per_second,
                count / took.count() / copied.rows_per_second);
    std::printf(
        "  CPU a row: client %.2f us, session %.2f us, COPY %.2f us, ratio %.2f; lock %.2f s, commit %.2f "
        "s\n",
        own / count * 1e6, session / count * 1e6, copied.cpu_per_row * 1e6,
        copied.cpu_per_row * count / session, lock_time_.count(), commit_time_.count());
    std::fflush(stdout);
  }

 private:
  void enter(Transaction& transaction, std::int64_t first, std::int64_t count) {
    Keys keys = {promotion_key("promotion")};
    std::unordered_map<std::string, std::int64_t> arrival;  // Places follow it; the keys are sorted.
    for (std::int64_t i = 0; i < count; ++i) {
      keys.push_back(entry_key("promotion", user(first + i)));
      arrival.emplace(keys.back().second, i + 1);
    }
    std::sort(keys.begin(), keys.end());
    AttemptOptions attempt = new_attempt();
    attempt.lock_budget = options_.lock_timeout;
    transaction.begin(attempt);
    const auto start = Clock::now();
    const Locked locked = value_of(transaction.lock(keys));
    lock_time_ += Clock::now() - start;

    auto promotion = std::get<PromotionRow>(*locked.rows[0]);
    std::vector<RowWrite> writes;
    writes.reserve(keys.size());
    writes.push_back({.key = keys[0], .how = RowWrite::How::update});
    for (std::size_t i = 1; i < keys.size(); ++i) {
      EntryRow entry = entry_of("promotion", keys[i].second, promotion.entries + arrival.at(keys[i].second));
      entry.entered_at = locked.now;
      entry.request_id = "01HZX3VB7JQ2M4" + std::to_string(10'000'000 + entry.ordinal);
      writes.push_back({.key = keys[i], .row = std::move(entry)});
    }
    promotion.entries += count;
    writes[0].row = std::move(promotion);
    const auto decided = Clock::now();
    transaction.apply(writes);
    const Result<void> committed = transaction.commit();
    if (!committed) throw std::runtime_error(committed.error().detail);
    commit_time_ += Clock::now() - decided;
  }

  struct Copied {
    double rows_per_second;
    double cpu_per_row;
  };

  /// COPY from a file of the server's own, so without any client's work.
  Copied copy_again() {
    const std::string file = "'" + cluster_.folder() + "/rows'";
    const std::string table = options_.schema + ".entry";
    const double rows = std::stod(cluster_.sql("SELECT count(*) FROM " + table));
    cluster_.sql("COPY (SELECT * FROM " + table + " ORDER BY ctid) TO " + file);
    cluster_.sql("TRUNCATE " + table);
    cluster_.sql("CHECKPOINT");
    auto session = value_of(PgSession::open(options_, PgRole::upkeep));
    const std::string backend =
        cluster_.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'hotrow/bench/upkeep'");
    const double cpu_before = cpu_of(backend);
    const auto start = Clock::now();
    const auto done =
        session->connection().script("COPY " + table + " FROM " + file, start + std::chrono::hours(1));
    if (!done) throw std::runtime_error(done.error().detail);
    return {rows / Seconds(Clock::now() - start).count(), (cpu_of(backend) - cpu_before) / rows};
  }

  PgCluster cluster_{
      {.settings = {"shared_buffers = '1GB'", "max_wal_size = '4GB'", "checkpoint_timeout = '15min'"}}};
  PostgresOptions options_;
  std::int64_t entries_;
  Seconds lock_time_{0};
  Seconds commit_time_{0};
};

}  // namespace
}  // namespace hotrow

int main(int argc, char** argv) {
  hotrow::Bench bench(argc > 1 ? std::atoll(argv[1]) : 200'000);
  std::vector<std::int64_t> batches = {64, 256, 1024, 4096};
  if (argc > 2) batches.clear();
  for (int i = 2; i < argc; ++i) batches.push_back(std::atoll(argv[i]));
  for (const std::int64_t batch : batches) bench.run(batch);
}
