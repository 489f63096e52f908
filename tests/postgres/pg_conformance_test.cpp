#include "tests/postgres/pg_world.hpp"
#include "tests/store/conformance.hpp"

namespace hotrow::conformance {
namespace {

/// One schema serves all tests, emptied after each: migrating takes longer than most of them.
PgWorld& shared_world() {
  static PgWorld world;
  return world;
}

class PgTestDatabase final : public TestDatabase {
 public:
  PgTestDatabase(ClockOverride clock, bool prepared) : options_(shared_world().options()) {
    options_.clock = std::move(clock);
    options_.prepared = prepared;
    store_ = shared_world().open(options_);
  }
  ~PgTestDatabase() override {
    store_.reset();
    shared_world().empty();
  }
  Store& store() override { return *store_; }
  std::unique_ptr<Store> open_second_store() override { return shared_world().open(options_); }

 private:
  PostgresOptions options_;
  std::unique_ptr<Store> store_;
};

StoreFactory factory(const std::string& name, bool prepared) {
  return {.name = name, .open = [prepared](ClockOverride clock) {
            return std::make_unique<PgTestDatabase>(std::move(clock), prepared);
          }};
}

INSTANTIATE_TEST_SUITE_P(Postgres, StoreConformance,
                         testing::Values(factory("prepared", true), factory("unprepared", false)),
                         name_of_factory);

}  // namespace
}  // namespace hotrow::conformance
