#include "hotrow/postgres/pg_statements.hpp"

#include <string>

#include "hotrow/base/assert.hpp"

namespace hotrow::statements {

const PgStatement begin_read_committed{"begin_read_committed",
                                       "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
const PgStatement begin_serializable{"begin_serializable",
                                     "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE NOT DEFERRABLE"};
const PgStatement begin_snapshot{"begin_snapshot", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
const PgStatement commit{"commit", "COMMIT"};
const PgStatement rollback{"rollback", "ROLLBACK"};

const PgStatement set_settings{"set_settings", R"(
SELECT set_config(s.name, CASE WHEN s.name = 'synchronous_commit' AND current_setting(s.name) = 'remote_apply'
                               THEN 'remote_apply' ELSE s.value END, $3)
FROM unnest($1::text[], $2::text[]) AS s(name, value))"};
const PgStatement set_statement_timeout{"set_statement_timeout",
                                        "SELECT set_config('statement_timeout', $1, true)"};
const PgStatement set_lock_budget{
    "set_lock_budget",
    "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)"};
const PgStatement narrow_lock_budget{"narrow_lock_budget", R"(
SELECT FROM (SELECT greatest(1, $1::bigint - ceil(1000 * extract(epoch FROM clock_timestamp() -
                                                                             transaction_timestamp()))::bigint)::text
             OFFSET 0) AS rest(ms)
WHERE set_config('lock_timeout', ms, true) IS NULL OR set_config('statement_timeout', ms, true) IS NULL)"};
const PgStatement read_clock{"read_clock", "SELECT clock_timestamp()"};

// The lock sits inside the loop over the array, so rows are locked in its order, and each is read as it is
// once its lock was had. FOR NO KEY UPDATE: nothing here changes a key.
const PgStatement lock_promotions{"lock_promotions", R"(
SELECT u.n, p.id, p.settings, p.phase, p.entries, p.winners, p.version, p.events, p.created_at, p.decided_at,
       p.closed_at, p.closed_by, p.close_reason, p.queue_max
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT * FROM promotion WHERE id = u.id FOR NO KEY UPDATE) AS p)"};

const PgStatement promotions_held_by_others{"promotions_held_by_others", R"(
SELECT u.n
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT id FROM promotion WHERE id = u.id LIMIT 1) AS there
LEFT JOIN LATERAL (SELECT id FROM promotion WHERE id = u.id FOR NO KEY UPDATE SKIP LOCKED) AS had ON true
WHERE had.id IS NULL)"};

const PgStatement read_entries{"read_entries", R"(
SELECT u.n, e.ordinal, e.entered_at, e.request_id, e.actor
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(promotion, user_id, n)
CROSS JOIN LATERAL (SELECT ordinal, entered_at, request_id, actor FROM entry
                    WHERE promotion = u.promotion AND user_id = u.user_id LIMIT 1) AS e)"};

const PgStatement insert_promotions{"insert_promotions", R"(
INSERT INTO promotion (id, settings, starts_at, ends_at, phase, entries, winners, version, events, created_at,
                       decided_at, closed_at, closed_by, close_reason, queue_max)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[],
                     $14::text[], $15::bigint[]))"};

// unnest() in the select list rather than in FROM, which would first put every array into a store of its own
// of 16 KiB: a fifth of an insert's time, and three quarters of the update of one listing with its 18 arrays.
//
// Writes and COMMIT travel together, so nobody could look at a row count in between: the server itself must
// refuse. Dividing by zero when a row was not found is the plainest way to fail a statement from within SQL.
const PgStatement update_promotions{"update_promotions", R"(
WITH changed AS (
  UPDATE promotion AS p
  SET phase = u.phase, entries = u.entries, winners = u.winners, version = u.version, events = u.events,
      decided_at = u.decided_at, closed_at = u.closed_at, closed_by = u.closed_by, close_reason = u.close_reason,
      queue_max = u.queue_max
  FROM (SELECT unnest($1::text[]) AS id, unnest($2::text[]) AS phase, unnest($3::bigint[]) AS entries,
               unnest($4::bigint[]) AS winners, unnest($5::bigint[]) AS version, unnest($6::bigint[]) AS events,
               unnest($7::bigint[]) AS decided_at, unnest($8::bigint[]) AS closed_at, unnest($9::text[]) AS closed_by,
               unnest($10::text[]) AS close_reason, unnest($11::bigint[]) AS queue_max) AS u
  WHERE p.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer FROM changed)"};

const PgStatement update_promotion_settings{"update_promotion_settings", R"(
WITH changed AS (
  UPDATE promotion AS p SET settings = u.settings, starts_at = u.starts_at, ends_at = u.ends_at
  FROM (SELECT unnest($1::text[]) AS id, unnest($2::text[]) AS settings, unnest($3::bigint[]) AS starts_at,
               unnest($4::bigint[]) AS ends_at) AS u
  WHERE p.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer FROM changed)"};

const PgStatement insert_entries{"insert_entries", R"(
INSERT INTO entry (promotion, user_id, ordinal, entered_at, request_id, actor)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::text[]),
       unnest($6::text[]))"};

const PgStatement insert_winners{"insert_winners", R"(
INSERT INTO winner (promotion, ordinal, user_id, entered_at, rule, event_id, server)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[]))"};

