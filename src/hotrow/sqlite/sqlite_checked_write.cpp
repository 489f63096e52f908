#include "hotrow/sqlite/sqlite_checked_write.hpp"

namespace hotrow::sqlite {

Result<void> inserted(Result<void> result, std::string_view key_columns) {
  if (result) return result;
  Error& error = result.error();
  if (error.detail == "UNIQUE constraint failed: " + std::string(key_columns)) {
    error.kind = ErrorKind::conflict;
  } else if (error.code == "SQLITE_ERROR") {
    error.kind = ErrorKind::invalid;  // A function in a CHECK could make nothing of the value.
  }
  return result;
}

Result<std::int64_t> changed_by(Statement& statement) {
  if (Result<void> ran = statement.run(); !ran) return failure(ran.error());
  return statement.changes();
}

Result<void> updated(Statement& statement, const Key& key) {
  const Result<std::int64_t> changed = changed_by(statement);
  if (!changed) return failure(changed.error());
  if (*changed == 1) return {};
  return failure(ErrorKind::invalid, "rows_affected", describe(key) + " is not there");
}

}  // namespace hotrow::sqlite
