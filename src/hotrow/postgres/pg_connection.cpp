#include "hotrow/postgres/pg_connection.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

constexpr int server_version_min = 140000;

std::string last_message(const PGconn* connection) {
  std::string message = PQerrorMessage(connection);
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

std::string field(const PGresult* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value != nullptr ? value : "";
}

PGconn* connect(const PgConnection::Options& options) {
  const std::string seconds =
      std::to_string(std::max<std::int64_t>(2, options.connect_timeout.count() / 1000));
  struct Keyword {
    const char* name;
    const char* value;
  };
  // A later keyword wins: the URL may change what stands before it and nothing that stands after it.
  const std::array keywords = {
      Keyword{"connect_timeout", seconds.c_str()},
      Keyword{"tcp_user_timeout", "10000"},
      Keyword{"keepalives", "1"},
      Keyword{"keepalives_idle", "10"},
      Keyword{"keepalives_interval", "5"},
      Keyword{"keepalives_count", "3"},
      // Not "read-write": that also refuses a role whose transactions are read only by default, which
      // BEGIN READ WRITE overrides.
      Keyword{"target_session_attrs", "primary"},
      // A role's own time-outs must not hit the very statement that replaces them. Poolers refuse `options`.
      Keyword{"options", options.prepared ? "-c statement_timeout=0 -c idle_session_timeout=0" : ""},
      Keyword{"dbname", options.url.c_str()},
      Keyword{"application_name", options.application_name.c_str()},
      Keyword{"client_encoding", "UTF8"},
  };
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const Keyword& keyword : keywords) {
    names.push_back(keyword.name);
    values.push_back(keyword.value);
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  return PQconnectdbParams(names.data(), values.data(), 1);
}

Result<void> check_server(const PGconn* connection) {
  if (PQserverVersion(connection) < server_version_min) {
    return failure(
        ErrorKind::fatal, "server_version",
        "PostgreSQL 14 or newer is needed, this is " + std::to_string(PQserverVersion(connection) / 10000));
  }
  const char* encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return failure(ErrorKind::fatal, "server_encoding",
                   std::string("the database must be in UTF8, this one is in ") +
                       (encoding != nullptr ? encoding : "an unknown encoding"));
  }
  return {};
}

}  // namespace

void PgConnection::Close::operator()(pg_conn* connection) const noexcept { PQfinish(connection); }

PgConnection::PgConnection(std::unique_ptr<pg_conn, Close> connection, bool prepared)
    : connection_(std::move(connection)), prepared_(prepared) {
  PQsetNoticeReceiver(connection_.get(), &PgConnection::take_notice, this);
}

PgConnection::~PgConnection() = default;

Result<std::unique_ptr<PgConnection>> PgConnection::open(const Options& options) {
  std::unique_ptr<pg_conn, Close> connection(connect(options));
  if (connection == nullptr) return failure(ErrorKind::transient, "connect", "out of memory");
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    const bool no_password = PQconnectionNeedsPassword(connection.get()) == 1;
    return failure(no_password ? ErrorKind::fatal : ErrorKind::transient, "connect",
                   last_message(connection.get()));
  }
  if (Result<void> checked = check_server(connection.get()); !checked) return failure(checked.error());
  if (PQsetnonblocking(connection.get(), 1) != 0 || PQenterPipelineMode(connection.get()) != 1) {
    return failure(ErrorKind::transient, "connect", last_message(connection.get()));
  }
  return std::unique_ptr<PgConnection>(new PgConnection(std::move(connection), options.prepared));
}

void PgConnection::queue(const PgStatement& statement, const PgParameters& parameters) {
  ++queued_;
  if (broken_) return;
  const PgParameters::View view = parameters.view();
  pg_conn* connection = connection_.get();
  bool sent = true;
  if (prepared_ && known_statements_.insert(&statement).second) {
    sent = PQsendPrepare(connection, statement.name, statement.sql, 0, nullptr) == 1;
    pending_.push_back({Awaited::preparation, &statement});
  }
  if (sent && prepared_) {
    sent = PQsendQueryPrepared(connection, statement.name, parameters.count(), view.values.data(),
                               view.lengths.data(), view.formats.data(), 1) == 1;
  } else if (sent) {
    sent = PQsendQueryParams(connection, statement.sql, parameters.count(), nullptr, view.values.data(),
                             view.lengths.data(), view.formats.data(), 1) == 1;
  }
  pending_.push_back({Awaited::result, &statement});
  if (!sent) broken_ = true;
}

void PgConnection::end_segment() {
  pending_.push_back({Awaited::sync, nullptr});
  queued_ = 0;
  if (!broken_ && PQpipelineSync(connection_.get()) != 1) broken_ = true;
}

void PgConnection::post() {
  end_segment();
  if (!broken_ && PQflush(connection_.get()) < 0) broken_ = true;
  ++segments_posted_;
}

PgExchange PgConnection::exchange(SteadyTime deadline) {
  PgExchange discarded;
  PgExchange kept;
  end_segment();
  warning_.reset();
  std::size_t segments_to_discard = std::exchange(segments_posted_, 0);
  const std::vector<Pending> awaited = std::exchange(pending_, {});
  if (broken_) give_up(kept, last_message(connection_.get()));
  for (const Pending& pending : awaited) {
    PgExchange& exchange = segments_to_discard > 0 ? discarded : kept;
    if (broken_) break;
    collect(pending, deadline, exchange, segments_to_discard == 0);
    if (pending.what == Awaited::sync && segments_to_discard > 0) --segments_to_discard;
  }
  if (discarded.lost) {
    kept.lost = true;
    kept.fault = std::move(discarded.fault);
  }
  kept.warning = std::exchange(warning_, std::nullopt);
  return kept;
}

