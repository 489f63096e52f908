#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
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
  PromotionRow promotion;  ///< Without settings when they cannot be read; then nothing else is counted.
  Timestamp starts_at;     ///< In the row's own columns, by which lists and the closing worker go.
  std::optional<Timestamp> ends_at;
  std::int64_t entries = 0;      ///< Rows.
  std::int64_t ordinal_min = 0;  ///< 0 without entries.
  std::int64_t ordinal_max = 0;
  std::int64_t ordinals_distinct = 0;
  std::int64_t users_distinct = 0;
  std::int64_t entries_out_of_time = 0;  ///< entered_at before starts_at, at or after ends_at, after the
                                         ///< close, or earlier than the entry before it by ordinal.

  // What EvidenceCounter counts.
  std::int64_t winners = 0;  ///< Rows.
  std::int64_t winners_off_target = 0;
  std::int64_t winners_of_another_rule = 0;
  std::int64_t winners_not_entered = 0;  ///< Without an entry of that user at that ordinal and time.
  std::int64_t winners_without_event =
      0;  ///< Without their promotion.winner_determined event, by id and user.
  std::int64_t winner_events_untrue = 0;  ///< That say anything else than entry and settings do.
  std::int64_t winner_events = 0;         ///< Events of that type with this subject.
  std::int64_t closed_events = 0;
  std::int64_t events = 0;
  std::int64_t event_sequence_max = 0;
  std::int64_t events_out_of_order = 0;  ///< Not behind the event before them in the feed.
  std::optional<EventRow> changed;       ///< The latest promotion.changed.
  std::optional<EventRow> closed;        ///< The latest promotion.closed.
};

/// A winner row with what a store found where it points.
struct WinnerEvidence {
  WinnerRow winner;
  std::optional<EntryRow> entry;  ///< At the winner's place.
  std::optional<EventRow> event;  ///< With the winner's event_id, whatever it tells of.
};

/// Counts rows that a store hands over one after the other: there may be more of them than fit in memory.
/// Used by one thread.
class EvidenceCounter {
 public:
  /// `facts` has the promotion with its settings, and outlives the counter.
  explicit EvidenceCounter(PromotionFacts& facts);

  /// All winners, in any order.
  void add(const WinnerEvidence& evidence);

  /// All events of the promotion, ascending by sequence. The `data` of promotion.winner_determined is not
  /// looked at here.
  void add(EventRow event);

 private:
  void add_event_of(const WinnerEvidence& evidence);

  PromotionFacts& facts_;
  std::string rule_;
  boost::json::object told_;  ///< Data of a winner's event; the entry's members change.
  std::int64_t position_ = 0;
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
