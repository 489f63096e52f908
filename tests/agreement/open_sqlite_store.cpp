#include "hotrow/sqlite/sqlite_store.hpp"
#include "tests/agreement/open_store.hpp"
#include "tests/sqlite/temporary_database.hpp"

namespace hotrow::test {

std::unique_ptr<Store> open_store(ClockOverride clock) {
  static const TemporaryDatabase file;
  return std::move(open_sqlite_store({.path = file.path(), .clock = std::move(clock)}).value());
}

std::unique_ptr<Store> open_empty_store(ClockOverride clock) {
  static std::unique_ptr<TemporaryDatabase> file;
  file = std::make_unique<TemporaryDatabase>();
  return std::move(open_sqlite_store({.path = file->path(), .clock = std::move(clock)}).value());
}

}  // namespace hotrow::test
