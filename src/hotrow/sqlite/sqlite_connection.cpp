#include "hotrow/sqlite/sqlite_connection.hpp"

#include <sqlite3.h>

#include "hotrow/base/assert.hpp"
#include "hotrow/sqlite/sqlite_log_vfs.hpp"

namespace hotrow::sqlite {
namespace {

/// How long a statement waits for a lock that only another process, or a reader that recovers the log, can
/// have. This process's own writers wait for their turn elsewhere.
constexpr int busy_timeout_ms = 5'000;

const char* name_of(int code) {
  switch (code) {
    case SQLITE_BUSY: return "SQLITE_BUSY";
    case SQLITE_LOCKED: return "SQLITE_LOCKED";
    case SQLITE_FULL: return "SQLITE_FULL";
    case SQLITE_IOERR: return "SQLITE_IOERR";
    case SQLITE_NOMEM: return "SQLITE_NOMEM";
    case SQLITE_INTERRUPT: return "SQLITE_INTERRUPT";
    case SQLITE_CONSTRAINT: return "SQLITE_CONSTRAINT";
    case SQLITE_TOOBIG: return "SQLITE_TOOBIG";
    case SQLITE_MISMATCH: return "SQLITE_MISMATCH";
    case SQLITE_CORRUPT: return "SQLITE_CORRUPT";
    case SQLITE_NOTADB: return "SQLITE_NOTADB";
    case SQLITE_CANTOPEN: return "SQLITE_CANTOPEN";
    case SQLITE_READONLY: return "SQLITE_READONLY";
    case SQLITE_PERM: return "SQLITE_PERM";
    default: return "SQLITE_ERROR";
  }
}

ErrorKind kind_of(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH: return ErrorKind::invalid;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT: return ErrorKind::transient;
    default: return ErrorKind::fatal;
  }
}

tl::unexpected<Error> last_failure(sqlite3* database) {
  const int extended = sqlite3_extended_errcode(database);
  const int code = extended & 0xff;
  const char* name = extended == SQLITE_IOERR_WRITE ? "SQLITE_IOERR_WRITE" : name_of(code);
  return failure(kind_of(code), name, sqlite3_errmsg(database));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

void Connection::Close::operator()(sqlite3* database) const noexcept {
  const int code = sqlite3_close(database);
  HOTROW_ASSERT(code == SQLITE_OK);  // A statement outlived its connection.
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  tl::unexpected<Error> failed = last_failure(sqlite3_db_handle(statement_.get()));
  reset();
  return failed;
}

Result<void> Statement::run() {
  const Result<bool> more = step();
  if (!more) return failure(more.error());
  HOTROW_ASSERT(!*more);
  return {};
}

std::int64_t Statement::changes() const { return sqlite3_changes64(sqlite3_db_handle(statement_.get())); }

void Statement::reset() noexcept { sqlite3_reset(statement_.get()); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const auto size = std::size_t(sqlite3_column_bytes(statement_.get(), column));
  return bytes != nullptr ? std::string_view(static_cast<const char*>(bytes), size) : std::string_view();
}

void Statement::bind_one(int index, std::string_view text) {
  const char* bytes = text.data() != nullptr ? text.data() : "";  // A null pointer would bind NULL.
  const int code =
      sqlite3_bind_text64(statement_.get(), index, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  HOTROW_ASSERT(code == SQLITE_OK);
}

void Statement::bind_one(int index, std::int64_t number) {
  HOTROW_ASSERT(sqlite3_bind_int64(statement_.get(), index, number) == SQLITE_OK);
}

void Statement::bind_one(int index, std::span<const std::uint8_t> bytes) {
  const int code = sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC);
  HOTROW_ASSERT(code == SQLITE_OK);
}

void Statement::bind_one(int index, std::nullopt_t) {
  HOTROW_ASSERT(sqlite3_bind_null(statement_.get(), index) == SQLITE_OK);
}

Result<Connection> Connection::open(const std::string& path, int flags, const char* vfs) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, vfs);
  if (database == nullptr) return failure(ErrorKind::transient, name_of(code), "out of memory");
  Connection connection(database);
  if (code != SQLITE_OK) {
    return failure(ErrorKind::fatal, name_of(code & 0xff), path + ": " + sqlite3_errmsg(database));
  }
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, busy_timeout_ms);
  return connection;
}

Result<Connection> Connection::open_for_writing(const std::string& path) {
  return open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, log_gathering_vfs());
}

Result<Connection> Connection::open_for_reading(const std::string& path) {
  Result<Connection> connection = open(path, SQLITE_OPEN_READONLY, nullptr);
  if (!connection) return connection;
  sqlite3_db_config(connection->database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (Result<void> set = connection->run("PRAGMA wal_autocheckpoint = 0"); !set) return failure(set.error());
  return connection;
}

Result<void> Connection::run(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return last_failure(database_.get());
}

Result<Statement> Connection::prepare(std::string_view sql, std::string_view rest) {
  const std::string text = std::string(sql) + std::string(rest);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), text.c_str(), int(text.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) return Statement(statement);
  return last_failure(database_.get());
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

Result<void> prepare_all(Connection& connection, const std::vector<StatementText>& texts) {
  for (const StatementText& text : texts) {
    Result<Statement> prepared = connection.prepare(text.sql, text.rest);
    if (!prepared) return failure(prepared.error());
    text.statement = std::move(*prepared);
  }
  return {};
}

Result<Scope> Scope::begin(Connection& connection, const char* how) {
  if (Result<void> begun = connection.run(how); !begun) return failure(begun.error());
  return Scope(connection);
}

Result<void> Scope::commit() { return connection_->run("COMMIT"); }

Scope::~Scope() {
  if (connection_ == nullptr || !connection_->in_transaction()) return;
  const Result<void> rolled_back = connection_->run("ROLLBACK");
  HOTROW_ASSERT(rolled_back.has_value() || !connection_->in_transaction());
}

}  // namespace hotrow::sqlite
