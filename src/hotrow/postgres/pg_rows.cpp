#include "hotrow/postgres/pg_rows.hpp"

#include <map>

#include "hotrow/postgres/pg_columns.hpp"
#include "hotrow/postgres/pg_market_rows.hpp"
#include "hotrow/postgres/pg_statements.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow {
namespace {

constexpr std::chrono::microseconds bucket_length = std::chrono::hours(7 * 24);
constexpr std::chrono::microseconds mark_slot_length = std::chrono::hours(6);
/// Longer than any transaction lives.
constexpr std::chrono::microseconds bucket_overlap = std::chrono::hours(1);

std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1 : quotient;
}

std::size_t floor_modulo(std::int64_t number, std::size_t slots) {
  return std::size_t(number - floor_divide(number, std::int64_t(slots)) * std::int64_t(slots));
}

constexpr auto id_of = [](const PromotionRow* row) -> std::string_view { return row->id; };
constexpr auto starts_of = [](const PromotionRow* row) { return row->settings->starts_at.micros; };
constexpr auto ends_of = [](const PromotionRow* row) -> std::optional<std::int64_t> {
  if (!row->settings->ends_at) return std::nullopt;
  return row->settings->ends_at->micros;
};
constexpr auto phase_of = [](const PromotionRow* row) { return to_string(row->phase); };
constexpr auto closed_at_of = [](const PromotionRow* row) -> std::optional<std::int64_t> {
  if (!row->closing) return std::nullopt;
  return row->closing->at.micros;
};
constexpr auto closed_by_of = [](const PromotionRow* row) -> std::optional<std::string_view> {
  if (!row->closing) return std::nullopt;
  return row->closing->by;
};
constexpr auto close_reason_of = [](const PromotionRow* row) -> std::optional<std::string_view> {
  if (!row->closing) return std::nullopt;
  return row->closing->reason;
};

constexpr auto queue_max_of = [](const PromotionRow* row) { return row->queue_max; };

std::vector<std::string> encode_all(const Rows<PromotionRow>& rows) {
  std::vector<std::string> texts;
  for (const PromotionRow* row : rows) texts.push_back(encode_settings(*row->settings));
  return texts;
}

constexpr auto as_view = [](const std::string& text) -> std::string_view { return text; };

void queue_inserts(PgConnection& connection, const Rows<PromotionRow>& rows) {
  if (rows.empty()) return;
  PgParameters p;
  p.text_array(rows, id_of).text_array(encode_all(rows), as_view);
  p.bigint_array(rows, starts_of).bigint_array(rows, ends_of).text_array(rows, phase_of);
  add_bigints(p, rows, &PromotionRow::entries);
  add_bigints(p, rows, &PromotionRow::winners);
  add_bigints(p, rows, &PromotionRow::version);
  add_bigints(p, rows, &PromotionRow::events);
  add_times(p, rows, &PromotionRow::created_at);
  add_times(p, rows, &PromotionRow::decided_at);
  p.bigint_array(rows, closed_at_of).text_array(rows, closed_by_of).text_array(rows, close_reason_of);
  p.bigint_array(rows, queue_max_of);
  connection.queue(statements::insert_promotions, p);
}

void queue_updates(PgConnection& connection, const Rows<PromotionRow>& rows) {
  if (rows.empty()) return;
  PgParameters p;
  p.text_array(rows, id_of).text_array(rows, phase_of);
  add_bigints(p, rows, &PromotionRow::entries);
  add_bigints(p, rows, &PromotionRow::winners);
  add_bigints(p, rows, &PromotionRow::version);
  add_bigints(p, rows, &PromotionRow::events);
  add_times(p, rows, &PromotionRow::decided_at);
  p.bigint_array(rows, closed_at_of).text_array(rows, closed_by_of).text_array(rows, close_reason_of);
  p.bigint_array(rows, queue_max_of);
  connection.queue(statements::update_promotions, p);
}

void queue_settings(PgConnection& connection, const Rows<PromotionRow>& rows) {
  if (rows.empty()) return;
  PgParameters p;
  p.text_array(rows, id_of).text_array(encode_all(rows), as_view);
  p.bigint_array(rows, starts_of).bigint_array(rows, ends_of);
  connection.queue(statements::update_promotion_settings, p);
}

void queue_promotions(PgConnection& connection, std::span<const RowWrite> writes,
                      const SettingsCache& cache) {
  using How = RowWrite::How;
  queue_inserts(connection, select<PromotionRow>(writes, How::insert));
  queue_updates(connection, select<PromotionRow>(writes, How::update));
  queue_settings(connection,
                 select<PromotionRow>(writes, [&](const RowWrite& write, const PromotionRow& row) {
                   return write.how == How::update && !cache.is_current(row.id, row.settings);
                 }));
}

void queue_inserts(PgConnection& connection, const Rows<EntryRow>& rows) {
  PgParameters p;
  add_texts(p, rows, &EntryRow::promotion);
  add_texts(p, rows, &EntryRow::user);
  add_bigints(p, rows, &EntryRow::ordinal);
  add_times(p, rows, &EntryRow::entered_at);
  add_texts(p, rows, &EntryRow::request_id);
  add_texts(p, rows, &EntryRow::actor);
  connection.queue(statements::insert_entries, p);
}

