#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"
#include "tests/e2e/site.hpp"

// Whoever changes rows by hand is found out.
namespace hotrow::test {
namespace {

struct Tampering {
  std::string name;
  /// In the dialect that SQLite and PostgreSQL share; %s stands for the tables' schema, %j for the type of
  /// an event's data.
  std::string sql;
  std::string broken = "";  ///< An invariant that must be named.
};

const std::vector<Tampering> tamperings = {
    {"RowRemoved", "DELETE FROM %sentry WHERE ordinal = 7"},
    {"FirstRowRemoved", "DELETE FROM %sentry WHERE ordinal = 1"},
    {"LastRowRemoved", "DELETE FROM %sentry WHERE ordinal = 20"},
    {"PlaceChanged", "UPDATE %sentry SET ordinal = 1000 WHERE ordinal = 7"},
    {"PlacesSwapped",
     "UPDATE %sentry SET ordinal = 1000 WHERE ordinal = 7; UPDATE %sentry SET ordinal = 7 WHERE ordinal = 8;"
     "UPDATE %sentry SET ordinal = 8 WHERE ordinal = 1000"},
    {"WinnerRewritten", "UPDATE %swinner SET user_id = 'thief' WHERE ordinal = 10"},
    {"WinnerAndEntryRewritten",
     "UPDATE %swinner SET user_id = 'thief' WHERE ordinal = 10;"
     "UPDATE %sentry SET user_id = 'thief' WHERE ordinal = 10"},
    {"WinnerGivenToAnotherEntrant", "UPDATE %swinner SET user_id = 'u3' WHERE ordinal = 10"},
    {"WinnerRemoved", "DELETE FROM %swinner WHERE ordinal = 10"},
    {"EventRemoved", "DELETE FROM %sevent WHERE type = 'promotion.winner_determined'"},
    {"LastEventRemoved", "DELETE FROM %sevent WHERE sequence = (SELECT max(sequence) FROM %sevent)"},
    {"EventRewritten", "UPDATE %sevent SET data = replace(CAST(data AS text), 'u10', 'thief')%s"},
    {"CounterChanged", "UPDATE %spromotion SET entries = entries + 1"},
    {"EntryAdded",
     "INSERT INTO %sentry (promotion, ordinal, user_id, entered_at, request_id, actor)"
     " SELECT promotion, 21, 'thief', entered_at, request_id, actor FROM %sentry WHERE ordinal = 20"},
    {"EntryMadeEarlier", "UPDATE %sentry SET entered_at = 1 WHERE ordinal = 7"},
    {"PrizePromisedByTheEvent",
     "UPDATE %sevent SET data = CAST(replace(CAST(data AS text), '\"prize\":null', "
     "'\"prize\":{\"amount\":1,\"currency\":\"KRW\"}') AS %j)",
     "winner_events_as_pinned"},
    {"OrdinalOfTheEventRewritten",
     "UPDATE %sevent SET data = CAST(replace(CAST(data AS text), '\"ordinal\":10', '\"ordinal\":11') AS %j)",
     "winner_events_as_pinned"},
    {"EventToldAtAnotherTime",
     "UPDATE %sevent SET occurred_at = occurred_at + 1 WHERE type = 'promotion.winner_determined'",
     "winner_events_as_pinned"},
    {"SettingsRewritten",
     "UPDATE %spromotion SET settings = replace(settings, '\"prize\":null', "
     "'\"prize\":{\"amount\":1,\"currency\":\"KRW\"}')",
     "settings_as_told"},
    {"SettingsMadeUnreadable", "UPDATE %spromotion SET settings = '{}'", "settings_readable"},
    {"StartColumnRewritten", "UPDATE %spromotion SET starts_at = starts_at - 1", "columns_as_settings"},
    {"EndColumnRewritten", "UPDATE %spromotion SET ends_at = starts_at + 1", "columns_as_settings"},
    {"PhaseRewritten", "UPDATE %spromotion SET phase = 'paused'", "settings_as_told"},
    {"WinnersRuleRewritten", "UPDATE %swinner SET rule = '{\"kind\":\"nth\",\"targets\":[10,11]}'",
     "winners_by_the_rule"},
    {"FeedTurnedRound", "UPDATE %sevent SET position = 1000000 WHERE sequence = 1", "events_in_order"},
};

std::string in_schema(std::string sql, const std::string& schema) {
  for (std::size_t at = sql.find("%s"); at != std::string::npos; at = sql.find("%s"))
    sql.replace(at, 2, schema);
  for (std::size_t at = sql.find("%j"); at != std::string::npos; at = sql.find("%j"))
    sql.replace(at, 2, schema.empty() ? "text" : "json");
  return sql;
}

/// Twenty people one after the other, the tenth wins; paused and resumed, so that there is one event more.
void fill(Site& site) {
  create_promotion(site.server().port(), "p", 10);
  HttpProbe probe(site.server().port());
  for (int i = 1; i <= 20; ++i) {
    const auto answer =
        probe.send("POST", "/v1/promotions/p/entries", R"({"user_id":"u)" + std::to_string(i) + R"("})");
    ASSERT_TRUE(answer && answer->status == 201);
  }
  for (const char* action : {"pause", "resume"}) {
    const auto answer =
        probe.send("POST", std::string("/v1/promotions/p/") + action, R"({"reason":"lunch"})");
    ASSERT_TRUE(answer && answer->status == 200) << answer->body;
  }
}

void expect_found(const std::string& database, const Tampering& tampering) {
  SCOPED_TRACE(tampering.name);
  const Finished verdict = verify(database);
  EXPECT_EQ(verdict.exit_code, 1) << verdict.out << verdict.err;
  EXPECT_NE(verdict.out.find("violated: " + tampering.broken), std::string::npos) << verdict.out;
}

TEST(Verify, FindsEveryTamperingWithSqlite) {
  Site site;
  fill(site);
  site.server().process().signal(SIGTERM);
  ASSERT_EQ(site.server().process().wait(std::chrono::seconds(25)), 0) << site.server().log();
  const std::string original = site.folder().file("hotrow.db");
  const std::string copy = site.folder().file("copy.db");
  for (const Tampering& tampering : tamperings) {
    std::filesystem::copy_file(original, copy, std::filesystem::copy_options::overwrite_existing);
    const Finished clean = verify("sqlite:" + copy);
    ASSERT_EQ(clean.exit_code, 0) << clean.out << clean.err;
    std::string sql = tampering.sql;
    if (tampering.name == "EventRewritten") sql.replace(sql.rfind("%s"), 2, "");
    run_sql("sqlite:" + copy, in_schema(sql, ""));
    expect_found("sqlite:" + copy, tampering);
  }
}

constexpr const char* tables[] = {"promotion", "entry", "winner", "event"};

TEST(Verify, FindsEveryTamperingWithPostgres) {
  Site site({.database = fresh_database(), .flags = {"--migrate"}});
  fill(site);
  site.server().process().signal(SIGTERM);
  ASSERT_EQ(site.server().process().wait(std::chrono::seconds(25)), 0) << site.server().log();
  std::string save;
  std::string restore = "BEGIN;";
  for (const std::string table : tables) {
    save += "CREATE TABLE public." + table + " AS TABLE hotrow." + table + ";";
    restore +=
        "DELETE FROM hotrow." + table + "; INSERT INTO hotrow." + table + " TABLE public." + table + ";";
  }
  PostgresSession session(site.database());
  session.query(save);
  for (const Tampering& tampering : tamperings) {
    const Finished clean = verify(site.database());
    ASSERT_EQ(clean.exit_code, 0) << clean.out << clean.err;
    std::string sql = tampering.sql;
    if (tampering.name == "EventRewritten") sql.replace(sql.rfind("%s"), 2, "::json");
    session.query(in_schema(sql, "hotrow."));
    expect_found(site.database(), tampering);
    session.query(restore + "COMMIT");
  }
}

}  // namespace
}  // namespace hotrow::test
