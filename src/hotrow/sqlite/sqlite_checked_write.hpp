#pragma once

#include <cstdint>
#include <string_view>

#include "hotrow/base/result.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"

namespace hotrow::sqlite {

/// What an INSERT came to: conflict when its key was taken meanwhile, invalid when the row can never be
/// stored. `key_columns` are the key's as SQLite names them.
Result<void> inserted(Result<void> result, std::string_view key_columns);

/// Runs a bound statement; tells how many rows it changed.
Result<std::int64_t> changed_by(Statement& statement);

/// Runs a bound UPDATE of one row, which must be there.
Result<void> updated(Statement& statement, const Key& key);

}  // namespace hotrow::sqlite