/// Takes the answer that is due next. In pipeline mode each statement ends with a null result, a sync does
/// not.
void PgConnection::collect(const Pending& pending, SteadyTime deadline, PgExchange& exchange, bool keep) {
  std::unique_ptr<pg_result, void (*)(pg_result*)> result(next_result(deadline, exchange), &PQclear);
  if (broken_) return;
  const ExecStatusType status = PQresultStatus(result.get());
  if (pending.what == Awaited::preparation && status != PGRES_COMMAND_OK) {
    known_statements_.erase(pending.statement);
  }
  if (pending.what == Awaited::sync) {
    if (status != PGRES_PIPELINE_SYNC) give_up(exchange, "the answer to a sync is missing");
    return;
  }
  switch (status) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
      if (pending.what == Awaited::result && keep) exchange.results.emplace_back(result.release());
      break;
    case PGRES_PIPELINE_ABORTED:
      if (!exchange.fault) give_up(exchange, "a statement was skipped without a failure before it");
      break;
    default: note_failure(result.get(), exchange);
  }
  if (broken_) return;
  if (pg_result* end = next_result(deadline, exchange)) {
    PQclear(end);
    give_up(exchange, "more than one answer to a statement");
  }
}

void PgConnection::note_failure(const pg_result* result, PgExchange& exchange) {
  if (!exchange.fault && result != nullptr) {
    exchange.fault = PgFault{.sqlstate = field(result, PG_DIAG_SQLSTATE),
                             .constraint = field(result, PG_DIAG_CONSTRAINT_NAME),
                             .message = field(result, PG_DIAG_MESSAGE_PRIMARY)};
    const std::string more = field(result, PG_DIAG_MESSAGE_DETAIL);
    if (!more.empty()) exchange.fault->message += ": " + more;
    if (exchange.fault->message.empty()) exchange.fault->message = PQresultErrorMessage(result);
  }
  const std::string severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const bool ends_session = severity == "FATAL" || severity == "PANIC";
  if (result == nullptr || ends_session || PQstatus(connection_.get()) != CONNECTION_OK) {
    give_up(exchange, last_message(connection_.get()));
  }
}

/// The next result, null at the end of a statement. Goes on sending while it waits: the server may be
/// blocked on its own answers until we read them.
pg_result* PgConnection::next_result(SteadyTime deadline, PgExchange& exchange) {
  pg_conn* connection = connection_.get();
  while (true) {
    const int unsent = PQflush(connection);
    if (unsent < 0) break;
    if (PQisBusy(connection) == 0) return PQgetResult(connection);
    if (!wait(unsent == 1, deadline)) {
      give_up(exchange, "no answer within the deadline");
      return nullptr;
    }
    if (PQconsumeInput(connection) == 0 && PQisBusy(connection) == 1) break;
  }
  give_up(exchange, last_message(connection));
  return nullptr;
}

void PgConnection::give_up(PgExchange& exchange, const std::string& why) {
  broken_ = true;
  exchange.lost = true;
  if (!exchange.fault) exchange.fault = PgFault{.sqlstate = "", .constraint = "", .message = why};
}

bool PgConnection::wait(bool to_write, SteadyTime deadline) {
  const int socket = PQsocket(connection_.get());
  if (socket < 0) return false;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyTime::clock::now());
    if (left.count() <= 0) return false;
    pollfd entry{.fd = socket, .events = short(POLLIN | (to_write ? POLLOUT : 0)), .revents = 0};
    const int ready = ::poll(&entry, 1, int(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

void PgConnection::take_notice(void* self, const pg_result* notice) {
  auto* connection = static_cast<PgConnection*>(self);
  if (field(notice, PG_DIAG_SEVERITY_NONLOCALIZED) != "WARNING") return;
  connection->warning_ = field(notice, PG_DIAG_MESSAGE_PRIMARY);
}

bool PgConnection::usable() {
  if (broken_) return false;
  pg_conn* connection = connection_.get();
  // Twice: the first may find the server's last words, the second that it has hung up.
  for (int i = 0; i < 2; ++i) {
    if (PQconsumeInput(connection) == 0) broken_ = true;
    if (!broken_ && pending_.empty()) PQisBusy(connection);
  }
  if (PQstatus(connection) != CONNECTION_OK) broken_ = true;
  return !broken_;
}

Result<void> PgConnection::script(const std::string& sql, SteadyTime deadline) {
  HOTROW_ASSERT(pending_.empty());
  pg_conn* connection = connection_.get();
  PgExchange exchange;
  if (PQexitPipelineMode(connection) != 1 || PQsendQuery(connection, sql.c_str()) != 1) {
    return failure(ErrorKind::transient, "08006", last_message(connection));
  }
  while (pg_result* result = next_result(deadline, exchange)) {
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) note_failure(result, exchange);
    PQclear(result);
  }
  if (!broken_ && PQenterPipelineMode(connection) != 1) broken_ = true;
  if (exchange.fault) return failure(pg_error(*exchange.fault, PgMoment::before_commit));
  return {};
}

}  // namespace hotrow