void queue_inserts(PgConnection& connection, const Rows<WinnerRow>& rows) {
  PgParameters p;
  add_texts(p, rows, &WinnerRow::promotion);
  add_bigints(p, rows, &WinnerRow::ordinal);
  add_texts(p, rows, &WinnerRow::user);
  add_times(p, rows, &WinnerRow::entered_at);
  add_texts(p, rows, &WinnerRow::rule);
  add_texts(p, rows, &WinnerRow::event_id);
  add_texts(p, rows, &WinnerRow::server);
  connection.queue(statements::insert_winners, p);
}

void queue_inserts(PgConnection& connection, const Rows<EventRow>& rows) {
  PgParameters p;
  add_texts(p, rows, &EventRow::subject_kind);
  add_texts(p, rows, &EventRow::subject);
  add_bigints(p, rows, &EventRow::sequence);
  add_texts(p, rows, &EventRow::type);
  add_texts(p, rows, &EventRow::id);
  add_texts(p, rows, &EventRow::data);
  add_times(p, rows, &EventRow::occurred_at);
  add_texts(p, rows, &EventRow::traceparent);
  connection.queue(statements::insert_events, p);
}

void queue_bucket(PgConnection& connection, AnswerBucket bucket, const Rows<AnswerRow>& rows) {
  if (rows.empty()) return;
  PgParameters p;
  p.bigint(bucket.number);
  add_texts(p, rows, &AnswerRow::owner);
  add_texts(p, rows, &AnswerRow::principal);
  add_texts(p, rows, &AnswerRow::key);
  p.bytea_array(rows, [](const AnswerRow* row) -> std::string_view {
    return {reinterpret_cast<const char*>(row->fingerprint.data()), row->fingerprint.size()};
  });
  add_texts(p, rows, &AnswerRow::answer);
  add_times(p, rows, &AnswerRow::decided_at);
  connection.queue(statements::insert_answers(bucket.slot()), p);
}

/// Two servers may decide the same key on both sides of a bucket's border, neither seeing the other's answer.
/// So in the first hour of a bucket an answer is also written to the bucket before, where the unique key
/// stops one of them; after that hour whoever wrote to the bucket before has long ended and is seen.
void queue_inserts(PgConnection& connection, const Rows<AnswerRow>& rows) {
  std::map<std::int64_t, Rows<AnswerRow>> by_bucket;
  for (const AnswerRow* row : rows) {
    by_bucket[AnswerBucket::of(row->decided_at - bucket_overlap).number].push_back(row);
    Rows<AnswerRow>& own = by_bucket[AnswerBucket::of(row->decided_at).number];
    if (own.empty() || own.back() != row) own.push_back(row);
  }
  for (const auto& [number, members] : by_bucket) queue_bucket(connection, {number}, members);
}

template <class R>
void queue_kind(PgConnection& connection, std::span<const RowWrite> writes) {
  const Rows<R> rows = select<R>(writes);
  if (!rows.empty()) queue_inserts(connection, rows);
}

}  // namespace

Result<PromotionRow> decode_promotion(const PgResult& rows, int row, SettingsCache& cache) {
  PromotionRow promotion{.id = rows.string(row, 1)};
  promotion.settings = cache.parse(promotion.id, rows.text(row, 2));
  const std::optional<PromotionPhase> phase = phase_from_string(rows.text(row, 3));
  if (promotion.settings == nullptr) {
    return failure(ErrorKind::fatal, settings_unreadable, "settings of promotion " + promotion.id);
  }
  if (!phase) return failure(ErrorKind::fatal, "unreadable", "phase of promotion " + promotion.id);
  promotion.phase = *phase;
  promotion.entries = rows.bigint(row, 4);
  promotion.winners = rows.bigint(row, 5);
  promotion.version = rows.bigint(row, 6);
  promotion.events = rows.bigint(row, 7);
  promotion.created_at = {rows.bigint(row, 8)};
  promotion.decided_at = {rows.bigint(row, 9)};
  if (!rows.is_null(row, 10)) {
    promotion.closing = PromotionClosing{
        .at = {rows.bigint(row, 10)}, .by = rows.string(row, 11), .reason = rows.string(row, 12)};
  }
  if (!rows.is_null(row, 13)) promotion.queue_max = rows.bigint(row, 13);
  return promotion;
}

EntryRow decode_entry(const PgResult& rows, int row, int column, std::string promotion, std::string user) {
  return {.promotion = std::move(promotion),
          .user = std::move(user),
          .ordinal = rows.bigint(row, column),
          .entered_at = {rows.bigint(row, column + 1)},
          .request_id = rows.string(row, column + 2),
          .actor = rows.string(row, column + 3)};
}

AnswerBucket AnswerBucket::of(Timestamp at) { return {floor_divide(at.micros, bucket_length.count())}; }

std::size_t AnswerBucket::slot() const { return floor_modulo(number, statements::answer_slots); }

Timestamp AnswerBucket::ends_at() const { return {(number + 1) * bucket_length.count()}; }

std::size_t mark_slot(Timestamp at) {
  return floor_modulo(floor_divide(at.micros, mark_slot_length.count()), statements::mark_slots);
}

std::size_t idle_mark_slot(Timestamp at) { return (mark_slot(at) + 2) % statements::mark_slots; }

void queue_writes(PgConnection& connection, std::span<const RowWrite> writes, const SettingsCache& cache) {
  queue_promotions(connection, writes, cache);
  queue_locked_market_rows(connection, writes);
  queue_kind<EntryRow>(connection, writes);
  queue_kind<WinnerRow>(connection, writes);
  queue_guarded_market_rows(connection, writes);
  queue_kind<EventRow>(connection, writes);
  queue_kind<AnswerRow>(connection, writes);
}

}  // namespace hotrow
