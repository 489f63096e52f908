#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"
#include "tests/e2e/site.hpp"
#include "tests/support/tcp_proxy.hpp"

// What is killed, cut or away here comes back; what clients were told must be what the rows say, every time.
namespace hotrow::test {
namespace {

SiteOptions three_servers() { return {.database = fresh_database(), .servers = 3, .flags = {"--migrate"}}; }

std::size_t any_of(std::size_t size, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
}

void kill_server(Site& site, std::mt19937_64& random) {
  Server& server = site.server(any_of(site.size(), random));
  server.process().kill_hard();
  server.start();
}

void kill_backend(const Site& site) {
  const pid_t backend = some_hotrow_backend(site.database());
  ASSERT_GT(backend, 0);
  kill(backend, SIGKILL);
  EXPECT_TRUE(wait_for_cluster()) << "the cluster did not restart its sessions";
}

void kill_postgres() {
  cluster().crash();
  cluster().start();
}

void expect_all_running(Site& site) {
  for (std::size_t i = 0; i < site.size(); ++i) {
    EXPECT_TRUE(site.server(i).process().running()) << site.server(i).log();
  }
}

/// A server whose every connection to the database leads through a proxy.
class ProxiedSite {
 public:
  TcpProxy& proxy() { return proxy_; }
  Site& site() { return site_; }

  Told enter(const std::string& user) {
    const auto answer = HttpProbe(site_.server().port())
                            .send("POST", "/v1/promotions/p/entries", R"({"user_id":")" + user + "\"}");
    return answer ? read_told(*answer) : Told{.tidings = Tidings::lost};
  }

 private:
  TcpProxy proxy_{cluster().port()};
  Site site_{{.database = fresh_database(proxy_.port()), .flags = {"--migrate"}}};
};

TEST(PostgresSurvival, KillNineOfOneOfThreeServersLosesNoAnswer_B14) {
  Site site(three_servers());
  Survival(site, "kill-server").run(soak_rounds(2), [&](std::mt19937_64& random) {
    kill_server(site, random);
  });
}

TEST(PostgresSurvival, TerminatedSessionsLoseNoAnswer) {
  Site site(three_servers());
  Survival(site, "terminate").run(soak_rounds(2), [&](std::mt19937_64& random) {
    for (int times = 0; times < 5; ++times) {
      terminate_hotrow_sessions(site.database(), std::bernoulli_distribution(0.3)(random));
    }
  });
  expect_all_running(site);
}

TEST(PostgresSurvival, KillNineOfOneBackendLosesNoAnswer) {
  Site site(three_servers());
  Survival(site, "kill-backend").run(soak_rounds(2), [&](std::mt19937_64&) { kill_backend(site); });
  expect_all_running(site);
}

TEST(PostgresSurvival, KillNineOfPostgresLosesNoAnswer) {
  Site site(three_servers());
  Survival(site, "kill-postgres").run(soak_rounds(2), [&](std::mt19937_64&) { kill_postgres(); });
  expect_all_running(site);
}

TEST(PostgresSurvival, EverythingKilledAtOnceLosesNoAnswer) {
  Site site(three_servers());
  Survival(site, "kill-all").run(soak_rounds(1), [&](std::mt19937_64&) {
    for (std::size_t i = 0; i < site.size(); ++i) site.server(i).process().kill_hard();
    kill_postgres();
    for (std::size_t i = 0; i < site.size(); ++i) site.server(i).start();
  });
}

TEST(PostgresSurvival, AwayDuringAThousandRequestsEveryOneIsResolved_F06) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 500);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 1'000});
  ASSERT_TRUE(eventually([&] { return crowd.placed() >= 1'500; }));
  kill(postmaster_pid(), SIGQUIT);
  EXPECT_TRUE(eventually([&] { return !site.server(0).ready() && !site.server(1).ready(); }))
      << "servers whose database is away say that they are ready";
  expect_all_running(site);
  cluster().start();
  EXPECT_TRUE(eventually([&] { return site.server(0).ready() && site.server(1).ready(); }))
      << "servers whose database is back do not say so";
  const std::size_t until = crowd.placed() + 1'000;
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= until; })) << "the service does not recover";
  expect_all_running(site);
  expect_told_the_truth(site, "p", crowd.finish());
}

TEST(PostgresSurvival, SigtermOfOneServerUnderLoadExitsZero_K01) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 500);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 128});
  ASSERT_TRUE(eventually([&] { return crowd.placed() >= 1'000; }));
  site.server(1).process().signal(SIGTERM);
  EXPECT_EQ(site.server(1).process().wait(std::chrono::seconds(25)), 0) << site.server(1).log();
  const std::size_t until = crowd.placed() + 200;
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= until; })) << "the others do not carry on";
  expect_told_the_truth(site, "p", crowd.finish());
}

TEST(PostgresSurvival, SigtermWhileTheDatabaseIsAwayExitsZeroToo_K01) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 500);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 128});
  ASSERT_TRUE(eventually([&] { return crowd.placed() >= 500; }));
  cluster().crash();
  site.server(1).process().signal(SIGTERM);
  EXPECT_EQ(site.server(1).process().wait(std::chrono::seconds(25)), 0) << site.server(1).log();
  cluster().start();
  const std::size_t until = crowd.placed() + 200;
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= until; })) << "the others do not recover";
  expect_told_the_truth(site, "p", crowd.finish());
}

