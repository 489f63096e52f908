#pragma once

#include <span>

#include "hotrow/postgres/pg_session.hpp"
#include "hotrow/store/migration.hpp"

namespace hotrow {

/// All steps of the PostgreSQL schema. Their SQL names tables without a schema: search_path says where.
std::span<const Migration> postgres_migrations();

/// What the database has, read through `session`. None when there is no such schema.
Result<std::vector<AppliedMigration>> applied_migrations(PgSession& session, SteadyTime deadline);

}  // namespace hotrow
