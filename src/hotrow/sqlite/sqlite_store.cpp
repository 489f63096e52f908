#include "hotrow/sqlite/sqlite_store.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/sqlite/sqlite_database.hpp"
#include "hotrow/sqlite/sqlite_queries.hpp"
#include "hotrow/sqlite/sqlite_schema.hpp"

namespace hotrow {
namespace {

using sqlite::Database;

/// How long a commit mark is of use: far longer than anybody waits for an answer.
constexpr std::chrono::hours commit_marks_kept{1};

/// How long housekeeping waits for its turn among the writers.
constexpr std::chrono::milliseconds housekeeping_budget{5'000};

tl::unexpected<Error> writer_busy() {
  return failure(ErrorKind::held, "writer_busy", "another session was writing for longer than the budget");
}

/// The turn to write with a transaction begun. Ends in a rollback unless committed.
class Turn {
 public:
  static Result<Turn> take(std::shared_ptr<Database> database, std::chrono::milliseconds budget) {
    if (!database->turn.take(budget)) return writer_busy();
    Turn turn(std::move(database));
    if (Result<void> begun = turn.writer().begin(); !begun) return failure(begun.error());
    return turn;
  }
  Turn(Turn&&) noexcept = default;
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (database_ == nullptr) return;
    database_->writer.rollback();
    database_->turn.give_back();
  }

  sqlite::Writer& writer() { return database_->writer; }

 private:
  explicit Turn(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  std::shared_ptr<Database> database_;
};

class SqliteTransaction final : public Transaction {
 public:
  explicit SqliteTransaction(std::shared_ptr<Database> database) : database_(std::move(database)) {}

  void begin(const AttemptOptions& options) override {
    rollback();
    options_ = options;
  }

  Result<Locked> lock(std::span<const Key> keys) override {
    HOTROW_ASSERT(std::is_sorted(keys.begin(), keys.end()));
    Result<Locked> locked = try_lock(keys);
    if (!locked) rollback();
    return locked;
  }

  void apply(std::span<const RowWrite> writes) override { writes_ = writes; }

  Result<void> commit() override {
    HOTROW_ASSERT(turn_.has_value());
    Result<void> committed = try_commit(turn_->writer());
    rollback();
    return committed;
  }

  void rollback() noexcept override {
    writes_ = {};
    turn_.reset();
  }

  Result<Keys> held_by_others(std::span<const Key> keys) override {
    rollback();
    if (!database_->turn.take(std::chrono::milliseconds(0))) return Keys(keys.begin(), keys.end());
    database_->turn.give_back();
    return Keys{};
  }

 private:
  Result<Locked> try_lock(std::span<const Key> keys) {
    if (!turn_) {
      Result<Turn> turn = Turn::take(database_, options_.lock_budget);
      if (!turn) return failure(turn.error());
      turn_.emplace(std::move(*turn));
    }
    Locked locked{.now = database_->clock.now()};
    locked.rows.reserve(keys.size());
    for (const Key& key : keys) {
      Result<std::optional<Row>> row = turn_->writer().read(key, locked.now);
      if (!row) return failure(reading_failure(row.error()));
      locked.rows.push_back(std::move(*row));
    }
    return locked;
  }

  /// One row that is not ours is the matter of those who need it, not of their whole batch.
  static Error reading_failure(Error error) {
    if (error.code.ends_with("_unreadable")) error.kind = ErrorKind::invalid;
    return error;
  }

  Result<void> try_commit(sqlite::Writer& writer) {
    if (Result<void> written = writer.write(writes_); !written) return written;
    if (Result<void> marked = writer.mark(options_.id, database_->clock.now()); !marked) return marked;
    return writer.commit();
  }

  std::shared_ptr<Database> database_;
  AttemptOptions options_;
  std::span<const RowWrite> writes_;
  std::optional<Turn> turn_;  ///< While an attempt is under way.
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}

  int writers_max() const override { return 1; }

  Result<std::unique_ptr<Transaction>> open_transaction() override {
    return std::make_unique<SqliteTransaction>(database_);
  }

  Result<std::unique_ptr<Queries>> open_queries() override {
    return sqlite::open_queries(database_->path,
                                std::shared_ptr<sqlite::StoreClock>(database_, &database_->clock));
  }

  Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds budget) override {
    Result<Turn> turn = Turn::take(database_, budget);
    if (!turn) return failure(turn.error());
    const Result<CommitFate> fate = turn->writer().find_or_fence(id, database_->clock.now());
    if (!fate) return fate;
    if (Result<void> committed = turn->writer().commit(); !committed) return failure(committed.error());
    return fate;
  }

