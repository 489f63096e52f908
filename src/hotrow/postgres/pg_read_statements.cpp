#include "hotrow/postgres/pg_statements.hpp"

// The read port's SQL. Entries by place go by entry_place, whose first column has the collation POSIX: the
// same order as C under another name, so that the planner never takes it for a look-up by person.
namespace hotrow::statements {

const PgStatement read_facts{
    "read_facts", "SELECT (SELECT instance_id FROM meta), (SELECT max(number) FROM schema_migration)"};

const PgStatement read_promotion{"read_promotion", R"(
SELECT 1::bigint, id, settings, phase, entries, winners, version, events, created_at, decided_at, closed_at,
       closed_by, close_reason, queue_max
FROM promotion WHERE id = $1)"};

// $1 after, $2 state or '', $3 now, $4 limit. The states are those of core's state_at().
const PgStatement list_promotions{"list_promotions", R"(
SELECT 1::bigint, id, settings, phase, entries, winners, version, events, created_at, decided_at, closed_at,
       closed_by, close_reason, queue_max
FROM promotion
WHERE id > $1
  AND ($2 = '' OR $2 = CASE WHEN phase = 'closed' THEN 'closed'
                            WHEN ends_at <= $3 THEN 'closing'
                            WHEN starts_at > $3 THEN 'scheduled'
                            WHEN phase = 'paused' THEN 'paused'
                            ELSE 'open' END)
ORDER BY id LIMIT $4)"};

const PgStatement list_promotion_ids{"list_promotion_ids",
                                     "SELECT id FROM promotion WHERE id > $1 ORDER BY id LIMIT $2"};

const PgStatement read_entry{"read_entry", R"(
SELECT user_id, ordinal, entered_at, request_id, actor FROM entry WHERE promotion = $1 AND user_id = $2)"};

const PgStatement list_entries{"list_entries", R"(
SELECT user_id, ordinal, entered_at, request_id, actor FROM entry
WHERE promotion COLLATE "POSIX" = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3)"};

const PgStatement list_entries_before{"list_entries_before", R"(
SELECT user_id, ordinal, entered_at, request_id, actor FROM entry
WHERE promotion COLLATE "POSIX" = $1 AND ordinal < $2 ORDER BY ordinal DESC LIMIT $3)"};

const PgStatement last_ordinal_of_earlier_time{"last_ordinal_of_earlier_time", R"(
SELECT ordinal FROM entry
WHERE promotion COLLATE "POSIX" = $1 AND ordinal < $2 AND entered_at <> $3 ORDER BY ordinal DESC LIMIT 1)"};

const PgStatement list_winners{"list_winners", R"(
SELECT ordinal, user_id, entered_at, rule, event_id, server FROM winner
WHERE promotion = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3)"};

// $1 after, $2 types, $3 limit. Every position is answered, so that a hole shows; rows of other types are
// answered without their content.
const PgStatement list_events{"list_events", R"(
SELECT position, wanted, subject_kind, subject, sequence, type, id, CASE WHEN wanted THEN data END, occurred_at,
       traceparent
FROM (SELECT *, cardinality($2::text[]) = 0 OR type = ANY ($2) AS wanted FROM event
      WHERE position > $1 ORDER BY position LIMIT $3) AS page
ORDER BY position)"};

// Transactions that have drawn a position and not ended: nextval() locks the sequence until then.
const PgStatement list_position_drawers{"list_position_drawers", R"(
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
  AND relation = 'event_position'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"};

const PgStatement list_timeline{"list_timeline", R"(
SELECT position, true, subject_kind, subject, sequence, type, id, data, occurred_at, traceparent FROM event
WHERE subject_kind = $1 AND subject = $2 AND sequence > $3 ORDER BY sequence LIMIT $4)"};

const PgStatement list_due{"list_due", R"(
SELECT id FROM promotion WHERE phase <> 'closed' AND ends_at <= $1
ORDER BY ends_at, id COLLATE "POSIX" LIMIT $2)"};

// $1 promotion, $2 starts_at, $3 ends_at, $4 closed_at. Reads the entries once, in the order of their places.
const PgStatement count_entries{"count_entries", R"(
SELECT count(*), coalesce(min(ordinal), 0), coalesce(max(ordinal), 0),
       count(*) FILTER (WHERE previous IS DISTINCT FROM ordinal),
       count(*) FILTER (WHERE entered_at < $2 OR entered_at >= $3 OR entered_at > $4 OR entered_at < previous_at)
FROM (SELECT ordinal, entered_at, lag(ordinal) OVER place AS previous, lag(entered_at) OVER place AS previous_at
      FROM entry WHERE promotion COLLATE "POSIX" = $1 WINDOW place AS (ORDER BY ordinal)) AS places)"};

const PgStatement count_users{"count_users", R"(
SELECT count(*) FILTER (WHERE previous IS DISTINCT FROM user_id)
FROM (SELECT user_id, lag(user_id) OVER (ORDER BY user_id) AS previous
      FROM entry WHERE promotion = $1) AS people)"};

const PgStatement read_promotion_columns{"read_promotion_columns",
                                         "SELECT starts_at, ends_at FROM promotion WHERE id = $1"};

// $1 promotion, $2 after, $3 limit.
const PgStatement list_evidence_events{"list_evidence_events", R"(
SELECT sequence, type, CASE WHEN type <> 'promotion.winner_determined' THEN data END, occurred_at, position
FROM event WHERE subject_kind = 'promotion' AND subject = $1 AND sequence > $2 ORDER BY sequence LIMIT $3)"};

// $1 promotion, $2 after, $3 limit: winners with the entry at their place and the event that they name.
const PgStatement list_winner_evidence{"list_winner_evidence", R"(
SELECT w.ordinal, w.user_id, w.entered_at, w.rule, w.event_id, e.user_id, e.entered_at,
       v.subject_kind, v.subject, v.type, v.data, v.occurred_at
FROM (SELECT ordinal, user_id, entered_at, rule, event_id FROM winner
      WHERE promotion = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3) AS w
LEFT JOIN LATERAL (SELECT user_id, entered_at FROM entry
                   WHERE promotion COLLATE "POSIX" = $1 AND ordinal = w.ordinal LIMIT 1) AS e ON true
LEFT JOIN LATERAL (SELECT subject_kind, subject, type, data, occurred_at FROM event
                   WHERE id = w.event_id LIMIT 1) AS v ON true
ORDER BY w.ordinal)"};

// Walks the promotions that each table names, one index probe a promotion, not the tables.
const PgStatement count_orphans{"count_orphans", R"(
WITH RECURSIVE
entered(id) AS (
  SELECT min(promotion) FROM entry
  UNION ALL
  SELECT (SELECT promotion FROM entry WHERE promotion > entered.id ORDER BY promotion LIMIT 1) FROM entered
  WHERE entered.id IS NOT NULL),
won(id) AS (
  SELECT min(promotion) FROM winner
  UNION ALL
  SELECT (SELECT promotion FROM winner WHERE promotion > won.id ORDER BY promotion LIMIT 1) FROM won
  WHERE won.id IS NOT NULL),
told(id) AS (
  (SELECT subject FROM event WHERE subject_kind = 'promotion' ORDER BY subject LIMIT 1)
  UNION ALL
  SELECT (SELECT subject FROM event WHERE subject_kind = 'promotion' AND subject > told.id
          ORDER BY subject LIMIT 1) FROM told
  WHERE told.id IS NOT NULL)
SELECT 'entries_have_a_promotion', coalesce(sum((SELECT count(*) FROM entry WHERE promotion = entered.id)), 0)::bigint
FROM entered WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM promotion AS p WHERE p.id = entered.id)
UNION ALL
SELECT 'winners_have_a_promotion', coalesce(sum((SELECT count(*) FROM winner WHERE promotion = won.id)), 0)::bigint
FROM won WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM promotion AS p WHERE p.id = won.id)
UNION ALL
SELECT 'events_have_a_subject',
       coalesce(sum((SELECT count(*) FROM event WHERE subject_kind = 'promotion' AND subject = told.id)), 0)::bigint
FROM told WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM promotion AS p WHERE p.id = told.id))"};

}  // namespace hotrow::statements
