#pragma once

#include <span>

#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/store/migration.hpp"

namespace hotrow::sqlite {

/// All steps of the schema, in order.
std::span<const Migration> migrations();

/// What was applied to the database so far. An empty database has nothing; one of another program is fatal
/// ("foreign_database").
Result<std::vector<AppliedMigration>> applied_migrations(Connection& connection);

/// Runs what is pending, each step in a transaction of its own. Errors as of pending(), or the step's own.
Result<void> migrate(Connection& connection);

}  // namespace hotrow::sqlite
