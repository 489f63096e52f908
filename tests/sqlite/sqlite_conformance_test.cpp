#include "hotrow/sqlite/sqlite_store.hpp"
#include "tests/sqlite/temporary_database.hpp"
#include "tests/store/conformance.hpp"

namespace hotrow::conformance {
namespace {

class SqliteDatabase final : public TestDatabase {
 public:
  explicit SqliteDatabase(ClockOverride clock) {
    Result<std::unique_ptr<Store>> store =
        open_sqlite_store({.path = file_.path(), .clock = std::move(clock)});
    if (!store) throw std::runtime_error(store.error().detail);
    store_ = std::move(*store);
  }
  Store& store() override { return *store_; }

 private:
  TemporaryDatabase file_;
  std::unique_ptr<Store> store_;
};

StoreFactory sqlite_factory() {
  return {.name = "Sqlite",
          .open = [](ClockOverride clock) { return std::make_unique<SqliteDatabase>(std::move(clock)); }};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance, testing::Values(sqlite_factory()), name_of_factory);

}  // namespace
}  // namespace hotrow::conformance
