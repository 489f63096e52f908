#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/core/command.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/store/store.hpp"
#include "tests/store/sample_rows.hpp"

/// What every store behind store/store.hpp must do, whatever it is made of. A store's own tests instantiate
/// the suite with a factory:
///
///     INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(memory_factory()),
///     name_of_factory);
namespace hotrow::conformance {

/// A database of one test's own, empty at first, and removed with this object. Its stores must be destroyed
/// before it.
class TestDatabase {
 public:
  virtual ~TestDatabase() = default;
  virtual Store& store() = 0;
  /// A Store as another server would open it on the same database; nullptr where only one can be open.
  virtual std::unique_ptr<Store> open_second_store() { return nullptr; }
};

struct StoreFactory {
  std::string name;  ///< Letters and digits.
  std::function<std::unique_ptr<TestDatabase>(ClockOverride)> open;
};

inline std::string name_of_factory(const testing::TestParamInfo<StoreFactory>& info) {
  return info.param.name;
}

/// A clock that moves when it is told to. Safe from all threads.
class ManualClock {
 public:
  explicit ManualClock(Timestamp at) : micros_(at.micros) {}
  Timestamp now() const { return {micros_.load()}; }
  void advance(std::chrono::microseconds by) { micros_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> micros_;
};

class TradedMarket;

class StoreConformance : public testing::TestWithParam<StoreFactory> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Store& store() { return database_->store(); }
  /// Another server's store where the database allows one, else the same store again.
  Store& other_store() { return second_ ? *second_ : database_->store(); }

  AttemptOptions attempt(std::chrono::milliseconds lock_budget = std::chrono::seconds(20));

  static std::unique_ptr<Transaction> open_transaction(Store& store);
  static std::unique_ptr<Queries> open_queries(Store& store);

  /// Locks what is written, applies the writes in lock order and commits: one whole attempt.
  Result<void> try_commit(Transaction& transaction, const AttemptOptions& options,
                          std::vector<RowWrite> writes);
  Result<void> try_commit(std::vector<RowWrite> writes);
  /// The same; a failure fails the test.
  void commit(std::vector<RowWrite> writes);

  /// The row as a new attempt sees it.
  std::optional<Row> find(const Key& key);

  /// Decides one command and commits its changes, as the engine would.
  Answer run(CommandBody body);

  ManualClock clock_{start_time()};

 private:
  friend class TradedMarket;

  std::unique_ptr<TestDatabase> database_;
  std::unique_ptr<Store> second_;
  std::string server_;
  std::atomic<std::int64_t> attempts_{0};
};

/// The keys, sorted as lock() wants them.
Keys sorted(Keys keys);

}  // namespace hotrow::conformance
