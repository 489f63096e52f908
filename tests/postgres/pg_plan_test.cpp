#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <vector>

#include "hotrow/postgres/pg_session.hpp"
#include "tests/postgres/pg_plans.hpp"
#include "tests/postgres/pg_world.hpp"

// The plan trap. A young table's statistics say little or lie, and a look-up that the planner turns into a
// scan of a whole promotion is right and a hundred times too slow. So every hot statement's plan is read, on
// tables in each state that statistics can be in.
namespace hotrow {
namespace {

class PgPlan : public testing::TestWithParam<PlanCase> {
 protected:
  std::unique_ptr<PgSession> open(PgRole role) {
    auto session = PgSession::open(world_.options(), role);
    if (!session) throw std::runtime_error(session.error().detail);
    return std::move(*session);
  }

  /// The generic plan.
  std::vector<std::string> plan(PgSession& session, const HotStatement& hot) {
    const std::string prepare =
        "PREPARE " + std::string(hot.statement.name) + " AS " + std::string(hot.statement.sql);
    const auto deadline = SteadyTime::clock::now() + std::chrono::seconds(60);
    const Result<void> prepared = session.connection().script(prepare, deadline);
    EXPECT_TRUE(prepared) << prepared.error().detail;
    const std::string arguments = hot.arguments.empty() ? "" : "(" + hot.arguments + ")";
    const std::string explain = "EXPLAIN (COSTS OFF) EXECUTE " + std::string(hot.statement.name) + arguments;
    texts_.push_back("explain_" + std::string(hot.statement.name));
    texts_.push_back(explain);
    statements_.push_back({texts_[texts_.size() - 2].c_str(), texts_.back().c_str()});
    session.connection().queue(statements_.back());
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
      for (const HotStatement& hot : GetParam().hot) expect_index_scans(state, hot, *session);
    }
  }

  void expect_index_scans(const std::string& state, const HotStatement& hot, PgSession& session) {
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
    EXPECT_EQ(text.find("Sort") != std::string::npos, hot.sorts)
        << state << ", " << hot.statement.name << ":\n"
        << text;
    EXPECT_EQ(scans, hot.scans) << state << ", " << hot.statement.name << ":\n" << text;
  }

  void fill() { world_.sql(GetParam().fill); }

  void analyse() {
    for (const std::string& table : GetParam().tables) {
      world_.cluster().sql("VACUUM ANALYZE " + world_.quoted_schema() + "." + table);
    }
  }

  PgWorld world_;
  std::deque<std::string> texts_;  // Outlive the sessions, and do not move.
  std::deque<PgStatement> statements_;
};

TEST_P(PgPlan, NeverAnalysedTablesAreReadByTheirKeys) { expect_index_scans("never analysed"); }

TEST_P(PgPlan, TablesAnalysedWhileEmptyAreReadByTheirKeys) {
  analyse();
  expect_index_scans("analysed while empty");
  fill();
  expect_index_scans("analysed while empty, then filled");
}

TEST_P(PgPlan, TablesSaidToHavePagesAndNoRowsAreReadByTheirKeys) {
  world_.sql(
      "UPDATE pg_class SET reltuples = 0, relpages = 1000 WHERE relkind IN ('r', 'i') AND "
      "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())");
  expect_index_scans("no rows on many pages");
  fill();
  expect_index_scans("no rows on many pages, then filled");
}

TEST_P(PgPlan, FullTablesAreReadByTheirKeys) {
  fill();
  expect_index_scans("full, not analysed");
  analyse();
  expect_index_scans("full");
}

INSTANTIATE_TEST_SUITE_P(Tables, PgPlan, testing::Values(promotion_plans(), market_plans()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace hotrow
