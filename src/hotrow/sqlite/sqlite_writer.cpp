#include "hotrow/sqlite/sqlite_writer.hpp"

#include <string>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/sqlite/sqlite_checked_write.hpp"

namespace hotrow::sqlite {
namespace {

constexpr std::string_view insert_promotion_sql =
    "INSERT INTO promotion (id, settings, starts_at, ends_at, phase, entries, winners, version, events, "
    "created_at, decided_at, closed_at, closed_by, close_reason, queue_max) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
constexpr std::string_view update_promotion_sql =
    "UPDATE promotion SET settings = ?2, starts_at = ?3, ends_at = ?4, phase = ?5, entries = ?6, winners = "
    "?7, "
    "version = ?8, events = ?9, created_at = ?10, decided_at = ?11, closed_at = ?12, closed_by = ?13, "
    "close_reason = ?14, queue_max = ?15 WHERE id = ?1";
constexpr std::string_view insert_entry_sql =
    "INSERT INTO entry (promotion, user_id, ordinal, entered_at, request_id, actor) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr std::string_view insert_winner_sql =
    "INSERT INTO winner (promotion, ordinal, user_id, entered_at, rule, event_id, server) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr std::string_view insert_event_sql =
    "INSERT INTO event (subject_kind, subject, sequence, type, id, data, occurred_at, traceparent) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr std::string_view insert_answer_sql =
    "INSERT INTO answer (bucket, owner, principal, key, fingerprint, answer, decided_at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

constexpr std::string_view mark_sql =
    "INSERT INTO commit_mark (server, number, committed, at) VALUES (?1, ?2, 1, ?3)";
constexpr std::string_view fence_sql =
    "INSERT INTO commit_mark (server, number, committed, at) VALUES (?1, ?2, 0, ?3) ON CONFLICT DO NOTHING";
constexpr std::string_view find_mark_sql =
    "SELECT committed FROM commit_mark WHERE server = ?1 AND number = ?2";

// A server's numbers rise with time, so its oldest marks come first and no index on `at` is needed.
constexpr std::string_view list_servers_sql =
    "WITH RECURSIVE one (server) AS ("
    "SELECT min(server) FROM commit_mark UNION ALL "
    "SELECT (SELECT min(m.server) FROM commit_mark AS m WHERE m.server > one.server) FROM one "
    "WHERE one.server IS NOT NULL) "
    "SELECT server FROM one WHERE server IS NOT NULL";
constexpr std::string_view remove_marks_sql =
    "DELETE FROM commit_mark WHERE server = ?1 AND number IN "
    "(SELECT number FROM commit_mark WHERE server = ?1 ORDER BY number LIMIT 500) AND at < ?2";
constexpr std::string_view remove_answers_sql =
    "DELETE FROM answer WHERE (bucket, owner, principal, key) IN "
    "(SELECT bucket, owner, principal, key FROM answer WHERE bucket < ?1 LIMIT 500)";

// How SQLite names the columns of a key that is taken.
constexpr std::string_view promotion_key_columns = "promotion.id";
constexpr std::string_view entry_key_columns = "entry.promotion, entry.user_id";
constexpr std::string_view winner_key_columns = "winner.promotion, winner.ordinal";
constexpr std::string_view event_key_columns = "event.subject_kind, event.subject, event.sequence";
constexpr std::string_view answer_key_columns = "answer.bucket, answer.owner, answer.principal, answer.key";
constexpr std::string_view mark_key_columns = "commit_mark.server, commit_mark.number";

Statement& bind_promotion(Statement& statement, const PromotionRow& row, const std::string& settings) {
  const std::optional<PromotionClosing>& closing = row.closing;
  return statement.bind(row.id, settings, row.settings->starts_at, row.settings->ends_at,
                        to_string(row.phase), row.entries, row.winners, row.version, row.events,
                        row.created_at, row.decided_at, closing ? std::optional(closing->at) : std::nullopt,
                        closing ? std::optional<std::string_view>(closing->by) : std::nullopt,
                        closing ? std::optional<std::string_view>(closing->reason) : std::nullopt,
                        row.queue_max);
}

}  // namespace

std::int64_t answer_bucket(Timestamp at) {
  const std::int64_t width = answer_bucket_width.count();
  return at.micros >= 0 ? at.micros / width : -((width - 1 - at.micros) / width);
}

Writer::Writer(Connection connection, std::chrono::hours answers_kept)
    : connection_(std::move(connection)),
      buckets_kept_(
          (std::chrono::microseconds(answers_kept) + answer_bucket_width - std::chrono::microseconds(1)) /
          answer_bucket_width) {
  HOTROW_ASSERT(buckets_kept_ >= 1);
}

Result<Writer> Writer::prepare(Connection connection, std::chrono::hours answers_kept) {
  Writer writer(std::move(connection), answers_kept);
  if (Result<void> prepared = writer.prepare_statements(); !prepared) return failure(prepared.error());
  return writer;
}

Result<void> Writer::prepare_statements() {
  Statements& s = statements_;
  const Result<void> prepared = prepare_all(
      connection_,
      {
          {s.find_promotion, select_promotions, "WHERE id = ?1"},
          {s.find_entry, select_entries, "WHERE promotion = ?1 AND user_id = ?2"},
          {s.find_answer, select_answers, "WHERE bucket = ?1 AND owner = ?2 AND principal = ?3 AND key = ?4"},
          {s.insert_promotion, insert_promotion_sql},
          {s.update_promotion, update_promotion_sql},
          {s.insert_entry, insert_entry_sql},
          {s.insert_winner, insert_winner_sql},
          {s.insert_event, insert_event_sql},
          {s.insert_answer, insert_answer_sql},
          {s.begin, "BEGIN IMMEDIATE"},
          {s.commit, "COMMIT"},
          {s.mark, mark_sql},
          {s.fence, fence_sql},
          {s.find_mark, find_mark_sql},
          {s.list_servers, list_servers_sql},
          {s.remove_marks, remove_marks_sql},
          {s.remove_answers, remove_answers_sql},
      });
  if (!prepared) return prepared;
  return market_.prepare(connection_);
}

void Writer::rollback() noexcept {
  // SQLite has rolled back by itself when a disk was full or failed.
  if (!connection_.in_transaction()) return;
  const Result<void> rolled_back = connection_.run("ROLLBACK");
  HOTROW_ASSERT(rolled_back.has_value() || !connection_.in_transaction());
}

Result<std::optional<Row>> Writer::read(const Key& key, Timestamp now) {
  if (MarketWriter::keeps(key.kind)) return market_.read(key);
  switch (key.kind) {
    case KeyKind::promotion: {
      Statement& find = statements_.find_promotion.bind(key.first);
      const Result<bool> found = find.step();
      if (!found) return failure(found.error());
      if (!*found) return std::nullopt;
      Result<PromotionRow> row = read_promotion(find, settings_);
      find.reset();
      if (!row) return failure(row.error());
      return Row(std::move(*row));
    }
    case KeyKind::entry: {
      Statement& find = statements_.find_entry.bind(key.first, key.second);
      const Result<bool> found = find.step();
      if (!found) return failure(found.error());
      if (!*found) return std::nullopt;
      Row row = read_entry(find);
      find.reset();
      return row;
    }
    case KeyKind::answer: return read_answer(key, now);
    default: break;
  }
  HOTROW_ASSERT(!"winners and events are only written");
  return std::nullopt;
}

Result<std::optional<Row>> Writer::read_answer(const Key& key, Timestamp now) {
  // One bucket more than are kept: an answer of the first moment in the oldest of them counts to the end.
  const std::int64_t latest = answer_bucket(now);
  for (std::int64_t bucket = latest; bucket >= latest - buckets_kept_; --bucket) {
    Statement& find = statements_.find_answer.bind(bucket, key.first, key.second, key.third);
    const Result<bool> found = find.step();
    if (!found) return failure(found.error());
    if (!*found) continue;
    Row row = sqlite::read_answer(find);
    find.reset();
    return row;
  }
  return std::nullopt;
}

Result<void> Writer::write(std::span<const RowWrite> writes) {
  for (const RowWrite& write : writes) {
    if (Result<void> written = write_one(write); !written) return written;
  }
  return {};
}

Result<void> Writer::write_one(const RowWrite& write) {
  if (MarketWriter::keeps(write.key.kind)) return market_.write(write);
  if (write.how == RowWrite::How::update) {
    const auto* promotion = std::get_if<PromotionRow>(&write.row);
    HOTROW_ASSERT(promotion != nullptr);  // Every other kind of row is immutable.
    return update(*promotion);
  }
  return std::visit(
      [this](const auto& row) -> Result<void> {
        if constexpr (requires { insert(row); }) return insert(row);
        HOTROW_ASSERT(!"a row of the auction under another's key");
        return {};
      },
      write.row);
}

Result<void> Writer::insert(const PromotionRow& row) {
  const std::string settings = encode_settings(*row.settings);
  return inserted(bind_promotion(statements_.insert_promotion, row, settings).run(), promotion_key_columns);
}

Result<void> Writer::update(const PromotionRow& row) {
  const std::string settings = encode_settings(*row.settings);
  return updated(bind_promotion(statements_.update_promotion, row, settings), promotion_key(row.id));
}

Result<void> Writer::insert(const EntryRow& row) {
  Statement& statement = statements_.insert_entry.bind(row.promotion, row.user, row.ordinal, row.entered_at,
                                                       row.request_id, row.actor);
  return inserted(statement.run(), entry_key_columns);
}

Result<void> Writer::insert(const WinnerRow& row) {
  Statement& statement = statements_.insert_winner.bind(row.promotion, row.ordinal, row.user, row.entered_at,
                                                        row.rule, row.event_id, row.server);
  return inserted(statement.run(), winner_key_columns);
}

Result<void> Writer::insert(const EventRow& row) {
  Statement& statement = statements_.insert_event.bind(row.subject_kind, row.subject, row.sequence, row.type,
                                                       row.id, row.data, row.occurred_at, row.traceparent);
  return inserted(statement.run(), event_key_columns);
}

Result<void> Writer::insert(const AnswerRow& row) {
  Statement& statement = statements_.insert_answer.bind(
      answer_bucket(row.decided_at), row.owner, row.principal, row.key,
      std::span<const std::uint8_t>(row.fingerprint), row.answer, row.decided_at);
  return inserted(statement.run(), answer_key_columns);
}

Result<void> Writer::mark(const AttemptId& id, Timestamp now) {
  return inserted(statements_.mark.bind(id.server, id.number, now).run(), mark_key_columns);
}

Result<void> Writer::commit() {
  Result<void> committed = statements_.commit.run();
  if (committed) return committed;
  if (connection_.in_transaction()) {
    rollback();  // Nothing was tried.
    return committed;
  }
  // A write of the log that failed left no whole commit there (see sqlite_log_vfs.hpp). When syncing failed
  // the commit's last page may have reached the log all the same: a crash now would bring it back. resolve()
  // writes over it.
  const bool unwritten =
      committed.error().code == "SQLITE_FULL" || committed.error().code == "SQLITE_IOERR_WRITE";
  committed.error().kind = unwritten ? ErrorKind::transient : ErrorKind::in_doubt;
  return committed;
}

Result<CommitFate> Writer::find_or_fence(const AttemptId& id, Timestamp now) {
  const Result<std::int64_t> fenced = changed_by(statements_.fence.bind(id.server, id.number, now));
  if (!fenced) return failure(fenced.error());
  if (*fenced == 1) return CommitFate::not_committed;
  Statement& find = statements_.find_mark.bind(id.server, id.number);
  const Result<bool> found = find.step();
  if (!found) return failure(found.error());
  HOTROW_ASSERT(*found);
  const bool is_committed = find.integer(0) == 1;
  find.reset();
  return is_committed ? CommitFate::committed : CommitFate::not_committed;
}

Result<std::int64_t> Writer::remove_marks(Timestamp marks_before) {
  std::vector<std::string> servers;
  for (statements_.list_servers.reset();;) {
    const Result<bool> more = statements_.list_servers.step();
    if (!more) return failure(more.error());
    if (!*more) break;
    servers.emplace_back(statements_.list_servers.text(0));
  }
  std::int64_t removed = 0;
  for (const std::string& server : servers) {
    const Result<std::int64_t> changed = changed_by(statements_.remove_marks.bind(server, marks_before));
    if (!changed) return changed;
    removed += *changed;
  }
  return removed;
}

Result<std::int64_t> Writer::remove_answers(Timestamp answers_before) {
  return changed_by(statements_.remove_answers.bind(answer_bucket(answers_before)));
}

}  // namespace hotrow::sqlite
