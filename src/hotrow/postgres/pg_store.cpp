#include "hotrow/postgres/pg_store.hpp"

#include <poll.h>

#include <algorithm>

#include "hotrow/postgres/pg_queries.hpp"
#include "hotrow/postgres/pg_schema.hpp"
#include "hotrow/postgres/pg_session.hpp"
#include "hotrow/postgres/pg_statements.hpp"
#include "hotrow/postgres/pg_transaction.hpp"

namespace hotrow {
namespace {

/// Between two tries to reach a server that is starting again.
constexpr std::chrono::milliseconds reconnect_pause{50};
/// The ring must have room for what is kept and for the bucket that is being emptied.
constexpr std::chrono::hours answers_kept_max{(statements::answer_slots - 2) * 7 * 24};

class PgStore final : public Store {
 public:
  explicit PgStore(PostgresOptions options) : options_(std::move(options)) {}

  int writers_max() const override { return options_.writers_max; }

  Result<std::unique_ptr<Transaction>> open_transaction() override {
    auto transaction = std::make_unique<PgTransaction>(options_);
    if (Result<void> connected = transaction->connect(); !connected) return failure(connected.error());
    return transaction;
  }

  Result<std::unique_ptr<Queries>> open_queries() override {
    auto queries = std::make_unique<PgQueries>(options_);
    if (Result<void> connected = queries->connect(); !connected) return failure(connected.error());
    return queries;
  }

  Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds budget) override;
  Result<void> expire(Timestamp answers_before) override;

 private:
  Result<CommitFate> fence(const AttemptId& id, SteadyTime deadline) const;
  Result<void> expire_marks(PgSession& session) const;
  Result<void> expire_answers(PgSession& session, std::size_t slot, Timestamp before) const;
  Result<std::vector<PgResult>> run(PgSession& session) const;

  const PostgresOptions options_;
};

std::chrono::milliseconds time_until(SteadyTime deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyTime::clock::now());
}

Result<CommitFate> PgStore::resolve(const AttemptId& id, std::chrono::milliseconds budget) {
  const SteadyTime deadline = SteadyTime::clock::now() + budget;
  while (true) {
    Result<CommitFate> fate = fence(id, deadline);
    const bool may_come_back = !fate && fate.error().kind != ErrorKind::fatal;
    if (!may_come_back || time_until(deadline) <= reconnect_pause) return fate;
    // A server that is not there sends no event that one could wait for.
    ::poll(nullptr, 0, int(reconnect_pause.count()));
  }
}

/// Puts a fence where the attempt's mark would stand, in every table where it may, then looks for the mark.
/// Where the mark was first, the attempt has committed. The fences commit in either case: that commit stands
/// behind the attempt's in the log, so once it is answered, the attempt's is as durable (a standby included).
Result<CommitFate> PgStore::fence(const AttemptId& id, SteadyTime deadline) const {
  const std::chrono::milliseconds left = std::max(time_until(deadline), std::chrono::milliseconds(1));
  PostgresOptions bounded = options_;
  bounded.lock_timeout = bounded.statement_timeout = left;
  bounded.connect_timeout = std::min(bounded.connect_timeout, left);
  bounded.answer_grace = std::min(bounded.answer_grace, left);
  Result<std::unique_ptr<PgSession>> session = PgSession::open(bounded, PgRole::upkeep);
  if (!session) return failure(session.error());
  PgConnection& connection = (*session)->connection();
  const std::int64_t now = (*session)->server_clock().micros;
  connection.queue(statements::begin_read_committed);
  (*session)->queue_settings();
  for (std::size_t slot = 0; slot < statements::mark_slots; ++slot) {
    connection.queue(statements::insert_fence(slot),
                     PgParameters().text(id.server).bigint(id.number).bigint(now));
  }
  const std::size_t answers_before = connection.queued();
  for (std::size_t slot = 0; slot < statements::mark_slots; ++slot) {
    connection.queue(statements::is_marked(slot), PgParameters().text(id.server).bigint(id.number));
  }
  connection.queue(statements::commit);
  const PgExchange exchange = connection.exchange(deadline);
  if (exchange.fault) return failure(pg_error(*exchange.fault, PgMoment::before_commit));
  if (exchange.warning || exchange.results.back().tag() != "COMMIT") {
    return failure(ErrorKind::transient, "commit_tag",
                   exchange.warning.value_or("the fence was rolled back"));
  }
  const auto first = exchange.results.begin() + std::ptrdiff_t(answers_before);
  const bool marked = std::any_of(first, first + statements::mark_slots,
                                  [](const PgResult& answer) { return answer.boolean(0, 0); });
  return marked ? CommitFate::committed : CommitFate::not_committed;
}

