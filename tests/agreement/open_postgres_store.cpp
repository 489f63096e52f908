#include "tests/agreement/open_store.hpp"
#include "tests/postgres/pg_world.hpp"

namespace hotrow::test {

std::unique_ptr<Store> open_store(ClockOverride clock) {
  static const PgWorld world;
  PostgresOptions options = world.options();
  options.clock = std::move(clock);
  return world.open(options);
}

std::unique_ptr<Store> open_empty_store(ClockOverride clock) {
  static const PgWorld world;
  world.empty();
  PostgresOptions options = world.options();
  options.clock = std::move(clock);
  return world.open(options);
}

}  // namespace hotrow::test