  Result<void> expire(Timestamp answers_before) override {
    const Timestamp marks_before = database_->clock.now() - commit_marks_kept;
    const Result<void> marks =
        in_steps([&](sqlite::Writer& writer) { return writer.remove_marks(marks_before); });
    if (!marks) return marks;
    return in_steps([&](sqlite::Writer& writer) { return writer.remove_answers(answers_before); });
  }

 private:
  /// Repeats `remove`, each time in a turn of its own so that writers come in between, until it removes none.
  template <class Remove>
  Result<void> in_steps(Remove&& remove) {
    for (;;) {
      Result<Turn> turn = Turn::take(database_, housekeeping_budget);
      if (!turn) return failure(turn.error());
      const Result<std::int64_t> removed = remove(turn->writer());
      if (!removed) return failure(removed.error());
      if (*removed == 0) return {};
      if (Result<void> committed = turn->writer().commit(); !committed) return committed;
    }
  }

  std::shared_ptr<Database> database_;
};

/// A file that another process may be writing.
class ReadOnlyStore final : public Store {
 public:
  explicit ReadOnlyStore(const SqliteOptions& options)
      : path_(options.path), clock_(std::make_shared<sqlite::StoreClock>(options.clock)) {}

  int writers_max() const override { return 1; }
  Result<std::unique_ptr<Transaction>> open_transaction() override { return refused(); }
  Result<std::unique_ptr<Queries>> open_queries() override { return sqlite::open_queries(path_, clock_); }
  Result<CommitFate> resolve(const AttemptId&, std::chrono::milliseconds) override { return refused(); }
  Result<void> expire(Timestamp) override { return refused(); }

 private:
  static tl::unexpected<Error> refused() {
    return failure(ErrorKind::fatal, "read_only", "this database was opened to read only");
  }

  std::string path_;
  std::shared_ptr<sqlite::StoreClock> clock_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options) {
  Result<std::shared_ptr<Database>> database = Database::open(options);
  if (!database) return failure(database.error());
  return std::make_unique<SqliteStore>(std::move(*database));
}

Result<std::unique_ptr<Store>> open_sqlite_store_beside(const SqliteOptions& options) {
  const Result<SqliteSchemaStatus> status = sqlite_schema_status(options);
  if (!status) return failure(status.error());
  if (!status->pending.empty()) {
    return failure(ErrorKind::fatal, "schema_behind",
                   options.path + " is not there or not up to date: run `hotrow migrate up`");
  }
  return std::make_unique<ReadOnlyStore>(options);
}

Result<SqliteSchemaStatus> sqlite_schema_status(const SqliteOptions& options) {
  const std::span<const Migration> known = sqlite::migrations();
  SqliteSchemaStatus status;
  const Result<std::string> path = sqlite::real_path(options.path);
  if (!path) return failure(path.error());
  auto applied = sqlite::look_into(*path);
  if (!applied) return failure(applied.error());
  status.applied = std::move(*applied);
  auto left = pending(known, status.applied);
  if (!left) return failure(left.error());
  status.pending = std::move(*left);
  return status;
}

Result<std::int64_t> migrate_sqlite(const SqliteOptions& options) {
  SqliteOptions migrating = options;
  migrating.migrate = true;
  const Result<std::shared_ptr<Database>> database = Database::open(migrating);
  if (!database) return failure(database.error());
  return sqlite::migrations().back().number;
}

}  // namespace hotrow
