#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/store/migration.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// One SQLite file as a store: durable (WAL, synchronous=FULL) and of one process. All writing sessions take
/// turns with one connection; readers have connections of their own and wait for nobody.
struct SqliteOptions {
  std::string path;     ///< Beside it lie <path>-wal, <path>-shm and <path>.lock.
  bool migrate = true;  ///< Bring the schema up to date; else one that is behind is fatal.

  /// How long stored answers are told again: what the caller will pass to Store::expire(). Rounded up to
  /// whole buckets of 7 days.
  std::chrono::hours answers_kept{7 * 24};

  ClockOverride clock = nullptr;  ///< For tests.
};

/// Opens the file, creates it when it is not there. Errors, all fatal: another process has it open
/// ("database_locked"), it is no database or another program's ("foreign_database"), it has two names
/// ("two_names"), its file system cannot share memory between processes, its schema
/// is newer ("schema_newer") or behind ("schema_behind").
Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options);

/// Opens an existing file to read only, also beside the process that writes it. The store's sessions for
/// writing are refused with ErrorKind::fatal ("read_only").
Result<std::unique_ptr<Store>> open_sqlite_store_beside(const SqliteOptions& options);

struct SqliteSchemaStatus {
  std::vector<AppliedMigration> applied;
  std::vector<Migration> pending;
};

/// Reads which migrations the file has, also beside the process that writes it. Errors as of pending(); a
/// file that is not there has none applied.
Result<SqliteSchemaStatus> sqlite_schema_status(const SqliteOptions& options);

/// Runs the pending migrations, each in a transaction of its own. Returns the schema's version. Errors as of
/// open_sqlite_store().
Result<std::int64_t> migrate_sqlite(const SqliteOptions& options);

}  // namespace hotrow
