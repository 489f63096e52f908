#include "hotrow/postgres/pg_statements.hpp"
#include "tests/postgres/pg_plans.hpp"

namespace hotrow {
namespace {

std::vector<HotStatement> hot_statements() {
  const std::string two = "ARRAY['p','q'], ARRAY['u','v']";
  return {
      {statements::lock_promotions, "ARRAY['p','q']", {"promotion_pkey on promotion"}},
      {statements::promotions_held_by_others,
       "ARRAY['p','q']",
       {"promotion_pkey on promotion", "promotion_pkey on promotion"}},
      {statements::read_entries, two, {"entry_pkey on entry"}},
      {statements::read_answers(3), "7, ARRAY['o'], " + two, {"answer_3_pkey on answer_3"}},
      {statements::update_promotions,
       "ARRAY['p'], ARRAY['active'], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY['x'], "
       "ARRAY['y'], ARRAY[1]",
       {"promotion_pkey on promotion"}},
      {statements::update_promotion_settings,
       "ARRAY['p'], ARRAY['{}'], ARRAY[1], ARRAY[1]",
       {"promotion_pkey on promotion"}},
      {statements::read_promotion, "'p'", {"promotion_pkey on promotion"}},
      {statements::read_entry, "'p', 'u'", {"entry_pkey on entry"}},
      {statements::list_entries, "'p', 1, 10", {"entry_place on entry"}},
      {statements::list_entries_before, "'p', 9, 3", {"entry_place on entry"}},
      {statements::last_ordinal_of_earlier_time, "'p', 9, 3", {"entry_place on entry"}},
      {statements::list_winners, "'p', 1, 10", {"winner_pkey on winner"}},
      {statements::list_events, "1, ARRAY['t'], 10", {"event_place on event"}},
      {statements::list_timeline, "'promotion', 'p', 1, 10", {"event_pkey on event"}},
      {statements::list_due, "1, 10", {"promotion_due on promotion"}},
      {statements::count_entries, "'p', 1, 2, 3", {"entry_place on entry"}},
      {statements::count_users, "'p'", {"entry_pkey on entry"}},
      {statements::list_promotion_ids, "'p', 10", {"promotion_pkey on promotion"}},
      {statements::read_promotion_columns, "'p'", {"promotion_pkey on promotion"}},
      {statements::list_evidence_events, "'p', 1, 10", {"event_pkey on event"}},
      {statements::list_winner_evidence,
       "'p', 1, 10",
       {"winner_pkey on winner", "entry_place on entry", "event_id on event"}},
  };
}

}  // namespace

PlanCase promotion_plans() {
  return {.name = "Promotions",
          .hot = hot_statements(),
          .tables = {"entry", "promotion", "winner", "event", "answer_3"},
          .fill = R"(
      INSERT INTO entry (promotion, user_id, ordinal, entered_at, request_id, actor)
      SELECT p, 'user-' || md5(n::text), n, n, 'r', 'a'
      FROM generate_series(1, 50000) AS n, unnest(ARRAY['p', 'q']) AS p WHERE p = 'p' OR n <= 5000;
      INSERT INTO promotion (id, settings, starts_at, ends_at, phase, entries, winners, version, events,
                             created_at, decided_at)
      SELECT 'p' || n, '{}', n, n, 'active', 0, 0, 1, 0, 0, 0 FROM generate_series(1, 2000) AS n;
      INSERT INTO winner (promotion, ordinal, user_id, entered_at, rule, event_id, server)
      SELECT 'p', n, 'u', n, '{"kind":"first","count":1000000}', 'e' || n, 's' FROM generate_series(1, 5000) AS n;
      INSERT INTO event (subject_kind, subject, sequence, type, id, data, occurred_at, traceparent)
      SELECT 'promotion', 'p', n, 't', 'e' || n, '{}', n, '' FROM generate_series(1, 20000) AS n;
      INSERT INTO answer_3 (bucket, owner, principal, key, fingerprint, answer, decided_at)
      SELECT 7, 'o', 'p' || n, 'k', '', '{}', n FROM generate_series(1, 20000) AS n)"};
}

}  // namespace hotrow
