#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/postgres/pg_error.hpp"
#include "hotrow/postgres/pg_wire.hpp"

struct pg_conn;

namespace hotrow {

/// One SQL text and the name it is prepared under in a session. A connection knows a statement by its
/// address: it must outlive the connection.
struct PgStatement {
  const char* name;
  const char* sql;
};

/// What came back from one exchange().
struct PgExchange {
  std::vector<PgResult> results;       ///< Of the statements before the first failure, in the order queued.
  std::optional<PgFault> fault;        ///< The first failure; what was queued after it was not executed.
  bool lost = false;                   ///< The connection is gone or was given up at the deadline.
  std::optional<std::string> warning;  ///< A WARNING that came along.
};

/// A connection to PostgreSQL in pipeline mode: statements are queued, go out in one flush and are answered
/// in one round trip. Used by one thread.
///
/// Non-blocking throughout, with a deadline on every wait: a connection whose answer does not come in time is
/// given up, never waited for. (Connecting is bounded by `connect_timeout` for each host of the URL.)
class PgConnection {
 public:
  struct Options {
    std::string url;
    std::string application_name;  ///< Cut to 63 bytes.
    std::chrono::milliseconds connect_timeout{5000};
    bool prepared = true;  ///< Off: statements stay unnamed, for PgBouncer in transaction mode.
  };

  /// Connects, to a server that is not in recovery unless the URL says otherwise. Errors: transient; fatal
  /// for a server before version 14 or a database that is not in UTF-8.
  static Result<std::unique_ptr<PgConnection>> open(const Options& options);

  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  /// Queues one execution, prepared on first use. Sends nothing by itself (but may, when much is queued).
  void queue(const PgStatement& statement, const PgParameters& parameters = {});

  /// Statements queued since the last exchange() or post().
  std::size_t queued() const { return queued_; }

  /// Sends what is queued and collects all answers. Statements queued together outside an explicit
  /// transaction are one.
  PgExchange exchange(SteadyTime deadline);

  /// Sends what is queued and leaves the answers to the next exchange(), which throws them away.
  void post();

  /// Runs several statements in one text, without parameters or results, outside the pipeline.
  Result<void> script(const std::string& sql, SteadyTime deadline);

  /// False when the server has closed the connection meanwhile, or an exchange was lost. Does not wait.
  bool usable();

 private:
  struct Close {
    void operator()(pg_conn* connection) const noexcept;
  };
  enum class Awaited : unsigned char { preparation, result, sync };
  struct Pending {
    Awaited what;
    const PgStatement* statement;  ///< Of a preparation.
  };
  struct Reading;

  PgConnection(std::unique_ptr<pg_conn, Close> connection, bool prepared);

  void end_segment();
  pg_result* next_result(SteadyTime deadline, PgExchange& exchange);
  void collect(const Pending& pending, SteadyTime deadline, PgExchange& exchange, bool keep);
  void note_failure(const pg_result* result, PgExchange& exchange);
  void give_up(PgExchange& exchange, const std::string& why);
  bool wait(bool to_write, SteadyTime deadline);
  static void take_notice(void* self, const pg_result* notice);

  std::unique_ptr<pg_conn, Close> connection_;
  bool prepared_;
  bool broken_ = false;
  std::unordered_set<const PgStatement*> known_statements_;  ///< Prepared here.
  std::vector<Pending> pending_;
  std::size_t queued_ = 0;
  std::size_t segments_posted_ = 0;
  std::optional<std::string> warning_;
};

}  // namespace hotrow
