#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "hotrow/postgres/pg_session.hpp"
#include "hotrow/postgres/pg_statements.hpp"
#include "tests/postgres/pg_world.hpp"

// The plan trap. A young table's statistics say little or lie, and a look-up that the planner turns into a
// scan of a whole promotion is right and a hundred times too slow. So every hot statement's plan is read, on
// tables in each state that statistics can be in.
namespace hotrow {
namespace {

/// A hot statement, how EXPLAIN EXECUTE is given its parameters, and the index scans it must consist of.
struct Hot {
  const PgStatement& statement;
  std::string arguments;
  std::vector<std::string> scans;
};

const std::vector<Hot>& hot_statements() {
  const std::string two = "ARRAY['p','q'], ARRAY['u','v']";
  static const std::vector<Hot> hot = {
      {statements::lock_promotions, "ARRAY['p','q']", {"promotion_pkey on promotion"}},
      {statements::promotions_held_by_others,
       "ARRAY['p','q']",
       {"promotion_pkey on promotion", "promotion_pkey on promotion"}},
      {statements::read_entries, two, {"entry_pkey on entry"}},
      {statements::read_answers(3), "7, ARRAY['o'], " + two, {"answer_3_pkey on answer_3"}},
      {statements::update_promotions,
       "ARRAY['p'], ARRAY['active'], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY['x'], "
       "ARRAY['y']",
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
      {statements::list_winner_evidence,
       "'p', 1, 10",
       {"winner_pkey on winner", "entry_place on entry", "event_id on event"}},
  };
  return hot;
}

class PgPlan : public testing::Test {
 protected:
  std::unique_ptr<PgSession> open(PgRole role) {
    auto session = PgSession::open(world_.options(), role);
    if (!session) throw std::runtime_error(session.error().detail);
    return std::move(*session);
  }

  /// The generic plan.
  std::vector<std::string> plan(PgSession& session, const Hot& hot) {
    const std::string prepare =
        "PREPARE " + std::string(hot.statement.name) + " AS " + std::string(hot.statement.sql);
    const auto deadline = SteadyTime::clock::now() + std::chrono::seconds(60);
    const Result<void> prepared = session.connection().script(prepare, deadline);
    EXPECT_TRUE(prepared) << prepared.error().detail;
    const std::string explain =
        "EXPLAIN (COSTS OFF) EXECUTE " + std::string(hot.statement.name) + "(" + hot.arguments + ")";
    const std::string name = "explain_" + std::string(hot.statement.name);
    const PgStatement statement{name, explain};
    session.connection().queue(statement);
    const PgExchange exchange = session.connection().exchange(deadline);
    EXPECT_FALSE(exchange.fault) << hot.statement.name << ": " << exchange.fault->message;
    std::vector<std::string> lines;
    if (exchange.fault) return lines;
    for (int row = 0; row < exchange.results[0].rows(); ++row) {
      lines.push_back(exchange.results[0].string(row, 0));
    }
    return lines;
  }

  void expect_index_scans(const std::string& state) {
    for (const PgRole role : {PgRole::writer, PgRole::reader}) {
      const auto session = open(role);
      for (const Hot& hot : hot_statements()) expect_index_scans(state, hot, *session);
    }
  }

  void expect_index_scans(const std::string& state, const Hot& hot, PgSession& session) {
    std::vector<std::string> scans;
    std::string text;
    for (const std::string& line : plan(session, hot)) {
      text += line + "\n";
      for (const char* wrong : {"Seq Scan", "Bitmap", "Hash Join", "Merge Join"}) {
        EXPECT_EQ(line.find(wrong), std::string::npos) << state << ", " << hot.statement.name << ":\n"
                                                       << line;
      }
      const std::size_t found = line.find(" using ");
      if (found == std::string::npos) continue;
      // "Index Scan using entry_pkey on entry e": the alias does not matter.
      const std::string rest = line.substr(found + 7);
      scans.push_back(rest.substr(0, rest.find(' ', rest.find(" on ") + 4)));
    }
    EXPECT_EQ(scans, hot.scans) << state << ", " << hot.statement.name << ":\n" << text;
  }

  void fill() {
    world_.sql(R"(
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
      SELECT 7, 'o', 'p' || n, 'k', '', '{}', n FROM generate_series(1, 20000) AS n)");
  }

  void analyse() {
    for (const char* table : {"entry", "promotion", "winner", "event", "answer_3"}) {
      world_.cluster().sql("VACUUM ANALYZE " + world_.quoted_schema() + "." + table);
    }
  }

  PgWorld world_;
};

TEST_F(PgPlan, NeverAnalysedTablesAreReadByTheirKeys) { expect_index_scans("never analysed"); }

TEST_F(PgPlan, TablesAnalysedWhileEmptyAreReadByTheirKeys) {
  analyse();
  expect_index_scans("analysed while empty");
  fill();
  expect_index_scans("analysed while empty, then filled");
}

TEST_F(PgPlan, TablesSaidToHavePagesAndNoRowsAreReadByTheirKeys) {
  world_.sql(
      "UPDATE pg_class SET reltuples = 0, relpages = 1000 WHERE relkind IN ('r', 'i') AND "
      "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())");
  expect_index_scans("no rows on many pages");
  fill();
  expect_index_scans("no rows on many pages, then filled");
}

TEST_F(PgPlan, FullTablesAreReadByTheirKeys) {
  fill();
  expect_index_scans("full, not analysed");
  analyse();
  expect_index_scans("full");
}

}  // namespace
}  // namespace hotrow
