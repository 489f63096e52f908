#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotrow/postgres/pg_connection.hpp"
#include "hotrow/postgres/pg_store.hpp"

namespace hotrow {

/// What a session is for; shows in application_name and decides its time-outs.
enum class PgRole : std::uint8_t { writer, reader, upkeep };

/// A connection with everything stated that hotrow relies on, so that no default of the role, the database or
/// the server weakens it. Used by one thread.
class PgSession {
 public:
  /// Errors: as PgConnection::open(), and fatal, naming the setting, when one cannot be had.
  static Result<std::unique_ptr<PgSession>> open(const PostgresOptions& options, PgRole role);

  /// Names and values.
  using Settings = std::vector<std::pair<std::string, std::string>>;

  PgConnection& connection() { return *connection_; }

  /// To be queued first in every transaction. Behind a pooler a session's settings may be another's, so there
  /// they are stated again for the transaction; otherwise this does nothing. Returns how many answers that
  /// adds.
  std::size_t queue_settings();

  /// This server's clock as far as it is known without asking: for choosing tables, never for deciding.
  Timestamp server_clock() const;
  void note_server_clock(Timestamp now);

 private:
  PgSession(const PostgresOptions& options, PgRole role, std::unique_ptr<PgConnection> connection);

  Result<void> state_settings(const Settings& settings, std::chrono::milliseconds time);

  std::unique_ptr<PgConnection> connection_;
  PgParameters settings_;
  bool pooled_;
  Timestamp clock_;
  SteadyTime clock_read_at_;
};

/// A double-quoted identifier.
std::string quote_identifier(std::string_view name);

}  // namespace hotrow
