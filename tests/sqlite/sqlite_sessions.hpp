#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/sqlite/sqlite_store.hpp"
#include "tests/store/sample_rows.hpp"

// Sessions with a SQLite store as its tests need them.
namespace hotrow {

using namespace conformance;

inline std::unique_ptr<Store> open(const SqliteOptions& options) {
  Result<std::unique_ptr<Store>> store = open_sqlite_store(options);
  if (!store) throw std::runtime_error(store.error().detail);
  return std::move(*store);
}

inline std::unique_ptr<Queries> queries_of(Store& store) {
  Result<std::unique_ptr<Queries>> queries = store.open_queries();
  if (!queries) throw std::runtime_error(queries.error().detail);
  return std::move(*queries);
}

inline AttemptOptions attempt() {
  static std::int64_t number = 0;
  return {.id = {.server = "test", .number = ++number}};
}

inline Result<void> commit(Store& store, std::vector<RowWrite> writes, AttemptOptions options = attempt()) {
  Result<std::unique_ptr<Transaction>> transaction = store.open_transaction();
  (*transaction)->begin(options);
  if (Result<Locked> locked = (*transaction)->lock({}); !locked) return failure(locked.error());
  WriteSet set;
  for (RowWrite& write : writes) set.add(std::move(write));
  (*transaction)->apply(set.sorted());
  return (*transaction)->commit();
}

/// Runs SQL on the file as an operator with a shell would.
inline void run_sql(const std::string& path, const std::string& sql) {
  Result<sqlite::Connection> connection = sqlite::Connection::open_for_writing(path);
  ASSERT_TRUE(connection) << connection.error().detail;
  const Result<void> ran = connection->run(sql);
  ASSERT_TRUE(ran) << ran.error().detail;
}

}  // namespace hotrow
