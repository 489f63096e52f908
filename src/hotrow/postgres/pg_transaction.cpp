#include "hotrow/postgres/pg_transaction.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/postgres/pg_statements.hpp"

// Two round trips, whatever the batch's size, and one more where rows name rows (a listing its wallets).
//
// The first takes the lock: BEGIN, the lock statement, the guarded reads and the clock are queued and go out
// in one flush. The server runs them in order, each with a snapshot of its own (READ COMMITTED). So the
// guarded reads, which come after the lock, see every transaction that held the row before us; in one
// statement they would share a snapshot older than the lock. And the clock is read last: it is later than
// the clock of whoever held the row before, so decisions on one row go forward in time.
//
// The second writes: one statement for each kind of row, with arrays for columns, then the commit mark, then
// COMMIT, again in one flush. Nobody here sees a row count before COMMIT is on its way, so every count that
// matters is checked by the server: an update that misses a row divides by zero, an insert that meets its
// key fails, and what follows a failed statement is skipped up to the sync, COMMIT included.
//
// The lock law. Rows are locked kind by kind, in the order of the array (the lock sits inside the loop over
// it), and callers pass ascending keys. So two attempts of any two servers lock upwards and cannot wait for
// each other in a circle. Unique inserts follow the same order.
//
// How long a lock may be waited for. lock_timeout counts for each row anew; it alone is enough where a
// statement locks one row with the usual budget, which is the session's own time-out and costs nothing.
// Otherwise the transaction states what is left, for the row and for the whole statement, anew before each
// further kind of the step. A server that does
// not answer in spite of its own time-outs is given up after `answer_grace`.
//
// What COMMIT came to. Only the tag COMMIT, without a WARNING, is a yes (a cancelled wait for a synchronous
// standby reports success with a warning). A failed statement before COMMIT, or a COMMIT that says it rolled
// back, is a no. Everything else is in doubt, and only the commit mark knows: it is written by the same
// transaction, and resolve() writes the same mark, waits for whoever is writing it, and sees who was first.
namespace hotrow {
namespace {

/// Around the border of a bucket, and for clocks that differ.
constexpr std::chrono::microseconds bucket_slack = std::chrono::hours(1);

/// An array for each of the first `count` parts of the asked keys.
void add_parts(PgParameters& to, std::span<const Key> keys, const std::vector<std::size_t>& asked,
               int count) {
  constexpr std::array<std::string Key::*, 3> parts = {&Key::first, &Key::second, &Key::third};
  for (const auto part : std::span(parts).first(std::size_t(count))) {
    to.text_array(asked, [&](std::size_t index) -> std::string_view { return keys[index].*part; });
  }
}

}  // namespace

/// One statement of a lock step: which keys it asks for, in the order of its array.
struct PgTransaction::Question {
  KeyKind kind;
  std::vector<std::size_t> asked;
};

PgTransaction::PgTransaction(const PostgresOptions& options) : options_(options) {}

PgTransaction::~PgTransaction() { rollback(); }

Result<void> PgTransaction::connect() {
  if (session_ != nullptr && connection().usable()) return {};
  session_.reset();
  Result<std::unique_ptr<PgSession>> session = PgSession::open(options_, PgRole::writer);
  if (!session) return failure(session.error());
  session_ = std::move(*session);
  return {};
}

void PgTransaction::begin(const AttemptOptions& attempt) {
  rollback();
  attempt_ = attempt;
  waited_ = std::chrono::milliseconds(0);
  phase_ = Phase::begun;
}

SteadyTime PgTransaction::deadline_after(std::chrono::milliseconds expected) const {
  return SteadyTime::clock::now() + expected + options_.answer_grace;
}

/// Queues what comes ahead of a step's own statements, and says how many answers that makes.
std::size_t PgTransaction::queue_begin() {
  if (phase_ == Phase::open) return 0;
  const bool serializable = attempt_.isolation == Isolation::serializable;
  connection().queue(serializable ? statements::begin_serializable : statements::begin_read_committed);
  return 1 + session_->queue_settings();
}

/// The session's own time-out is enough for one row with the usual budget.
std::size_t PgTransaction::queue_budget(std::chrono::milliseconds left, std::size_t rows_to_lock) {
  const bool usual = attempt_.lock_budget == options_.lock_timeout && waited_ < options_.lock_timeout / 10;
  if (rows_to_lock == 0 || (rows_to_lock == 1 && usual)) return 0;
  connection().queue(statements::set_lock_budget, PgParameters().text(std::to_string(left.count())));
  budget_stated_ = true;
  return 1;
}

/// Locked kinds first, then the guarded ones, so that these are read after all locks were had. What one kind
/// has waited, the next one cannot wait any more.
std::vector<PgTransaction::Question> PgTransaction::queue_questions(std::span<const Key> keys) {
  std::vector<Question> questions;
  for (const bool guarded : {false, true}) {
    for (Question& question : by_kind(keys)) {
      if (traits(question.kind).guarded != guarded) continue;
      if (!guarded && !questions.empty()) {
        connection().queue(statements::narrow_lock_budget,
                           PgParameters().bigint(attempt_.lock_budget.count()));
        questions.push_back({.kind = question.kind});
      }
      queue_question(keys, std::move(question), questions);
    }
  }
  return questions;
}

/// The keys must be sorted.
std::vector<PgTransaction::Question> PgTransaction::by_kind(std::span<const Key> keys) {
  std::vector<Question> kinds;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (kinds.empty() || kinds.back().kind != keys[i].kind) kinds.push_back({.kind = keys[i].kind});
    kinds.back().asked.push_back(i);
  }
  return kinds;
}

