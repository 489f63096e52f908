#pragma once

#include <array>
#include <cstdint>

#include "hotrow/postgres/pg_connection.hpp"

/// All SQL that runs beside requests, each statement under a name. (The schema's SQL is in pg_schema.cpp.)
///
/// Tables are found by search_path, functions and operators in pg_catalog, which comes first. Arrays stand
/// for rows: one statement for any number of them. Look-ups are `unnest() CROSS JOIN LATERAL (... LIMIT 1)`
/// rather than `= ANY()`: see "the plan trap" in docs and tests/postgres/pg_plan_test.
namespace hotrow::statements {

extern const PgStatement begin_read_committed;
extern const PgStatement begin_serializable;
extern const PgStatement begin_snapshot;  ///< REPEATABLE READ READ ONLY.
extern const PgStatement commit;
extern const PgStatement rollback;

/// $1 names, $2 values, $3 whether for this transaction only. Answers the values in force.
extern const PgStatement set_settings;
/// $1 statement_timeout, for this transaction.
extern const PgStatement set_statement_timeout;
/// $1 lock_timeout and statement_timeout, for this transaction.
extern const PgStatement set_lock_budget;
/// $1 the whole transaction's budget in milliseconds: both time-outs become what is left of it. No rows.
extern const PgStatement narrow_lock_budget;
/// The server's clock as timestamptz.
extern const PgStatement read_clock;

/// Locks in the array's order; answers (n, row), n counted from 1.
extern const PgStatement lock_promotions;
extern const PgStatement promotions_held_by_others;
/// $1 promotions, $2 users; answers (n, row).
extern const PgStatement read_entries;

extern const PgStatement insert_promotions;
/// Everything but the settings, which are long and rarely change. Fails with 22012 unless every row is found.
extern const PgStatement update_promotions;
extern const PgStatement update_promotion_settings;
extern const PgStatement insert_entries;
extern const PgStatement insert_winners;
extern const PgStatement insert_events;

/// Stored answers and commit marks live in rings of tables, emptied by TRUNCATE: removing rows one by one
/// would cost as much as writing them.
inline constexpr std::size_t answer_slots = 16;
inline constexpr std::size_t mark_slots = 4;

/// $1 bucket, $2 owners, $3 principals, $4 keys; answers (n, row).
const PgStatement& read_answers(std::size_t slot);
const PgStatement& insert_answers(std::size_t slot);
/// $1 server, $2 number, $3 at.
const PgStatement& insert_mark(std::size_t slot);
/// Takes the mark's place, if it is free, so that the attempt can never write it; waits for whoever is
/// writing there.
const PgStatement& insert_fence(std::size_t slot);
/// $1 server, $2 number: whether the attempt itself wrote its mark.
const PgStatement& is_marked(std::size_t slot);

const PgStatement& any_mark(std::size_t slot);  ///< Answers whether the table has a row.
const PgStatement& truncate_marks(std::size_t slot);
const PgStatement& newest_answer_bucket(std::size_t slot);  ///< NULL when there is none.
const PgStatement& lock_answers(std::size_t slot);
const PgStatement& truncate_answers(std::size_t slot);

// The read port.
extern const PgStatement read_facts;
extern const PgStatement read_promotion;
extern const PgStatement list_promotions;
extern const PgStatement list_promotion_ids;
extern const PgStatement read_entry;
extern const PgStatement list_entries;
extern const PgStatement list_entries_before;
extern const PgStatement last_ordinal_of_earlier_time;
extern const PgStatement list_winners;
extern const PgStatement list_events;
extern const PgStatement list_position_drawers;
extern const PgStatement list_timeline;
extern const PgStatement list_due;
extern const PgStatement count_entries;
extern const PgStatement count_users;
extern const PgStatement read_promotion_columns;
extern const PgStatement list_evidence_events;
extern const PgStatement list_winner_evidence;
extern const PgStatement count_orphans;

}  // namespace hotrow::statements
