#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>

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

TEST(PostgresStranger, ACrowdBehindAHeldRowTakesNoRoomFromOthers_G07) {
  Site site({.database = fresh_database(), .flags = {"--migrate", "--lanes", "1", "--queue-max", "5"}});
  const std::uint16_t port = site.server().port();
  create_promotion(port, "held", 500);
  create_promotion(port, "free", 500);
  PostgresSession stranger(site.database());
  stranger.query("BEGIN; SELECT * FROM hotrow.promotion WHERE id = 'held' FOR UPDATE");

  const auto began = std::chrono::steady_clock::now();
  std::vector<std::future<std::optional<ProbeAnswer>>> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::async(std::launch::async, enter, port, "held", "u" + std::to_string(i)));
  }
  // Only until the row is known to be held may the crowd be in the way.
  ASSERT_TRUE(eventually([&] {
    const auto answer = enter(port, "free", "first");
    return answer && answer->status == 201;
  }));
  for (int i = 0; i < 10; ++i) {
    const auto answer = enter(port, "free", "v" + std::to_string(i));
    ASSERT_TRUE(answer && answer->status == 201) << i << ": " << (answer ? answer->body : "no answer");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1'900))
      << "others got in only when the crowd's patience of 2 s was over";
  for (auto& each : crowd) {
    const auto answer = each.get();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 503) << answer->body;
  }
  stranger.query("ROLLBACK");
}

/// What a role's owner may have set: each able to weaken or break a program that relies on defaults. Those in
/// one line are set together.
const std::vector<std::vector<std::string>> hostile_defaults = {
    {"default_transaction_isolation = 'repeatable read'", "default_transaction_read_only = on",
     "default_transaction_deferrable = on", "synchronous_commit = off"},
    {"default_transaction_isolation = 'serializable'", "synchronous_commit = local"},
    {"lock_timeout = 1", "statement_timeout = 1", "idle_in_transaction_session_timeout = 1",
     "idle_session_timeout = 1", "tcp_user_timeout = 1", "client_connection_check_interval = 1"},
    {"TimeZone = 'Asia/Seoul'", "DateStyle = 'German, DMY'", "IntervalStyle = 'sql_standard'",
     "client_encoding = 'LATIN1'", "bytea_output = 'escape'", "extra_float_digits = -15",
     "standard_conforming_strings = off", "backslash_quote = off", "quote_all_identifiers = on",
     "xmloption = 'document'", "array_nulls = off", "transform_null_equals = on"},
    {"search_path = 'public'", "row_security = off", "enable_indexscan = off", "exit_on_error = on",
     "client_min_messages = 'error'", "session_replication_role = 'replica'", "work_mem = '64kB'",
     "join_collapse_limit = 1", "commit_delay = 1000"},
};

bool names_one_of(const std::string& text, const std::vector<std::string>& settings) {
  return std::any_of(settings.begin(), settings.end(), [&text](const std::string& setting) {
    return text.find(setting.substr(0, setting.find(' '))) != std::string::npos;
  });
}

/// Serves and lets people in, or refuses to start and names the setting.
void expect_serves_or_names(const std::string& owner, const std::string& promotion,
                            const std::vector<std::string>& settings) {
  SCOPED_TRACE(settings.front());
  const std::string database = cluster().url("hostile", owner.substr(owner.rfind('/') + 1));
  std::unique_ptr<Site> site;
  try {
    site = std::make_unique<Site>(SiteOptions{.database = database});
  } catch (const std::runtime_error& refused) {
    EXPECT_TRUE(names_one_of(refused.what(), settings)) << refused.what();
    return;
  }
  create_promotion(site->server().port(), promotion, 10);
  const Timestamp before = wall_clock_now();
  Crowd crowd({.ports = site->ports(), .promotion = promotion, .connections = 8, .visits_max = 40});
  const std::vector<Visit> visits = crowd.wait_for_all();
  const Timestamp after = wall_clock_now();
  EXPECT_EQ(count(visits, Tidings::busy), 0U) << summary(visits);
  const Table table = read_table(owner, promotion);
  EXPECT_EQ(table.entries.size(), 40U);
  for (const TableEntry& entry : table.entries) {
    EXPECT_TRUE(before <= entry.entered_at && entry.entered_at <= after) << format_rfc3339(entry.entered_at);
  }
  const std::vector<std::string> found = contradictions(visits, table);
  EXPECT_TRUE(found.empty()) << shown(found);
  const Finished verdict = verify(database);
  EXPECT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
}

TEST(PostgresStranger, RoleWithHostileDefaultsServesOrRefusesNamingTheSetting) {
  const std::string owner = fresh_database();
  ASSERT_EQ(run_program({hotrow_program(), "migrate", "up", "--database", owner}).exit_code, 0);
  PostgresSession session(owner);
  session.query("CREATE ROLE hostile LOGIN");
  const Finished grants = run_program({hotrow_program(), "grants", "hostile", "--database", owner});
  ASSERT_EQ(grants.exit_code, 0) << grants.err;
  session.query(grants.out);
  int number = 0;
  for (const std::vector<std::string>& settings : hostile_defaults) {
    for (const std::string& setting : settings) session.query("ALTER ROLE hostile SET " + setting);
    expect_serves_or_names(owner, "p" + std::to_string(++number), settings);
    session.query("ALTER ROLE hostile RESET ALL");
  }
}

}  // namespace
}  // namespace hotrow::test