Result<std::vector<PgResult>> PgStore::run(PgSession& session) const {
  PgExchange exchange = session.connection().exchange(SteadyTime::clock::now() + options_.statement_timeout +
                                                      options_.answer_grace);
  if (exchange.fault) return failure(pg_error(*exchange.fault, PgMoment::before_commit));
  return std::move(exchange.results);
}

Result<void> PgStore::expire(Timestamp answers_before) {
  Result<std::unique_ptr<PgSession>> session = PgSession::open(options_, PgRole::upkeep);
  if (!session) return failure(session.error());
  if (Result<void> done = expire_marks(**session); !done) return done;
  for (std::size_t slot = 0; slot < statements::answer_slots; ++slot) {
    if (Result<void> done = expire_answers(**session, slot, answers_before); !done) return done;
  }
  return {};
}

Result<void> PgStore::expire_marks(PgSession& session) const {
  const std::size_t slot = idle_mark_slot(session.server_clock());
  session.queue_settings();
  session.connection().queue(statements::any_mark(slot));
  auto results = run(session);
  if (!results) return failure(results.error());
  if (!results->back().boolean(0, 0)) return {};
  session.queue_settings();
  session.connection().queue(statements::truncate_marks(slot));
  if (auto emptied = run(session); !emptied) return failure(emptied.error());
  return {};
}

/// Empties one table of the ring when all of it is old enough. Looked at again under the lock: the ring may
/// come round at this very moment.
Result<void> PgStore::expire_answers(PgSession& session, std::size_t slot, Timestamp before) const {
  const auto all_old = [&](const PgResult& newest) {
    return !newest.is_null(0, 0) && AnswerBucket{newest.bigint(0, 0)}.ends_at() <= before;
  };
  PgConnection& connection = session.connection();
  session.queue_settings();
  connection.queue(statements::newest_answer_bucket(slot));
  auto seen = run(session);
  if (!seen) return failure(seen.error());
  if (!all_old(seen->back())) return {};

  connection.queue(statements::begin_read_committed);
  session.queue_settings();
  connection.queue(statements::lock_answers(slot));
  connection.queue(statements::newest_answer_bucket(slot));
  seen = run(session);
  if (seen && all_old(seen->back())) {
    connection.queue(statements::truncate_answers(slot));
    connection.queue(statements::commit);
    seen = run(session);
  }
  if (seen) return {};
  connection.queue(statements::rollback);
  connection.post();
  return failure(seen.error());
}

Result<void> check_schema(const PostgresOptions& options) {
  const Result<PostgresSchemaStatus> status = postgres_schema_status(options);
  if (!status) return failure(status.error());
  if (status->pending.empty()) return {};
  return failure(ErrorKind::fatal, "schema_behind",
                 "schema " + options.schema + " has " + std::to_string(status->applied.size()) +
                     " migrations, this program needs " + std::to_string(postgres_migrations().size()));
}

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_store(const PostgresOptions& options) {
  if (options.answers_kept > answers_kept_max) {
    return failure(ErrorKind::fatal, "answers_kept", "stored answers can be kept for at most 98 days");
  }
  if (Result<void> checked = check_schema(options); !checked) return failure(checked.error());
  return std::make_unique<PgStore>(options);
}

}  // namespace hotrow
