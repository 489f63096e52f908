#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hotrow/sqlite/sqlite_connection.hpp"

namespace hotrow::sqlite {

/// All rows of a bound statement.
template <class R, class Read>
Result<std::vector<R>> collect(Statement& statement, Read&& read) {
  std::vector<R> rows;
  for (;;) {
    const Result<bool> more = statement.step();
    if (!more) return failure(more.error());
    if (!*more) return rows;
    rows.push_back(read(statement));
  }
}

/// The one row of a bound statement, or none.
template <class R, class Read>
Result<std::optional<R>> find_one(Statement& statement, Read&& read) {
  const Result<bool> found = statement.step();
  if (!found) return failure(found.error());
  if (!*found) return std::nullopt;
  R row = read(statement);
  statement.reset();
  return row;
}

}  // namespace hotrow::sqlite
