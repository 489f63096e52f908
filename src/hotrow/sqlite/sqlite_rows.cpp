#include "hotrow/sqlite/sqlite_rows.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/core/listing_codec.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::sqlite {
namespace {

constexpr std::size_t settings_known_max = 1'000;
constexpr std::size_t terms_known_max = 10'000;

}  // namespace

SettingsCache::SettingsCache() : TextCache(decode_settings, settings_known_max, settings_unreadable) {}

TermsCache::TermsCache() : TextCache(decode_terms, terms_known_max, "terms_unreadable") {}

Result<PromotionRow> read_promotion(const Statement& statement, SettingsCache& settings) {
  Columns columns(statement);
  PromotionRow row{.id = columns.text()};
  auto decoded = settings.decode(columns.view());
  if (!decoded) return failure(ErrorKind::fatal, decoded.error().code, "settings of promotion " + row.id);
  row.settings = std::move(*decoded);
  const std::optional<PromotionPhase> phase = phase_from_string(columns.view());
  HOTROW_ASSERT(phase.has_value());  // The table's own CHECK.
  row.phase = *phase;
  row.entries = columns.integer();
  row.winners = columns.integer();
  row.version = columns.integer();
  row.events = columns.integer();
  row.created_at = columns.time();
  row.decided_at = columns.time();
  if (const std::optional<Timestamp> closed_at = columns.optional_time()) {
    row.closing = PromotionClosing{.at = *closed_at, .by = columns.text(), .reason = columns.text()};
  }
  if (!statement.is_null(queue_max_column)) row.queue_max = statement.integer(queue_max_column);
  return row;
}

EntryRow read_entry(const Statement& statement) {
  Columns columns(statement);
  return {.promotion = columns.text(),
          .user = columns.text(),
          .ordinal = columns.integer(),
          .entered_at = columns.time(),
          .request_id = columns.text(),
          .actor = columns.text()};
}

WinnerRow read_winner(const Statement& statement) {
  Columns columns(statement);
  return {.promotion = columns.text(),
          .ordinal = columns.integer(),
          .user = columns.text(),
          .entered_at = columns.time(),
          .rule = columns.text(),
          .event_id = columns.text(),
          .server = columns.text()};
}

EventRow read_event(const Statement& statement) {
  Columns columns(statement);
  return {.subject_kind = columns.text(),
          .subject = columns.text(),
          .sequence = columns.integer(),
          .type = columns.text(),
          .id = columns.text(),
          .data = columns.text(),
          .occurred_at = columns.time(),
          .traceparent = columns.text(),
          .position = columns.integer()};
}

AnswerRow read_answer(const Statement& statement) {
  Columns columns(statement);
  AnswerRow row{.owner = columns.text(), .principal = columns.text(), .key = columns.text()};
  const std::string_view fingerprint = columns.view();
  HOTROW_ASSERT(fingerprint.size() == row.fingerprint.size());  // The table's own CHECK.
  std::copy(fingerprint.begin(), fingerprint.end(), row.fingerprint.begin());
  row.answer = columns.text();
  row.decided_at = columns.time();
  return row;
}

}  // namespace hotrow::sqlite
