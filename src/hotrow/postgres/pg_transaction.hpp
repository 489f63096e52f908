#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hotrow/postgres/pg_row_reading.hpp"
#include "hotrow/postgres/pg_session.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// Transaction on PostgreSQL; pg_transaction.cpp begins with how. `options` must outlive it.
class PgTransaction final : public Transaction {
 public:
  explicit PgTransaction(const PostgresOptions& options);
  ~PgTransaction() override;
  PgTransaction(const PgTransaction&) = delete;
  PgTransaction& operator=(const PgTransaction&) = delete;

  /// Opens the session ahead of the first attempt.
  Result<void> connect();

  void begin(const AttemptOptions& attempt) override;
  Result<Locked> lock(std::span<const Key> keys) override;
  void apply(std::span<const RowWrite> writes) override;
  Result<void> commit() override;
  void rollback() noexcept override;
  Result<Keys> held_by_others(std::span<const Key> keys) override;

 private:
  enum class Phase : std::uint8_t { idle, begun, open };
  struct Question;

  PgConnection& connection() { return session_->connection(); }
  SteadyTime deadline_after(std::chrono::milliseconds expected) const;
  std::size_t queue_begin();
  std::size_t queue_budget(std::chrono::milliseconds left, std::size_t rows_to_lock);
  static std::vector<Question> by_kind(std::span<const Key> keys);
  std::vector<Question> queue_questions(std::span<const Key> keys);
  void queue_question(std::span<const Key> keys, Question question, std::vector<Question>& questions);
  Result<Locked> take_rows(std::span<const Key> keys, const std::vector<Question>& questions,
                           std::span<const PgResult> answers);
  void end_attempt();
  Error end_failed(const PgExchange& exchange, PgMoment moment);

  const PostgresOptions& options_;
  std::unique_ptr<PgSession> session_;
  RowCaches caches_;
  Phase phase_ = Phase::idle;
  AttemptOptions attempt_;
  std::chrono::milliseconds waited_{0};  ///< In lock steps of this attempt.
  bool budget_stated_ = false;           ///< The transaction has time-outs of its own.
  std::vector<std::span<const RowWrite>> writes_;
};

}  // namespace hotrow
