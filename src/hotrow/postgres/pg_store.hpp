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

/// How to reach a PostgreSQL database (14 or newer, encoding UTF8) and how to behave in it.
///
/// Connections of one server = writing sessions (lanes, at most `writers_max`) + reading sessions + 1 (to
/// resolve a commit in doubt and to expire, only while that is done). `max_connections` of the database must
/// cover that for every server together, plus what others use.
struct PostgresOptions {
  std::string url;                ///< libpq connection string or URI; several hosts are tried in turn.
  std::string schema = "hotrow";  ///< All tables live there; one schema per world.
  std::string server = "hotrow";  ///< Shows in application_name: hotrow/<server>/<role>.
  int writers_max = 4;
  /// Off for PgBouncer in transaction mode: unnamed statements, and every transaction states its settings.
  bool prepared = true;

  std::chrono::milliseconds connect_timeout{5'000};  ///< For each host, at least 2 s.
  std::chrono::milliseconds lock_timeout{2'000};     ///< The usual budget; others cost a statement more.
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds idle_in_transaction_timeout{10'000};
  /// Beyond what the server was told to take: after that long a connection is given up as dead.
  std::chrono::milliseconds answer_grace{5'000};
  std::chrono::milliseconds read_timeout{5'000};     ///< Of one question.
  std::chrono::milliseconds audit_timeout{300'000};  ///< Of an audit or an export, in all.

  /// How long stored answers are told again: what the caller will pass to Store::expire(). Rounded up to
  /// whole buckets of 7 days; at most 98 days.
  std::chrono::hours answers_kept{7 * 24};

  ClockOverride clock = nullptr;  ///< For tests.
};

/// Checks the server and its schema and opens the store. Errors: transient when the database is away, fatal
/// for a version, encoding, setting or schema that cannot be worked with, naming it ("schema_behind": run
/// the migrations).
Result<std::unique_ptr<Store>> open_postgres_store(const PostgresOptions& options);

struct PostgresSchemaStatus {
  std::vector<AppliedMigration> applied;
  std::vector<Migration> pending;
};

/// Reads which migrations the database has. Errors as of pending(); an empty database has none applied.
Result<PostgresSchemaStatus> postgres_schema_status(const PostgresOptions& options);

/// Creates the schema if need be and runs the pending migrations, each in a transaction of its own; servers
/// that migrate at the same time wait for each other. Needs DDL rights. Returns the schema's version.
Result<std::int64_t> migrate_postgres(const PostgresOptions& options);

/// The statements that give a role what a server needs and no more: no DDL, and no right to change or delete
/// an entry, a winner or an event.
std::vector<std::string> postgres_grants(const std::string& schema, const std::string& role);

}  // namespace hotrow
