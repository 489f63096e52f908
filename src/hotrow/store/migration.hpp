#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotrow/base/result.hpp"

namespace hotrow {

/// One numbered step of a schema. Never edited once released: its checksum is kept in the database.
struct Migration {
  std::int64_t number;  ///< 1, 2, 3, ... without a gap.
  std::string_view name;
  std::string_view sql;
};

/// SHA-256 of the SQL, in hexadecimal.
std::string checksum(const Migration& migration);

struct AppliedMigration {
  std::int64_t number = 0;
  std::string checksum;
};

/// The steps still to be run. Errors, all fatal: the database is newer than this program
/// ("schema_newer"), a step was changed after it was applied ("schema_changed"), or steps are missing in
/// between ("schema_gap").
Result<std::vector<Migration>> pending(std::span<const Migration> known,
                                       std::span<const AppliedMigration> applied);

}  // namespace hotrow