// The position comes from the column's default, row by row in the array's order.
const PgStatement insert_events{"insert_events", R"(
INSERT INTO event (subject_kind, subject, sequence, type, id, data, occurred_at, traceparent)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::text[])::json, unnest($7::bigint[]), unnest($8::text[]))"};

namespace {

/// One statement for each table of a ring: the text with the slot's number in place of every '#'.
template <std::size_t Slots>
class Ring {
 public:
  Ring(const std::string& name, const std::string& sql) {
    for (std::size_t slot = 0; slot < Slots; ++slot) {
      names_[slot] = name + "_" + std::to_string(slot);
      for (const char c : sql) texts_[slot] += c == '#' ? std::to_string(slot) : std::string(1, c);
      statements_[slot] = {names_[slot].c_str(), texts_[slot].c_str()};
    }
  }

  Ring(const Ring&) = delete;  // The statements point into the texts.
  Ring& operator=(const Ring&) = delete;

  const PgStatement& operator[](std::size_t slot) const {
    HOTROW_ASSERT(slot < Slots);
    return statements_[slot];
  }

 private:
  std::array<std::string, Slots> names_;
  std::array<std::string, Slots> texts_;
  std::array<PgStatement, Slots> statements_;
};

using AnswerRing = Ring<answer_slots>;
using MarkRing = Ring<mark_slots>;

}  // namespace

const PgStatement& read_answers(std::size_t slot) {
  static const AnswerRing ring("read_answers", R"(
SELECT u.n, a.fingerprint, a.answer, a.decided_at
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS u(owner, principal, key, n)
CROSS JOIN LATERAL (SELECT fingerprint, answer, decided_at FROM answer_#
                    WHERE bucket = $1 AND owner = u.owner AND principal = u.principal AND key = u.key
                    LIMIT 1) AS a)");
  return ring[slot];
}

const PgStatement& insert_answers(std::size_t slot) {
  static const AnswerRing ring("insert_answers", R"(
INSERT INTO answer_# (bucket, owner, principal, key, fingerprint, answer, decided_at)
SELECT $1::bigint, unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
       unnest($6::text[]), unnest($7::bigint[]))");
  return ring[slot];
}

const PgStatement& insert_mark(std::size_t slot) {
  static const MarkRing ring(
      "insert_mark", "INSERT INTO commit_mark_# (server, number, at, fence) VALUES ($1, $2, $3, false)");
  return ring[slot];
}

const PgStatement& insert_fence(std::size_t slot) {
  static const MarkRing ring(
      "insert_fence",
      "INSERT INTO commit_mark_# (server, number, at, fence) VALUES ($1, $2, $3, true) "
      "ON CONFLICT DO NOTHING");
  return ring[slot];
}

const PgStatement& is_marked(std::size_t slot) {
  static const MarkRing ring(
      "is_marked",
      "SELECT EXISTS (SELECT FROM commit_mark_# WHERE server = $1 AND number = $2 AND NOT fence)");
  return ring[slot];
}

const PgStatement& any_mark(std::size_t slot) {
  static const MarkRing ring("any_mark", "SELECT EXISTS (SELECT FROM commit_mark_#)");
  return ring[slot];
}

const PgStatement& truncate_marks(std::size_t slot) {
  static const MarkRing ring("truncate_marks", "TRUNCATE commit_mark_#");
  return ring[slot];
}

const PgStatement& newest_answer_bucket(std::size_t slot) {
  static const AnswerRing ring("newest_answer_bucket", "SELECT max(bucket) FROM answer_#");
  return ring[slot];
}

const PgStatement& lock_answers(std::size_t slot) {
  static const AnswerRing ring("lock_answers", "LOCK TABLE answer_# IN ACCESS EXCLUSIVE MODE");
  return ring[slot];
}

const PgStatement& truncate_answers(std::size_t slot) {
  static const AnswerRing ring("truncate_answers", "TRUNCATE answer_#");
  return ring[slot];
}

}  // namespace hotrow::statements
