#include "hotrow/sqlite/sqlite_schema.hpp"

#include <array>

#include "hotrow/base/hash.hpp"
#include "hotrow/sqlite/sqlite_auction_schema.hpp"
#include "hotrow/sqlite/sqlite_policy_schema.hpp"

namespace hotrow::sqlite {
namespace {

// Times are microseconds since 1970 in UTC. Ids are compared byte for byte (the default collation BINARY).
//
// entry is clustered by place, so that new rows come to the end, lists and exports run along the table, and
// only the narrow index by user is hit at random. event is clustered by its place in the feed; AUTOINCREMENT
// never gives a position twice, also when the latest events were removed, and a rolled-back transaction uses
// none up. answer is keyed by bucket first, so that what has expired lies together.
constexpr std::string_view promotions_sql = R"sql(
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE promotion (
  id TEXT PRIMARY KEY,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  starts_at INTEGER NOT NULL,
  ends_at INTEGER CHECK (ends_at > starts_at),
  phase TEXT NOT NULL CHECK (phase IN ('active', 'paused', 'closed')),
  entries INTEGER NOT NULL CHECK (entries >= 0),
  winners INTEGER NOT NULL CHECK (winners BETWEEN 0 AND entries),
  version INTEGER NOT NULL CHECK (version >= 0),
  events INTEGER NOT NULL CHECK (events >= 0),
  created_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  close_reason TEXT,
  CHECK ((phase = 'closed') = (closed_at IS NOT NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (close_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX promotion_due ON promotion (ends_at, id) WHERE phase <> 'closed' AND ends_at IS NOT NULL;

CREATE TABLE entry (
  promotion TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  user_id TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (promotion, ordinal),
  UNIQUE (promotion, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE winner (
  promotion TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  event_id TEXT NOT NULL,
  server TEXT NOT NULL,
  PRIMARY KEY (promotion, ordinal),
  CONSTRAINT winner_on_target CHECK (coalesce(ordinal >= 1 AND CASE rule ->> '$.kind'
    WHEN 'nth' THEN
      instr(',' || trim(rule ->> '$.targets', '[]') || ',', ',' || ordinal || ',') > 0
    WHEN 'every' THEN
      ordinal % (rule ->> '$.interval') = 0 AND ordinal / (rule ->> '$.interval') <= (rule ->> '$.winners')
    WHEN 'first' THEN
      ordinal <= (rule ->> '$.count')
    END, 0))
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  subject_kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  type TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  data TEXT NOT NULL CHECK (json_valid(data)),
  occurred_at INTEGER NOT NULL,
  traceparent TEXT NOT NULL,
  UNIQUE (subject_kind, subject, sequence)
) STRICT;

CREATE TABLE answer (
  bucket INTEGER NOT NULL,
  owner TEXT NOT NULL,
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  answer TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, owner, principal, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE commit_mark (
  server TEXT NOT NULL,
  number INTEGER NOT NULL,
  committed INTEGER NOT NULL CHECK (committed IN (0, 1)),
  at INTEGER NOT NULL,
  PRIMARY KEY (server, number)
) STRICT, WITHOUT ROWID;

INSERT INTO meta VALUES ('instance_id', lower(hex(randomblob(16))));
)sql";

constexpr std::array<Migration, 3> all_migrations = {{
    {.number = 1, .name = "promotions", .sql = promotions_sql},
    {.number = 2, .name = "auction", .sql = auction_sql},
    {.number = 3, .name = "policies", .sql = policies_sql},
}};

constexpr const char* create_migration_table_sql =
    "CREATE TABLE IF NOT EXISTS schema_migration ("
    "number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL"
    ") STRICT";
constexpr std::string_view migration_table_exists_sql =
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'";
constexpr std::string_view other_tables_sql =
    "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' LIMIT 1";
constexpr std::string_view applied_sql = "SELECT number, checksum FROM schema_migration ORDER BY number";
constexpr std::string_view record_sql = "INSERT INTO schema_migration VALUES (?1, ?2, ?3, ?4)";

Result<void> run(Connection& connection, const Migration& migration) {
  Result<Scope> scope = Scope::begin(connection, "BEGIN IMMEDIATE");
  if (!scope) return failure(scope.error());
  if (Result<void> done = connection.run(std::string(migration.sql)); !done) return done;
  Result<Statement> record = connection.prepare(record_sql);
  if (!record) return failure(record.error());
  const std::string sum = checksum(migration);
  record->bind(migration.number, migration.name, sum, wall_clock_now());
  if (Result<void> recorded = record->run(); !recorded) return recorded;
  return scope->commit();
}

/// Of a database without our table of migrations: it is new, or somebody else's.
Result<std::vector<AppliedMigration>> nothing_applied(Connection& connection) {
  Result<Statement> others = connection.prepare(other_tables_sql);
  if (!others) return failure(others.error());
  const Result<bool> found = others->step();
  if (!found) return failure(found.error());
  if (!*found) return std::vector<AppliedMigration>();
  return failure(ErrorKind::fatal, "foreign_database",
                 "this is another program's database (it has \"" + std::string(others->text(0)) +
                     "\" and no table schema_migration): hotrow wants a file of its own");
}

}  // namespace

std::span<const Migration> migrations() { return all_migrations; }

Result<std::vector<AppliedMigration>> applied_migrations(Connection& connection) {
  Result<Statement> exists = connection.prepare(migration_table_exists_sql);
  if (!exists) return failure(exists.error());
  const Result<bool> found = exists->step();
  if (!found) return failure(found.error());
  exists->reset();
  if (!*found) return nothing_applied(connection);
  std::vector<AppliedMigration> applied;

  Result<Statement> statement = connection.prepare(applied_sql);
  if (!statement) return failure(statement.error());
  for (;;) {
    const Result<bool> more = statement->step();
    if (!more) return failure(more.error());
    if (!*more) return applied;
    Columns columns(*statement);
    applied.push_back({.number = columns.integer(), .checksum = columns.text()});
  }
}

Result<void> migrate(Connection& connection) {
  const Result<std::vector<AppliedMigration>> applied = applied_migrations(connection);
  if (!applied) return failure(applied.error());
  const Result<std::vector<Migration>> steps = pending(migrations(), *applied);
  if (!steps) return failure(steps.error());
  if (steps->empty()) return {};
  if (Result<void> made = connection.run(create_migration_table_sql); !made) return made;
  for (const Migration& step : *steps) {
    if (Result<void> done = run(connection, step); !done) return done;
  }
  return {};
}

}  // namespace hotrow::sqlite
