#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "hotrow/core/key.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/sqlite/sqlite_market_writer.hpp"
#include "hotrow/sqlite/sqlite_rows.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow::sqlite {

/// Answers lie in buckets of a week: what has expired lies together, and a look-up knows where to look.
inline constexpr std::chrono::microseconds answer_bucket_width = std::chrono::hours(7 * 24);
std::int64_t answer_bucket(Timestamp at);

/// The process's one writing connection with its statements. It also does every checkpoint: before 3.51.3
/// two connections that race for one can damage the log. Used by whoever has the writer's turn.
class Writer {
 public:
  /// `answers_kept` says how far back answers are looked for, rounded up to whole buckets. The connection's
  /// schema must be current.
  static Result<Writer> prepare(Connection connection, std::chrono::hours answers_kept);

  /// Takes the database's write lock.
  Result<void> begin() { return statements_.begin.run(); }
  void rollback() noexcept;

  /// The row as the transaction sees it. Answers are looked for in the buckets that count at `now`.
  Result<std::optional<Row>> read(const Key& key, Timestamp now);

  /// Errors as of Transaction::commit().
  Result<void> write(std::span<const RowWrite> writes);

  /// Marks the attempt as committed; conflict when it was fenced.
  Result<void> mark(const AttemptId& id, Timestamp now);
  /// Durable when it returns. transient: certainly not committed, as when the disk is full. in_doubt: COMMIT
  /// was tried and failed halfway.
  Result<void> commit();

  /// What became of the attempt, in the transaction under way; fences it when it has no mark.
  Result<CommitFate> find_or_fence(const AttemptId& id, Timestamp now);

  /// Removes a few of the marks made before `marks_before`; returns how many.
  Result<std::int64_t> remove_marks(Timestamp marks_before);
  /// Removes a few of the answers in buckets that were over before `answers_before`; returns how many.
  Result<std::int64_t> remove_answers(Timestamp answers_before);

 private:
  Writer(Connection connection, std::chrono::hours answers_kept);
  Result<void> prepare_statements();

  Result<void> write_one(const RowWrite& write);
  Result<void> insert(const PromotionRow& row);
  Result<void> update(const PromotionRow& row);
  Result<void> insert(const EntryRow& row);
  Result<void> insert(const WinnerRow& row);
  Result<void> insert(const EventRow& row);
  Result<void> insert(const AnswerRow& row);
  Result<std::optional<Row>> read_answer(const Key& key, Timestamp now);

  /// A statement for each thing that is done; the texts stand in the .cpp.
  struct Statements {
    Statement find_promotion, find_entry, find_answer;
    Statement insert_promotion, update_promotion, insert_entry, insert_winner, insert_event, insert_answer;
    Statement begin, commit, mark, fence, find_mark, list_servers, remove_marks, remove_answers;
  };

  Connection connection_;
  Statements statements_;  // After the connection: destroyed before it.
  MarketWriter market_;    // Likewise.
  SettingsCache settings_;
  std::int64_t buckets_kept_;
};

}  // namespace hotrow::sqlite
