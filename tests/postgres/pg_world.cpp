#include "tests/postgres/pg_world.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "hotrow/postgres/pg_session.hpp"

namespace hotrow {
namespace {

/// Stops the cluster at the end of the program, when gtest tears its environments down.
class ClusterEnvironment final : public testing::Environment {
 public:
  void TearDown() override { cluster_.reset(); }
  PgCluster& cluster() {
    if (cluster_ == nullptr) cluster_ = std::make_unique<PgCluster>();
    return *cluster_;
  }

 private:
  std::unique_ptr<PgCluster> cluster_;
};

auto* const environment = new ClusterEnvironment;
[[maybe_unused]] auto* const registered = testing::AddGlobalTestEnvironment(environment);

}  // namespace

PgCluster& shared_cluster() { return environment->cluster(); }

PgWorld::PgWorld(PgCluster& cluster) : cluster_(cluster) {
  static std::atomic<int> worlds = 0;
  options_.url = cluster.url();
  options_.schema = "World \"" + std::to_string(++worlds);  // Needs quoting wherever it is named.
  options_.server = "test";
  const Result<std::int64_t> version = migrate_postgres(options_);
  if (!version) throw std::runtime_error(version.error().code + ": " + version.error().detail);
}

std::string PgWorld::quoted_schema() const { return quote_identifier(options_.schema); }

std::unique_ptr<Store> PgWorld::open(PostgresOptions options) const {
  Result<std::unique_ptr<Store>> store = open_postgres_store(options);
  if (!store) throw std::runtime_error(store.error().code + ": " + store.error().detail);
  return std::move(*store);
}

void PgWorld::empty() const {
  const std::string statements =
      sql("SELECT string_agg(format('DELETE FROM %I', tablename), ';') FROM pg_tables "
          "WHERE schemaname = current_schema() AND tablename NOT IN ('meta', 'schema_migration')");
  sql(statements + ";ALTER SEQUENCE event_position RESTART");
}

std::string PgWorld::sql(const std::string& text) const {
  return cluster_.sql("SET search_path TO " + quoted_schema() + "; " + text);
}

}  // namespace hotrow
