#include <gtest/gtest.h>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"
#include "tests/e2e/site.hpp"

// Others who use the same database, and settings that others made.
namespace hotrow::test {
namespace {

constexpr int others = 8;

std::string other(int i) { return "other-" + std::to_string(i); }

std::optional<ProbeAnswer> enter(std::uint16_t port, const std::string& promotion, const std::string& user) {
  return HttpProbe(port).send("POST", "/v1/promotions/" + promotion + "/entries",
                              R"({"user_id":")" + user + "\"}");
}

TEST(PostgresStranger, WhoHoldsOneRowDelaysOnlyThoseWhoNeedIt_G07) {
  Site site({.database = fresh_database(), .servers = 2, .flags = {"--migrate"}});
  create_promotion(site.server().port(), "held", 500);
  for (int i = 0; i < others; ++i) create_promotion(site.server().port(), other(i), 500);
  PostgresSession stranger(site.database());
  stranger.query("BEGIN; SELECT * FROM hotrow.promotion WHERE id = 'held' FOR UPDATE");

  Crowd crowd({.ports = site.ports(), .promotion = "held", .connections = 32, .leave_share = 0.5});
  // `others` are more than there are lanes, so that some of them share the lane of the held row.
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < others; ++i) {
      const auto answer =
          enter(site.server(static_cast<std::size_t>(turn) % 2).port(), other(i), "u" + std::to_string(turn));
      ASSERT_TRUE(answer && answer->status == 201)
          << other(i) << ": " << (answer ? answer->body : "no answer");
    }
  }
  EXPECT_EQ(crowd.placed(), 0U) << "the row was not held at all";
  EXPECT_TRUE(eventually([&] { return crowd.answered() >= 32; })) << "nobody is told that it takes long";
  EXPECT_EQ(crowd.placed(), 0U);
  stranger.query("ROLLBACK");

  EXPECT_TRUE(eventually([&] { return crowd.placed() >= 200; })) << "the row is free and nobody gets in";
  const std::vector<Visit> visits = crowd.finish();
  EXPECT_GE(count(visits, Tidings::busy), 32U) << summary(visits);
  expect_told_the_truth(site, "held", visits);
  EXPECT_TRUE(eventually([&] {
    return stranger.value(
               "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
               " WHERE application_name LIKE 'hotrow/%' AND locktype IN ('relation', 'tuple',"
               " 'transactionid') AND datname = current_database()") == "0";
  })) << "locks are left behind";
}

/// What a role's owner may have set, each of it able to weaken or break a program that relies on defaults.
const std::vector<std::string> hostile_defaults = {
    "default_transaction_isolation = 'repeatable read'",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_read_only = on",
    "default_transaction_deferrable = on",
    "synchronous_commit = off",
    "TimeZone = 'Asia/Seoul'",
    "DateStyle = 'German, DMY'",
    "IntervalStyle = 'sql_standard'",
    "lock_timeout = 1",
    "statement_timeout = 1",
    "idle_in_transaction_session_timeout = 1",
    "idle_session_timeout = 1",
    "client_encoding = 'LATIN1'",
    "client_min_messages = 'error'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "search_path = 'public'",
    "standard_conforming_strings = off",
    "backslash_quote = off",
    "row_security = off",
    "enable_indexscan = off",
    "exit_on_error = on",
    "session_replication_role = 'replica'",
    "quote_all_identifiers = on",
    "xmloption = 'document'",
    "default_toast_compression = 'pglz'",
    "commit_delay = 1000",
    "work_mem = '64kB'",
};

/// Serves and lets people in, or refuses to start and names the setting.
void expect_serves_or_names(const std::string& database, const std::string& promotion,
                            const std::string& setting) {
  SCOPED_TRACE(setting);
  std::unique_ptr<Site> site;
  try {
    site = std::make_unique<Site>(SiteOptions{.database = database});
  } catch (const std::runtime_error& refused) {
    const std::string name = setting.substr(0, setting.find(' '));
    EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
    return;
  }
  create_promotion(site->server().port(), promotion, 10);
  const Timestamp before = wall_clock_now();
  Crowd crowd({.ports = site->ports(), .promotion = promotion, .connections = 8, .visits_max = 40});
  const std::vector<Visit> visits = crowd.wait_for_all();
  const Timestamp after = wall_clock_now();
  EXPECT_EQ(count(visits, Tidings::busy), 0U) << summary(visits);
  for (const TableEntry& entry : read_table(database, promotion).entries) {
    EXPECT_TRUE(before <= entry.entered_at && entry.entered_at <= after) << format_rfc3339(entry.entered_at);
  }
  expect_told_the_truth(*site, promotion, visits);
}

TEST(PostgresStranger, RoleWithHostileDefaultsServesOrRefusesNamingTheSetting) {
  const std::string owner = fresh_database();
  ASSERT_EQ(run_program({hotrow_program(), "migrate", "up", "--database", owner}).exit_code, 0);
  PostgresSession session(owner);
  session.query("CREATE ROLE hostile LOGIN");
  const Finished grants = run_program({hotrow_program(), "grants", "hostile", "--database", owner});
  ASSERT_EQ(grants.exit_code, 0) << grants.err;
  session.query(grants.out);
  const std::string database = cluster().url("hostile", owner.substr(owner.rfind('/') + 1));
  int number = 0;
  for (const std::string& setting : hostile_defaults) {
    session.query("ALTER ROLE hostile SET " + setting);
    expect_serves_or_names(database, "p" + std::to_string(++number), setting);
    session.query("ALTER ROLE hostile RESET ALL");
  }
}

}  // namespace
}  // namespace hotrow::test
