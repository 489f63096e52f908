#include "hotrow/postgres/pg_session.hpp"

#include <utility>
#include <vector>

#include "hotrow/postgres/pg_statements.hpp"

namespace hotrow {
namespace {

using Settings = PgSession::Settings;

std::string_view name_of(PgRole role) {
  switch (role) {
    case PgRole::writer: return "writer";
    case PgRole::reader: return "reader";
    case PgRole::upkeep: return "upkeep";
  }
  return "unknown";
}

std::string milliseconds(std::chrono::milliseconds time) { return std::to_string(time.count()); }

/// What every session states. Isolation and READ WRITE stand in BEGIN itself.
Settings settings_for(const PostgresOptions& options, PgRole role) {
  const auto statement_timeout = role == PgRole::reader ? options.read_timeout : options.statement_timeout;
  Settings settings = {
      {"search_path", quote_identifier(options.schema) + ", pg_temp"},
      {"synchronous_commit", "on"},  // set_settings keeps remote_apply, which is stronger.
      {"TimeZone", "UTC"},
      {"client_min_messages", "warning"},  // A cancelled wait for a standby is told in a WARNING.
      {"default_transaction_read_only", "off"},
      {"default_transaction_deferrable", "off"},
      {"exit_on_error", "off"},
      {"standard_conforming_strings", "on"},
      {"lock_timeout", milliseconds(options.lock_timeout)},
      {"statement_timeout", milliseconds(statement_timeout)},
      {"idle_in_transaction_session_timeout", milliseconds(options.idle_in_transaction_timeout)},
      {"idle_session_timeout", "0"},
      {"client_connection_check_interval", "2000"},
      {"row_security", "on"},
      {"jit", "off"},
      // Every statement looks rows up by a key. Where a young table's statistics would have the planner read
      // the whole of it, these leave it no way to (the plan tests say for which tables that matters).
      {"plan_cache_mode", "force_generic_plan"},
      {"enable_seqscan", "off"},
      {"enable_bitmapscan", "off"},
      {"enable_hashjoin", "off"},
      {"enable_mergejoin", "off"},
      {"enable_memoize", "off"},
      {"enable_sort", "off"},
      {"enable_nestloop", "on"},
      {"enable_indexscan", "on"},
      {"enable_indexonlyscan", "on"},
      {"max_parallel_workers_per_gather", "0"},
  };
  return settings;
}

PgParameters to_parameters(const Settings& settings, bool pooled) {
  PgParameters parameters;
  parameters.text_array(settings, [](const auto& setting) { return std::string_view(setting.first); });
  parameters.text_array(settings, [](const auto& setting) { return std::string_view(setting.second); });
  parameters.boolean(pooled);
  return parameters;
}

/// Texts must come back as asked; numbers come back with a unit, and a wrong one is an error already.
bool is_as_asked(const std::string& name, const std::string& asked, std::string_view got) {
  if (name == "synchronous_commit" && got == "remote_apply") return true;
  if (asked.find_first_not_of("0123456789") == std::string::npos) return true;
  return got == asked;
}

}  // namespace

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

PgSession::PgSession(const PostgresOptions& options, PgRole role, std::unique_ptr<PgConnection> connection)
    : connection_(std::move(connection)),
      settings_(to_parameters(settings_for(options, role), !options.prepared)),
      pooled_(!options.prepared) {}

Result<std::unique_ptr<PgSession>> PgSession::open(const PostgresOptions& options, PgRole role) {
  std::string name = "hotrow/" + options.server + "/";
  name.resize(std::min<std::size_t>(name.size(), 55));
  name += name_of(role);
  Result<std::unique_ptr<PgConnection>> connection =
      PgConnection::open({.url = options.url,
                          .application_name = std::move(name),
                          .connect_timeout = options.connect_timeout,
                          .prepared = options.prepared});
  if (!connection) return failure(connection.error());
  std::unique_ptr<PgSession> session(new PgSession(options, role, std::move(*connection)));
  if (Result<void> stated = session->state_settings(settings_for(options, role), options.answer_grace);
      !stated) {
    return failure(stated.error());
  }
  return session;
}

Result<void> PgSession::state_settings(const Settings& settings, std::chrono::milliseconds time) {
  connection_->queue(statements::set_settings, settings_);
  connection_->queue(statements::read_clock);
  const PgExchange exchange = connection_->exchange(SteadyTime::clock::now() + time);
  if (exchange.fault) {
    Error error = pg_error(*exchange.fault, PgMoment::before_commit);
    const bool may_pass = error.kind == ErrorKind::transient || error.kind == ErrorKind::held;
    if (may_pass) return failure(ErrorKind::transient, error.code, error.detail);
    return failure(ErrorKind::fatal, "session_setting", error.detail);
  }
  const PgResult& stated = exchange.results[0];
  for (int row = 0; row < stated.rows(); ++row) {
    const auto& [setting, asked] = settings[std::size_t(row)];
    if (is_as_asked(setting, asked, stated.text(row, 0))) continue;
    std::string detail = setting;
    detail.append(" is needed as '")
        .append(asked)
        .append("' and stays '")
        .append(stated.text(row, 0))
        .append("'");
    return failure(ErrorKind::fatal, "session_setting", std::move(detail));
  }
  note_server_clock(exchange.results[1].timestamptz(0, 0));
  return {};
}

std::size_t PgSession::queue_settings() {
  if (!pooled_) return 0;
  connection_->queue(statements::set_settings, settings_);
  return 1;
}

Timestamp PgSession::server_clock() const {
  const auto passed =
      std::chrono::duration_cast<std::chrono::microseconds>(SteadyTime::clock::now() - clock_read_at_);
  return clock_ + passed;
}

void PgSession::note_server_clock(Timestamp now) {
  clock_ = now;
  clock_read_at_ = SteadyTime::clock::now();
}

}  // namespace hotrow
