#pragma once

#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace hotrow::test {

using SqlRow = std::vector<std::string>;  ///< NULL reads as "".

/// A stranger's session on the database: what psql would do. Blocks; used by one thread.
class PostgresSession {
 public:
  /// Throws std::runtime_error when there is no connection to be had.
  explicit PostgresSession(const std::string& url);
  ~PostgresSession();
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  /// Runs one or more statements. Returns the rows of the last; throws std::runtime_error when one fails.
  std::vector<SqlRow> query(const std::string& sql);
  /// The first column of the first row.
  std::string value(const std::string& sql);
  std::string quoted(const std::string& text) const;

  /// True when a connection is given and a question answered.
  static bool answers(const std::string& url);

 private:
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
};

}  // namespace hotrow::test
