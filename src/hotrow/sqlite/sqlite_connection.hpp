#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/base/time.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace hotrow::sqlite {

/// A prepared statement. Texts are bound without a copy: they must live until the next reset() or bind().
/// Used by one thread at a time, and destroyed before its connection.
class Statement {
 public:
  Statement() = default;

  /// Resets the statement and binds all its parameters, from ?1 on.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }

  /// Binds further parameters, from ?`first` on.
  Statement& bind_more(int first, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) bind_one(first++, text);
    return *this;
  }

  /// True: there is a row. False: the statement is done, and reset. After an error it is reset as well.
  Result<bool> step();

  /// Runs a statement that answers no rows.
  Result<void> run();

  /// Rows that the last run() inserted, updated or deleted.
  std::int64_t changes() const;

  void reset() noexcept;

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  /// Valid until the next step() or reset().
  std::string_view text(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void bind_one(int index, std::string_view text);
  void bind_one(int index, const std::string& text) { bind_one(index, std::string_view(text)); }
  void bind_one(int index, const char* text) { bind_one(index, std::string_view(text)); }
  void bind_one(int index, std::int64_t number);
  void bind_one(int index, Timestamp at) { bind_one(index, at.micros); }
  void bind_one(int index, std::span<const std::uint8_t> bytes);
  void bind_one(int index, std::nullopt_t);
  template <class T>
  void bind_one(int index, const std::optional<T>& value) {
    value ? bind_one(index, *value) : bind_one(index, std::nullopt);
  }

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Reads the columns of a statement's row from left to right.
class Columns {
 public:
  explicit Columns(const Statement& statement) : statement_(statement) {}

  std::string text() { return std::string(statement_.text(next_++)); }
  std::string_view view() { return statement_.text(next_++); }
  std::int64_t integer() { return statement_.integer(next_++); }
  Timestamp time() { return {integer()}; }
  bool is_null() const { return statement_.is_null(next_); }
  void skip(int count) { next_ += count; }
  std::optional<Timestamp> optional_time() {
    if (!statement_.is_null(next_)) return time();
    ++next_;
    return std::nullopt;
  }

 private:
  const Statement& statement_;
  int next_ = 0;
};

/// One connection. Used by one thread at a time.
class Connection {
 public:
  /// The file is created when it is not there.
  static Result<Connection> open_for_writing(const std::string& path);
  /// Never checkpoints and never writes.
  static Result<Connection> open_for_reading(const std::string& path);

  /// Runs statements that take no parameters and whose answers nobody wants.
  Result<void> run(const std::string& sql);
  /// The text may come in two parts: the columns that a function reads, and which rows.
  Result<Statement> prepare(std::string_view sql, std::string_view rest = "");

  /// Whether a transaction is open. When COMMIT fails this tells whether anything was tried at all.
  bool in_transaction() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  explicit Connection(sqlite3* database) : database_(database) {}
  static Result<Connection> open(const std::string& path, int flags, const char* vfs);

  std::unique_ptr<sqlite3, Close> database_;
};

/// One of a session's statements and its text, in up to two parts.
struct StatementText {
  Statement& statement;
  std::string_view sql;
  std::string_view rest = "";
};

Result<void> prepare_all(Connection& connection, const std::vector<StatementText>& texts);

/// A transaction that ends in ROLLBACK unless commit() succeeded.
class Scope {
 public:
  static Result<Scope> begin(Connection& connection, const char* how = "BEGIN");
  Result<void> commit();
  Scope(Scope&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Scope& operator=(Scope&&) = delete;
  ~Scope();

 private:
  explicit Scope(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace hotrow::sqlite
