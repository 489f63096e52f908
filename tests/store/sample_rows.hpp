#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/core/write_set.hpp"
#include "tests/store/market_sample_rows.hpp"

namespace hotrow::conformance {

/// 2026-12-01T03:00:00Z: when everything in the samples begins.
Timestamp start_time();

/// A promotion open since start_time() without end; the 3rd entry wins.
PromotionRow promotion_row(std::string id);
/// The same with other settings.
PromotionRow promotion_row(std::string id, PromotionSettings settings);
PromotionSettings sample_settings();

/// Entered `ordinal` seconds after start_time().
EntryRow entry_row(std::string promotion, std::string user, std::int64_t ordinal);
/// Matches entry_row() and sample_settings().
WinnerRow winner_row(std::string promotion, std::string user, std::int64_t ordinal);
/// What announces winner_row(), as the subject's `sequence`-th event.
EventRow winner_event(std::string promotion, std::string user, std::int64_t ordinal, std::int64_t sequence);
/// What tells of the promotion's latest change.
EventRow changed_event(const PromotionRow& promotion, std::int64_t sequence);
EventRow event_row(std::string promotion, std::int64_t sequence);
AnswerRow answer_row(std::string key, Timestamp decided_at);

/// Ids that a careless store confuses, cuts or refuses.
const std::vector<std::string>& difficult_ids();

Key key_of(const Row& row);
RowWrite insert(Row row);
RowWrite update(Row row);

/// Every column of a row as readable text. Feed positions are left out: the store gives them.
std::string to_text(const Row& row);
std::string to_text(const std::optional<Row>& row);

template <class R>
std::vector<std::string> to_texts(const std::vector<R>& rows) {
  std::vector<std::string> texts;
  for (const R& row : rows) texts.push_back(to_text(Row(row)));
  return texts;
}

}  // namespace hotrow::conformance
