#include "hotrow/store/memory_store.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "hotrow/base/assert.hpp"
#include "hotrow/store/memory_queries.hpp"
#include "hotrow/store/memory_tables.hpp"

namespace hotrow {
namespace {

/// One writer at a time, with a bounded wait. A mutex would have to be released by the thread that took it;
/// a session may be destroyed by another.
class WriterSeat {
 public:
  bool take(std::chrono::milliseconds budget) {
    std::unique_lock lock(mutex_);
    if (!free_.wait_for(lock, budget, [this] { return !taken_; })) return false;
    taken_ = true;
    return true;
  }

  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      HOTROW_ASSERT(taken_);
      taken_ = false;
    }
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

struct Database {
  Guarded<MemoryTables> tables;
  WriterSeat writer;
  ClockOverride clock;
};

class MemoryTransaction final : public Transaction {
 public:
  explicit MemoryTransaction(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  ~MemoryTransaction() override { rollback(); }

  void begin(const AttemptOptions& options) override {
    rollback();
    options_ = options;
  }

  Result<Locked> lock(std::span<const Key> keys) override {
    HOTROW_ASSERT(std::is_sorted(keys.begin(), keys.end()));
    if (!seated_) {
      if (!database_->writer.take(options_.lock_budget)) {
        return failure(ErrorKind::held, "writer_busy", "another session is writing");
      }
      seated_ = true;
    }
    Locked locked;
    database_->tables.with([&](const MemoryTables& tables) {
      for (const Key& key : keys) {
        const Row* row = tables.find(key);
        locked.rows.push_back(row != nullptr ? std::optional<Row>(*row) : std::nullopt);
      }
    });
    locked.now = database_->clock();
    return locked;
  }

  void apply(std::span<const RowWrite> writes) override { writes_ = writes; }

  Result<void> commit() override {
    HOTROW_ASSERT(seated_);
    Result<void> result = database_->tables.with([this](MemoryTables& tables) -> Result<void> {
      const std::string mark = to_string(options_.id);
      if (tables.commit_marks.contains(mark)) {
        return failure(ErrorKind::conflict, "commit_mark", "this attempt was fenced");
      }
      if (Result<void> written = tables.write(writes_); !written) return written;
      tables.commit_marks.emplace(mark, true);
      return {};
    });
    rollback();
    return result;
  }

  void rollback() noexcept override {
    writes_ = {};
    if (seated_) database_->writer.give_back();
    seated_ = false;
  }

  Result<Keys> held_by_others(std::span<const Key> keys) override {
    rollback();
    if (!database_->writer.take(std::chrono::milliseconds(0))) return Keys(keys.begin(), keys.end());
    database_->writer.give_back();
    return Keys{};
  }

 private:
  std::shared_ptr<Database> database_;
  AttemptOptions options_;
  std::span<const RowWrite> writes_;
  bool seated_ = false;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(ClockOverride clock) : database_(std::make_shared<Database>()) {
    database_->clock = clock ? std::move(clock) : wall_clock_now;
    database_->tables.with([](MemoryTables& tables) { tables.instance_id = random_hex(16); });
  }

  int writers_max() const override { return 1; }

  Result<std::unique_ptr<Transaction>> open_transaction() override {
    return std::make_unique<MemoryTransaction>(database_);
  }

  Result<std::unique_ptr<Queries>> open_queries() override {
    std::shared_ptr<const Guarded<MemoryTables>> tables(database_, &database_->tables);
    return make_memory_queries(std::move(tables), database_->clock);
  }

  Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds) override {
    return database_->tables.with([&](MemoryTables& tables) {
      const auto [mark, fenced] = tables.commit_marks.emplace(to_string(id), false);
      return !fenced && mark->second ? CommitFate::committed : CommitFate::not_committed;
    });
  }

  Result<void> expire(Timestamp answers_before) override {
    database_->tables.with([&](MemoryTables& tables) {
      Keys expired;
      for (const auto& [key, row] : tables.rows()) {
        const auto* answer = std::get_if<AnswerRow>(&row);
        if (answer != nullptr && answer->decided_at < answers_before) expired.push_back(key);
      }
      for (const Key& key : expired) tables.set(key, std::nullopt);
    });
    return {};
  }

 private:
  std::shared_ptr<Database> database_;
};

}  // namespace

std::unique_ptr<Store> open_memory_store(ClockOverride clock) {
  return std::make_unique<MemoryStore>(std::move(clock));
}

}  // namespace hotrow
