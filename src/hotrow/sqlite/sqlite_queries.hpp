#pragma once

#include <memory>
#include <string>

#include "hotrow/sqlite/sqlite_database.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::sqlite {

/// A reading session on a connection of its own. `clock` is the store's and may keep the store alive: the
/// connection is closed before it is let go.
Result<std::unique_ptr<Queries>> open_queries(const std::string& path, std::shared_ptr<StoreClock> clock);

}  // namespace hotrow::sqlite
