#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotrow/core/row.hpp"

namespace hotrow {

/// A broken invariant: which, of what, how often.
struct Violation {
  std::string invariant;  ///< "ordinals_without_gap", ... (docs/guarantees.md lists them).
  std::string subject;    ///< "promotion/<id>".
  std::int64_t count = 0;
  std::string detail;
};

/// What a store counted in one snapshot, without judging it.
struct PromotionFacts {
  PromotionRow promotion;
  std::int64_t entries = 0;      ///< Rows.
  std::int64_t ordinal_min = 0;  ///< 0 without entries.
  std::int64_t ordinal_max = 0;
  std::int64_t ordinals_distinct = 0;
  std::int64_t users_distinct = 0;
  std::int64_t entries_out_of_time = 0;       ///< entered_at before starts_at, at or after ends_at, after the
                                              ///< close, or earlier than the entry with the ordinal before.
  std::vector<std::int64_t> winner_ordinals;  ///< Of the winner rows, ascending.
  std::int64_t winners_not_entered =
      0;  ///< Winner rows without an entry of that user at that ordinal and time.
  std::int64_t winners_without_event =
      0;                           ///< Without their promotion.winner_determined event, by id and user.
  std::int64_t winner_events = 0;  ///< Events of that type with this subject.
  std::int64_t closed_events = 0;
  std::int64_t events = 0;
  std::int64_t event_sequence_max = 0;
};

/// The answer of /audit and of `hotrow verify` for one promotion.
struct PromotionAudit {
  std::int64_t entries = 0;
  std::int64_t max_ordinal = 0;
  std::int64_t gaps = 0;
  std::int64_t duplicates = 0;
  std::int64_t winners_expected = 0;
  std::int64_t winners_pinned = 0;
  std::int64_t outbox_missing = 0;
  std::vector<Violation> violations;
  bool ok() const { return violations.empty(); }
};

/// Judges the counts. Pure: the same facts give the same verdict on every store.
PromotionAudit audit(const PromotionFacts& facts);

}  // namespace hotrow
