#pragma once

#include <memory>
#include <string>

#include "hotrow/postgres/pg_store.hpp"
#include "tests/support/pg_cluster.hpp"

namespace hotrow {

/// The cluster that all tests of one program share; started with the first use.
PgCluster& shared_cluster();

/// A migrated schema of a test's own in a cluster, which it leaves there.
class PgWorld {
 public:
  explicit PgWorld(PgCluster& cluster = shared_cluster());
  PgWorld(const PgWorld&) = delete;
  PgWorld& operator=(const PgWorld&) = delete;

  PgCluster& cluster() { return cluster_; }
  const PostgresOptions& options() const { return options_; }
  std::string quoted_schema() const;
  /// Throws when it cannot be opened.
  std::unique_ptr<Store> open(PostgresOptions options) const;
  std::unique_ptr<Store> open() const { return open(options_); }
  /// Removes all rows and begins the feed anew.
  void empty() const;
  /// SQL as superuser with the schema in the search path.
  std::string sql(const std::string& text) const;

 private:
  PgCluster& cluster_;
  PostgresOptions options_;
};

}  // namespace hotrow
