#include "hotrow/store/migration.hpp"

#include "hotrow/base/hash.hpp"

namespace hotrow {

std::string checksum(const Migration& migration) { return to_hex(sha256(migration.sql)); }

Result<std::vector<Migration>> pending(std::span<const Migration> known,
                                       std::span<const AppliedMigration> applied) {
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const std::string number = std::to_string(applied[i].number);
    if (i >= known.size()) {
      return failure(ErrorKind::fatal, "schema_newer",
                     "the database has migration " + number + ", this program knows " +
                         std::to_string(known.size()) + ": use the newer program");
    }
    if (applied[i].number != known[i].number) {
      return failure(ErrorKind::fatal, "schema_gap",
                     "migration " + std::to_string(known[i].number) + " is missing before " + number);
    }
    if (applied[i].checksum != checksum(known[i])) {
      return failure(ErrorKind::fatal, "schema_changed",
                     "migration " + number + " was applied with another text than this program has");
    }
  }
  return std::vector<Migration>(known.begin() + std::ptrdiff_t(applied.size()), known.end());
}

}  // namespace hotrow
