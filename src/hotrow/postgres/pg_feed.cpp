#include <algorithm>

#include "hotrow/postgres/pg_queries.hpp"
#include "hotrow/postgres/pg_statements.hpp"

// The feed, and how it never skips an event that commits late.
//
// Positions come from a sequence, so they are given out in ascending order and committed in any. A reader
// that sees 11 and not 10 cannot know whether 10 was rolled back or is about to be committed. Without a hole
// there is nothing to know: whatever is below what one sees is seen too. So pages are read as they are up to
// the first hole, and only a hole costs a second look.
//
// A transaction that has called nextval() keeps a lock on the sequence until it has ended, after its commit
// became visible. Whoever could still fill a hole therefore is among the holders of that lock *after* the
// hole was seen. When all of those have ended, the page is read anew: a hole that is still there stays one
// for ever. Nothing of this is stored or part of a cursor, so a feed that was dumped and restored into
// another cluster reads on. A session remembers up to where holes are settled, to look at each only once.
namespace hotrow {
namespace {

constexpr std::size_t scan_rows_min = 256;  ///< Where most rows are of other types.
constexpr int scans_max = 64;               ///< Rows looked at by one question are bounded.

EventRow decode_event(const PgResult& rows, int row) {
  return {.subject_kind = rows.string(row, 2),
          .subject = rows.string(row, 3),
          .sequence = rows.bigint(row, 4),
          .type = rows.string(row, 5),
          .id = rows.string(row, 6),
          .data = rows.string(row, 7),
          .occurred_at = {rows.bigint(row, 8)},
          .traceparent = rows.string(row, 9),
          .position = rows.bigint(row, 0)};
}

}  // namespace

Result<PgResult> PgQueries::read_feed(std::int64_t after, const EventsQuery& query) {
  const std::size_t scan = query.types.empty() ? query.limit : std::max(query.limit, scan_rows_min);
  PgParameters parameters;
  parameters.bigint(after);
  parameters.text_array(query.types, [](const std::string& type) -> std::string_view { return type; });
  parameters.bigint(std::int64_t(scan));
  return ask(statements::list_events, parameters);
}

/// Whether all holes below `horizon` are settled; `horizon` was seen in a read that has ended.
Result<bool> PgQueries::settle(std::int64_t horizon) {
  Result<PgResult> rows = ask(statements::list_position_drawers);
  if (!rows) return failure(rows.error());
  std::set<std::string> drawing;
  for (int row = 0; row < rows->rows(); ++row) drawing.insert(rows->string(row, 0));
  if (watch_) {
    std::erase_if(watch_->drawers, [&](const std::string& drawer) { return !drawing.contains(drawer); });
    if (watch_->drawers.empty()) {
      settled_position_ = std::max(settled_position_, watch_->horizon);
      watch_.reset();
    }
  }
  if (drawing.empty()) {
    settled_position_ = std::max(settled_position_, horizon);
  } else if (!watch_) {
    watch_ = HoleWatch{.horizon = horizon, .drawers = std::move(drawing)};
  }
  return settled_position_ >= horizon;
}

/// Adds the rows of one read up to the first hole that is not settled; says whether there is one.
bool PgQueries::take_events(const PgResult& rows, std::size_t limit, EventsPage& page) const {
  for (int row = 0; row < rows.rows() && page.events.size() < limit; ++row) {
    const std::int64_t position = rows.bigint(row, 0);
    const std::int64_t known_up_to = std::max(page.next_position, settled_position_);
    if (position > known_up_to + 1) return true;
    page.next_position = position;
    if (rows.boolean(row, 1)) page.events.push_back(decode_event(rows, row));
  }
  return false;
}

Result<EventsPage> PgQueries::events(const EventsQuery& query) {
  EventsPage page{.next_position = query.after_position};
  for (int scan = 0; scan < scans_max && page.events.size() < query.limit; ++scan) {
    Result<PgResult> rows = read_feed(page.next_position, query);
    if (!rows) return failure(rows.error());
    if (rows->rows() == 0) break;
    if (!take_events(*rows, query.limit, page)) continue;
    const std::int64_t settled_before = settled_position_;
    Result<bool> settled = settle(rows->bigint(rows->rows() - 1, 0));
    if (!settled) return failure(settled.error());
    if (!*settled && settled_position_ == settled_before) break;
  }
  return page;
}

Result<std::vector<EventRow>> PgQueries::timeline(const std::string& subject_kind, const std::string& subject,
                                                  std::int64_t after_sequence, std::size_t limit) {
  PgParameters parameters;
  parameters.text(subject_kind).text(subject).bigint(after_sequence).bigint(std::int64_t(limit));
  Result<PgResult> rows = ask(statements::list_timeline, parameters);
  if (!rows) return failure(rows.error());
  std::vector<EventRow> events;
  events.reserve(std::size_t(rows->rows()));
  for (int row = 0; row < rows->rows(); ++row) events.push_back(decode_event(*rows, row));
  return events;
}

}  // namespace hotrow
