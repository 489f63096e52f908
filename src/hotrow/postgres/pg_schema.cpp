#include "hotrow/postgres/pg_schema.hpp"

#include <array>

#include "hotrow/postgres/pg_auction_schema.hpp"
#include "hotrow/postgres/pg_policy_schema.hpp"
#include "hotrow/postgres/pg_statements.hpp"

namespace hotrow {
namespace {

// Because of how these tables are used:
// - Ids are compared byte for byte: COLLATE "C". No foreign keys: they would lock the hot row once per entry.
// - The columns of a look-up are the leading columns of exactly one index and stand in no other index of the
//   table under the same collation. POSIX orders as C does and is another collation to the planner, so
//   entry_place can never be mistaken for a way to find a person.
// - No index on a column of `promotion` that an entry changes: its update stays within the page (HOT), which
//   the fill factor keeps room in.
// - Times are microseconds since 1970, everywhere.
// - position is drawn from a sequence without cache while the subject's row is locked; Queries::events() says
//   how a reader does not skip one that commits late.
// - answer_0 to 15 are a ring by weeks, commit_mark_0 to 3 a ring by six hours: emptied by TRUNCATE, which
// needs
//   no DDL rights and leaves nothing to vacuum.
constexpr std::string_view promotions_sql = R"sql(
CREATE TABLE meta (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  instance_id text NOT NULL
);
INSERT INTO meta (instance_id) VALUES (gen_random_uuid()::text);

CREATE TABLE promotion (
  starts_at bigint NOT NULL,
  ends_at bigint,
  entries bigint NOT NULL CHECK (entries >= 0),
  winners bigint NOT NULL CHECK (winners BETWEEN 0 AND entries),
  version bigint NOT NULL,
  events bigint NOT NULL CHECK (events >= 0),
  created_at bigint NOT NULL,
  decided_at bigint NOT NULL,
  closed_at bigint,
  id text COLLATE "C" PRIMARY KEY,
  phase text COLLATE "C" NOT NULL CHECK (phase IN ('active', 'paused', 'closed')),
  settings text COLLATE "C" NOT NULL,
  closed_by text COLLATE "C",
  close_reason text COLLATE "C",
  CHECK ((phase = 'closed') = (closed_at IS NOT NULL)),
  CHECK (num_nulls(closed_at, closed_by, close_reason) IN (0, 3))
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
CREATE INDEX promotion_due ON promotion (ends_at, id COLLATE "POSIX") WHERE phase <> 'closed';

CREATE TABLE entry (
  ordinal bigint NOT NULL CHECK (ordinal >= 1),
  entered_at bigint NOT NULL,
  promotion text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  PRIMARY KEY (promotion, user_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE UNIQUE INDEX entry_place ON entry (promotion COLLATE "POSIX", ordinal);

CREATE TABLE winner (
  ordinal bigint NOT NULL,
  entered_at bigint NOT NULL,
  promotion text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  rule text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  server text COLLATE "C" NOT NULL,
  PRIMARY KEY (promotion, ordinal),
  CONSTRAINT winner_on_target CHECK (
    CASE rule::jsonb ->> 'kind'
      WHEN 'nth' THEN rule::jsonb -> 'targets' @> ordinal::text::jsonb
      WHEN 'every' THEN ordinal > 0 AND ordinal % (rule::jsonb ->> 'interval')::bigint = 0
                        AND ordinal / (rule::jsonb ->> 'interval')::bigint <= (rule::jsonb ->> 'winners')::bigint
      WHEN 'first' THEN ordinal BETWEEN 1 AND (rule::jsonb ->> 'count')::bigint
      ELSE false
    END)
);

CREATE SEQUENCE event_position CACHE 1;
CREATE TABLE event (
  position bigint NOT NULL DEFAULT nextval('event_position'),
  sequence bigint NOT NULL CHECK (sequence >= 1),
  occurred_at bigint NOT NULL,
  subject_kind text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  data json NOT NULL,
  traceparent text COLLATE "C" NOT NULL,
  PRIMARY KEY (subject_kind, subject, sequence)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
ALTER SEQUENCE event_position OWNED BY event.position;
CREATE UNIQUE INDEX event_id ON event (id);
CREATE UNIQUE INDEX event_place ON event (position);

CREATE TABLE answer_0 (
  bucket bigint NOT NULL,
  decided_at bigint NOT NULL,
  owner text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  answer text COLLATE "C" NOT NULL,
  PRIMARY KEY (bucket, owner, principal, key)
);
CREATE TABLE answer_1 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_2 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_3 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_4 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_5 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_6 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_7 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_8 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_9 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_10 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_11 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_12 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_13 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_14 (LIKE answer_0 INCLUDING ALL);
CREATE TABLE answer_15 (LIKE answer_0 INCLUDING ALL);

CREATE TABLE commit_mark_0 (
  number bigint NOT NULL,
  at bigint NOT NULL,
  fence boolean NOT NULL,
  server text COLLATE "C" NOT NULL,
  PRIMARY KEY (server, number)
);
CREATE TABLE commit_mark_1 (LIKE commit_mark_0 INCLUDING ALL);
CREATE TABLE commit_mark_2 (LIKE commit_mark_0 INCLUDING ALL);
CREATE TABLE commit_mark_3 (LIKE commit_mark_0 INCLUDING ALL);
)sql";

constexpr std::array migrations = {Migration{.number = 1, .name = "promotions", .sql = promotions_sql},
                                   Migration{.number = 2, .name = "auction", .sql = auction_sql},
                                   Migration{.number = 3, .name = "policies", .sql = policies_sql}};

const PgStatement list_migrations{"list_migrations",
                                  "SELECT number, checksum FROM schema_migration ORDER BY number"};

std::string quote_literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

/// A transaction of its own, in the schema. Servers that start together wait here for each other.
std::string begin_script(const std::string& schema) {
  return "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL search_path TO " +
         quote_identifier(schema) +
         ", pg_temp; SET LOCAL lock_timeout = '20s';"
         "SELECT pg_advisory_xact_lock(7165901);";
}

/// One migration with its record. A server that comes second fails on the record and looks again.
std::string script_of(const std::string& schema, const Migration& migration) {
  return begin_script(schema) + "INSERT INTO schema_migration (number, name, checksum) VALUES (" +
         std::to_string(migration.number) + ", " + quote_literal(migration.name) + ", " +
         quote_literal(checksum(migration)) + ");" + std::string(migration.sql) + "; COMMIT;";
}

std::string preparation_script(const std::string& schema) {
  return begin_script(schema) + "CREATE SCHEMA IF NOT EXISTS " + quote_identifier(schema) +
         "; CREATE TABLE IF NOT EXISTS schema_migration (number bigint PRIMARY KEY, name text NOT NULL, "
         "checksum text NOT NULL); COMMIT;";
}

SteadyTime deadline_of(const PostgresOptions& options) {
  return SteadyTime::clock::now() + options.statement_timeout + options.answer_grace;
}

/// Runs what is pending. A transaction that failed must be ended, or the session stays in it.
Result<void> run_script(PgSession& session, const std::string& script, SteadyTime deadline) {
  Result<void> done = session.connection().script(script, deadline);
  if (!done && session.connection().usable()) {
    if (Result<void> ended = session.connection().script("ROLLBACK", deadline); !ended) return ended;
  }
  return done;
}

Result<std::int64_t> migrate(PgSession& session, const PostgresOptions& options) {
  const auto applied = applied_migrations(session, deadline_of(options));
  if (!applied) return failure(applied.error());
  const Result<std::vector<Migration>> missing = pending(migrations, *applied);
  if (!missing) return failure(missing.error());
  if (applied->empty()) {
    const auto prepared = run_script(session, preparation_script(options.schema), deadline_of(options));
    if (!prepared) return failure(prepared.error());
  }
  for (const Migration& migration : *missing) {
    const Result<void> done = run_script(session, script_of(options.schema, migration), deadline_of(options));
    if (!done && done.error().kind == ErrorKind::conflict) return migrate(session, options);
    if (!done) return failure(done.error());
  }
  return std::int64_t(migrations.size());
}

}  // namespace

std::span<const Migration> postgres_migrations() { return migrations; }

Result<std::vector<AppliedMigration>> applied_migrations(PgSession& session, SteadyTime deadline) {
  PgConnection& connection = session.connection();
  std::vector<AppliedMigration> applied;
  session.queue_settings();
  connection.queue(list_migrations);
  const PgExchange exchange = connection.exchange(deadline);
  if (exchange.fault && exchange.fault->sqlstate == "42P01") return applied;  // No such table.
  if (exchange.fault) return failure(pg_error(*exchange.fault, PgMoment::before_commit));
  const PgResult& rows = exchange.results.back();
  for (int row = 0; row < rows.rows(); ++row) {
    applied.push_back({.number = rows.bigint(row, 0), .checksum = rows.string(row, 1)});
  }
  return applied;
}

Result<PostgresSchemaStatus> postgres_schema_status(const PostgresOptions& options) {
  Result<std::unique_ptr<PgSession>> session = PgSession::open(options, PgRole::upkeep);
  if (!session) return failure(session.error());
  auto applied = applied_migrations(**session, deadline_of(options));
  if (!applied) return failure(applied.error());
  Result<std::vector<Migration>> missing = pending(migrations, *applied);
  if (!missing) return failure(missing.error());
  return PostgresSchemaStatus{.applied = std::move(*applied), .pending = std::move(*missing)};
}

Result<std::int64_t> migrate_postgres(const PostgresOptions& options) {
  Result<std::unique_ptr<PgSession>> session = PgSession::open(options, PgRole::upkeep);
  if (!session) return failure(session.error());
  return migrate(**session, options);
}

std::vector<std::string> postgres_grants(const std::string& schema, const std::string& role) {
  const std::string to = " TO " + quote_identifier(role);
  const std::string in = quote_identifier(schema) + ".";
  const auto ring = [&](const std::string& name, std::size_t slots) {
    std::string tables;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (slot > 0) tables += ", ";
      tables.append(in).append(name).append("_").append(std::to_string(slot));
    }
    return tables;
  };
  return {
      "GRANT USAGE ON SCHEMA " + quote_identifier(schema) + to,
      "GRANT SELECT ON " + in + "meta, " + in + "schema_migration" + to,
      "GRANT SELECT, INSERT, UPDATE ON " + in + "promotion" + to,
      "GRANT SELECT, INSERT ON " + in + "entry, " + in + "winner, " + in + "event" + to,
      "GRANT USAGE ON SEQUENCE " + in + "event_position" + to,
      "GRANT SELECT, INSERT, UPDATE (available, held, version, leading_bids, active_listings, buyout_minute, "
      "buyouts_in_minute) ON " +
          in + "wallet" + to,
      "GRANT SELECT, INSERT, UPDATE (owner_kind, owner, location, listing, events) ON " + in + "item" + to,
      "GRANT SELECT, INSERT, UPDATE (status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, "
      "ends_at, version, events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside) "
      "ON " +
          in + "listing" + to,
      "GRANT SELECT, INSERT ON " + in + "bid, " + in + "ledger_line, " + in + "house_line, " + in +
          "external_id" + to,
      "GRANT SELECT, INSERT, UPDATE (trade_blocked, reason, version, events) ON " + in + "player" + to,
      "GRANT SELECT, INSERT, UPDATE (limits, reason, version, events) ON " + in + "policy" + to,
      "GRANT SELECT, INSERT, UPDATE (paused, paused_at, reason, extension, version, events) ON " + in +
          "market" + to,
      "GRANT SELECT, INSERT, TRUNCATE ON " + ring("answer", statements::answer_slots) + to,
      "GRANT SELECT, INSERT, TRUNCATE ON " + ring("commit_mark", statements::mark_slots) + to,
  };
}

}  // namespace hotrow