/// A server that stands still, perhaps between its lock and its commit, and later goes on as if nothing had
/// been.
TEST(PostgresSurvival, ServerThatStandsStillWritesNothingFalseWhenItGoesOn_G10) {
  Site site(three_servers());
  Survival(site, "stand-still").run(soak_rounds(1), [&](std::mt19937_64& random) {
    Process& process = site.server(any_of(site.size(), random)).process();
    kill(process.pid(), SIGSTOP);
    const std::chrono::milliseconds pause(std::uniform_int_distribution<int>(100, 3'000)(random));
    EXPECT_FALSE(process.wait(pause).has_value());
    kill(process.pid(), SIGCONT);
  });
}

/// The database takes requests and does not answer, as when its machine is frozen. What waits for it is
/// bounded by its own time-outs, which are long.
TEST(PostgresSurvival, SilentDatabaseKeepsNobodyWaitingWithoutABound_G08) {
  if (soak_rounds(0) == 0) GTEST_SKIP() << "takes a minute: script/soak plays it";
  ProxiedSite proxied;
  create_promotion(proxied.site().server().port(), "p", 500);
  Crowd crowd({.ports = proxied.site().ports(),
               .promotion = "p",
               .leave_share = 0,
               .patience = std::chrono::seconds(50)});
  ASSERT_TRUE(eventually([&] { return crowd.placed() >= 500; }));
  proxied.proxy().go_silent();
  const std::size_t before = crowd.answered();
  EXPECT_TRUE(eventually([&] { return crowd.answered() >= before + 64; }, std::chrono::seconds(50)))
      << "nobody is told that the database is silent";
  EXPECT_TRUE(proxied.site().server().process().running());
  proxied.proxy().heal();
  const std::size_t until = crowd.placed() + 200;
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= until; }, std::chrono::seconds(60)))
      << "the database speaks again and nobody gets in";
  const std::vector<Visit> visits = crowd.finish();
  EXPECT_EQ(count(visits, Tidings::lost), 0U) << summary(visits);
  expect_told_the_truth(proxied.site(), "p", visits);
}

TEST(PostgresSurvival, CommitWhoseAnswerIsCutIsToldAsDone_F01_F05) {
  ProxiedSite proxied;
  create_promotion(proxied.site().server().port(), "p", 500);
  std::vector<Visit> visits;
  for (int i = 1; i <= 10; ++i) {
    proxied.proxy().cut_on_answer("COMMIT");
    const std::string user = "u" + std::to_string(i);
    const Told told = proxied.enter(user);
    EXPECT_EQ(proxied.proxy().cuts(), i) << "no answer to a COMMIT was cut, so nothing was tested";
    EXPECT_EQ(told.tidings, Tidings::placed) << user << ": " << told.status << " " << told.code;
    EXPECT_EQ(told.ordinal, i);
    EXPECT_FALSE(told.already);
    visits.push_back({.user = user, .key = "", .told = {told}});
  }
  expect_told_the_truth(proxied.site(), "p", visits);
}

TEST(PostgresSurvival, CommitCutUnderLoadTellsTheTruth) {
  ProxiedSite proxied;
  create_promotion(proxied.site().server().port(), "p", 500);
  Crowd crowd({.ports = proxied.site().ports(), .promotion = "p", .connections = 64});
  for (int cut = 1; cut <= 20; ++cut) {
    proxied.proxy().cut_on_answer("COMMIT");
    ASSERT_TRUE(eventually([&] { return proxied.proxy().cuts() >= cut; })) << "the service does not recover";
    // The question what became of it ends with a COMMIT, too: that one must get through.
    const std::size_t until = crowd.placed() + 64;
    ASSERT_TRUE(eventually([&] { return crowd.placed() >= until; })) << "the service does not recover";
  }
  const std::vector<Visit> visits = crowd.finish();
  EXPECT_EQ(count(visits, Tidings::unknown), 0U) << "the database answered, so its word was to be had";
  expect_told_the_truth(proxied.site(), "p", visits);
}

TEST(PostgresSurvival, ConnectionsCutAnywhereTellTheTruth) {
  ProxiedSite proxied;
  Survival(proxied.site(), "cut").run(soak_rounds(1), [&](std::mt19937_64& random) {
    for (int times = 0; times < 10; ++times) {
      proxied.proxy().cut_all();
      const std::chrono::milliseconds pause(std::uniform_int_distribution<int>(1, 60)(random));
      EXPECT_FALSE(proxied.site().server().process().wait(pause).has_value());
    }
  });
}

/// One entry at the target meets a serialization failure, then a deadlock, then the end of its session, each
/// time after the place was given and before the commit.
TEST(PostgresSurvival, RollbackExactlyAtTheTargetShiftsNothing_A01) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 500);
  run_sql(site.database(), R"(
    CREATE SEQUENCE public.times;
    CREATE FUNCTION public.strike() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      CASE nextval('public.times')
        WHEN 1 THEN RAISE EXCEPTION 'struck' USING ERRCODE = '40001';
        WHEN 2 THEN RAISE EXCEPTION 'struck' USING ERRCODE = '40P01';
        WHEN 3 THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(0.01);
        ELSE NULL;
      END CASE;
      RETURN NEW;
    END $$;
    CREATE TRIGGER strike BEFORE INSERT ON hotrow.winner FOR EACH ROW EXECUTE FUNCTION public.strike();)");
  Crowd crowd(
      {.ports = site.ports(), .promotion = "p", .connections = 64, .visits_max = 1'000, .leave_share = 0});
  const std::vector<Visit> visits = crowd.wait_for_all();
  EXPECT_EQ(PostgresSession(site.database()).value("SELECT last_value FROM public.times"), "4");
  const Table table = read_table(site.database(), "p");
  EXPECT_EQ(table.entries.size(), 1'000U);
  EXPECT_EQ(table.winners.size(), 1U);
  EXPECT_TRUE(table.winners.contains(500));
  expect_told_the_truth(site, "p", visits);
}

}  // namespace
}  // namespace hotrow::test
