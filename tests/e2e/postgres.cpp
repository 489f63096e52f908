#include "tests/e2e/postgres.hpp"

#include <libpq-fe.h>

#include <stdexcept>

namespace hotrow::test {
namespace {

using QueryResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

SqlRow row_of(const PGresult* result, int row) {
  SqlRow out;
  for (int column = 0; column < PQnfields(result); ++column) {
    out.emplace_back(PQgetvalue(result, row, column),
                     static_cast<std::size_t>(PQgetlength(result, row, column)));
  }
  return out;
}

}  // namespace

PostgresSession::PostgresSession(const std::string& url)
    : connection_(PQconnectdb(url.c_str()), [](pg_conn* connection) { PQfinish(connection); }) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
}

PostgresSession::~PostgresSession() = default;

std::vector<SqlRow> PostgresSession::query(const std::string& sql) {
  const QueryResult result(PQexec(connection_.get(), sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
  std::vector<SqlRow> rows;
  for (int row = 0; row < PQntuples(result.get()); ++row) rows.push_back(row_of(result.get(), row));
  return rows;
}

std::string PostgresSession::value(const std::string& sql) {
  const std::vector<SqlRow> rows = query(sql);
  if (rows.empty() || rows.front().empty()) throw std::runtime_error("no row: " + sql);
  return rows.front().front();
}

std::string PostgresSession::quoted(const std::string& text) const {
  char* raw = PQescapeLiteral(connection_.get(), text.data(), text.size());
  const std::unique_ptr<char, decltype(&PQfreemem)> owned(raw, PQfreemem);
  return raw;
}

bool PostgresSession::answers(const std::string& url) {
  try {
    return PostgresSession(url).value("SELECT 1") == "1";
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace hotrow::test