void PgTransaction::queue_question(std::span<const Key> keys, Question question,
                                   std::vector<Question>& questions) {
  if (question.kind == KeyKind::answer) {
    const Timestamp now = options_.clock ? options_.clock() : session_->server_clock();
    const AnswerBucket oldest = AnswerBucket::of(now - options_.answers_kept - bucket_slack);
    const AnswerBucket newest = AnswerBucket::of(now + bucket_slack);
    for (AnswerBucket bucket = oldest; bucket.number <= newest.number; ++bucket.number) {
      PgParameters probe;
      probe.bigint(bucket.number);
      add_parts(probe, keys, question.asked, 3);
      connection().queue(statements::read_answers(bucket.slot()), probe);
      questions.push_back(question);
    }
    return;
  }
  const RowReading reading = reading_of(question.kind);
  PgParameters parameters;
  add_parts(parameters, keys, question.asked, reading.parts);
  connection().queue(*reading.rows, parameters);
  questions.push_back(std::move(question));
}

Result<Locked> PgTransaction::lock(std::span<const Key> keys) {
  HOTROW_ASSERT(phase_ != Phase::idle);
  HOTROW_ASSERT(std::is_sorted(keys.begin(), keys.end()));
  if (phase_ == Phase::begun) {
    if (Result<void> connected = connect(); !connected) {
      phase_ = Phase::idle;
      return failure(connected.error());
    }
  }
  const std::chrono::milliseconds left = attempt_.lock_budget - waited_;
  const auto rows_to_lock =
      std::count_if(keys.begin(), keys.end(), [](const Key& key) { return !traits(key.kind).guarded; });
  if (rows_to_lock > 0 && left.count() <= 0) {
    rollback();
    return failure(ErrorKind::held, "lock_budget", "the lock steps before took the whole budget");
  }
  const std::size_t preamble = queue_begin() + queue_budget(left, std::size_t(rows_to_lock));
  const std::vector<Question> questions = queue_questions(keys);
  connection().queue(statements::read_clock);

  const SteadyTime asked_at = SteadyTime::clock::now();
  const PgExchange exchange = connection().exchange(deadline_after(std::max(left, {})));
  waited_ += std::chrono::duration_cast<std::chrono::milliseconds>(SteadyTime::clock::now() - asked_at);
  phase_ = Phase::open;
  if (exchange.fault) return failure(end_failed(exchange, PgMoment::before_commit));
  return take_rows(keys, questions, std::span(exchange.results).subspan(preamble));
}

