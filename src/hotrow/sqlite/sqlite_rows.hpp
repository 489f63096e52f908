#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hotrow/base/result.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"

namespace hotrow::sqlite {

/// Settings by their text. A promotion's row is read once a batch and its settings hardly ever change, while
/// reading them means JSON and a regular expression. Used by one thread at a time.
class SettingsCache {
 public:
  /// ErrorKind::fatal when the text is none that this program wrote.
  Result<std::shared_ptr<const PromotionSettings>> decode(std::string_view text);

 private:
  std::unordered_map<std::string, std::shared_ptr<const PromotionSettings>> known_;
};

/// What the functions below read, in their order; the statement goes on with WHERE.
inline constexpr std::string_view select_promotions =
    "SELECT id, settings, phase, entries, winners, version, events, created_at, decided_at, closed_at, "
    "closed_by, close_reason FROM promotion ";
inline constexpr std::string_view select_entries =
    "SELECT promotion, user_id, ordinal, entered_at, request_id, actor FROM entry ";
inline constexpr std::string_view select_winners =
    "SELECT promotion, ordinal, user_id, entered_at, rule, event_id, server FROM winner ";
inline constexpr std::string_view select_events =
    "SELECT subject_kind, subject, sequence, type, id, data, occurred_at, traceparent, position FROM event ";
inline constexpr std::string_view select_answers =
    "SELECT owner, principal, key, fingerprint, answer, decided_at FROM answer ";

Result<PromotionRow> read_promotion(const Statement& statement, SettingsCache& settings);
EntryRow read_entry(const Statement& statement);
WinnerRow read_winner(const Statement& statement);
EventRow read_event(const Statement& statement);
AnswerRow read_answer(const Statement& statement);

}  // namespace hotrow::sqlite