Result<Locked> PgTransaction::take_rows(std::span<const Key> keys, const std::vector<Question>& questions,
                                        std::span<const PgResult> answers) {
  HOTROW_ASSERT(answers.size() == questions.size() + 1);
  Locked locked{.rows = std::vector<std::optional<Row>>(keys.size()), .now = {}};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& question = questions[i];
    for (int row = 0; row < answers[i].rows(); ++row) {
      const std::size_t index = question.asked[std::size_t(answers[i].bigint(row, 0)) - 1];
      Result<Row> decoded = decode_row(keys[index], answers[i], row, caches_);
      if (!decoded) {
        // One row that is not ours is the matter of those who need it, not of their whole batch.
        rollback();
        return failure(ErrorKind::invalid, decoded.error().code, decoded.error().detail);
      }
      locked.rows[index] = std::move(*decoded);
    }
  }
  const Timestamp server_clock = answers.back().timestamptz(0, 0);
  session_->note_server_clock(server_clock);
  locked.now = options_.clock ? options_.clock() : server_clock;
  return locked;
}

void PgTransaction::apply(std::span<const RowWrite> writes) { writes_.push_back(writes); }

Result<void> PgTransaction::commit() {
  HOTROW_ASSERT(phase_ == Phase::open);
  if (budget_stated_) {
    const std::string usual = std::to_string(options_.statement_timeout.count());
    connection().queue(statements::set_statement_timeout, PgParameters().text(usual));
  }
  for (const std::span<const RowWrite> writes : writes_) queue_writes(connection(), writes, caches_.settings);
  const Timestamp clock = session_->server_clock();
  connection().queue(statements::insert_mark(mark_slot(clock)),
                     PgParameters().text(attempt_.id.server).bigint(attempt_.id.number).bigint(clock.micros));
  const std::size_t before_commit = connection().queued();
  connection().queue(statements::commit);

  const PgExchange exchange = connection().exchange(deadline_after(options_.statement_timeout));
  if (exchange.fault) {
    const bool at_commit = exchange.lost || exchange.results.size() == before_commit;
    return failure(end_failed(exchange, at_commit ? PgMoment::at_commit : PgMoment::before_commit));
  }
  end_attempt();
  if (exchange.warning) {
    session_.reset();
    return failure(ErrorKind::in_doubt, "commit_warning", *exchange.warning);
  }
  const std::string_view tag = exchange.results.back().tag();
  if (tag == "COMMIT") return {};
  if (tag == "ROLLBACK")
    return failure(ErrorKind::conflict, "rolled_back", "COMMIT was answered by ROLLBACK");
  session_.reset();
  return failure(ErrorKind::in_doubt, "commit_tag", "COMMIT was answered by " + std::string(tag));
}

void PgTransaction::end_attempt() {
  writes_.clear();
  budget_stated_ = false;
  phase_ = Phase::idle;
}

/// Ends an attempt whose statements failed. What the server may still have open it closes with the session.
Error PgTransaction::end_failed(const PgExchange& exchange, PgMoment moment) {
  Error error = pg_error(*exchange.fault, moment);
  if (exchange.lost || error.kind == ErrorKind::in_doubt) {
    session_.reset();
    end_attempt();
  } else {
    rollback();
  }
  return error;
}

/// Sends ROLLBACK and does not wait for its answer: the next step of this session reads over it.
void PgTransaction::rollback() noexcept {
  if (phase_ == Phase::open && session_ != nullptr) {
    connection().queue(statements::rollback);
    connection().post();
  }
  end_attempt();
}

Result<Keys> PgTransaction::held_by_others(std::span<const Key> keys) {
  rollback();
  if (Result<void> connected = connect(); !connected) return failure(connected.error());
  attempt_.isolation = Isolation::read_committed;
  const std::size_t preamble = queue_begin();
  std::vector<Question> questions = by_kind(keys);
  std::erase_if(questions, [](const Question& question) { return traits(question.kind).guarded; });
  for (const Question& question : questions) {
    const RowReading reading = reading_of(question.kind);
    PgParameters parameters;
    add_parts(parameters, keys, question.asked, reading.parts);
    connection().queue(*reading.held_by_others, parameters);
  }
  connection().queue(statements::rollback);
  const PgExchange exchange = connection().exchange(deadline_after(options_.lock_timeout));
  if (exchange.fault) {
    phase_ = Phase::open;
    return failure(end_failed(exchange, PgMoment::before_commit));
  }
  Keys named;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const PgResult& held = exchange.results[preamble + i];
    for (int row = 0; row < held.rows(); ++row) {
      named.push_back(keys[questions[i].asked[std::size_t(held.bigint(row, 0)) - 1]]);
    }
  }
  return named;
}

}  // namespace hotrow
