#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <set>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"
#include "tests/e2e/site.hpp"

// The crowd at the door of three servers that share one database.
namespace hotrow::test {
namespace {

SiteOptions three_servers() { return {.database = fresh_database(), .servers = 3, .flags = {"--migrate"}}; }

std::set<std::string> winners_told(const std::vector<Visit>& visits) {
  std::set<std::string> users;
  for (const Visit& visit : visits) {
    for (const Told& told : visit.told) {
      if (told.winner) users.insert(visit.user);
    }
  }
  return users;
}

std::size_t told_new(const std::vector<Visit>& visits) {
  std::size_t times = 0;
  for (const Visit& visit : visits) {
    times += std::count_if(visit.told.begin(), visit.told.end(), [](const Told& told) {
      return told.tidings == Tidings::placed && !told.already && !told.replayed;
    });
  }
  return times;
}

TEST(PostgresStampede, TwoThousandAtOnceTakePlacesOneToTwoThousand_C17) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 1'000);
  Crowd crowd({.ports = site.ports(),
               .promotion = "p",
               .connections = 2'000,
               .visits_max = 2'000,
               .together = true,
               .leave_share = 0});
  const std::vector<Visit> visits = crowd.wait_for_all();
  EXPECT_EQ(count(visits, Tidings::unreached) + count(visits, Tidings::lost), 0U) << summary(visits);
  const Table table = read_table(site.database(), "p");
  EXPECT_EQ(table.entries.size(), 2'000U);
  ASSERT_EQ(table.winners.size(), 1U);
  EXPECT_EQ(table.winners.begin()->first, 1'000);
  EXPECT_EQ(winners_told(visits), std::set<std::string>{table.winners.begin()->second});
  expect_told_the_truth(site, "p", visits);
}

TEST(PostgresStampede, OnePersonFiveHundredTimesAtOnceTakesOnePlace_C09) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 1);
  Crowd crowd({.ports = site.ports(),
               .promotion = "p",
               .connections = 500,
               .visits_max = 500,
               .user = [](std::size_t) { return "only me"; },
               .together = true,
               .leave_share = 0});
  const std::vector<Visit> visits = crowd.wait_for_all();
  EXPECT_EQ(read_table(site.database(), "p").entries.size(), 1U);
  EXPECT_EQ(told_new(visits), 1U) << summary(visits);
  EXPECT_GE(count(visits, Tidings::placed), 500U);
  expect_told_the_truth(site, "p", visits);
}

TEST(PostgresStampede, AfterRefusalsBeforeTheStartTheFirstPlaceIsOne) {
  Site site(three_servers());
  const Timestamp start = wall_clock_now() + std::chrono::milliseconds(900);
  create_promotion(site.server().port(), "p", 1, R"(,"starts_at":")" + format_rfc3339(start) + "\"");
  Crowd crowd({.ports = site.ports(), .promotion = "p", .waits_for_start = true});
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= 300; })) << "nobody gets in after the start";
  const std::vector<Visit> visits = crowd.finish();
  EXPECT_GT(count(visits, Tidings::refused), 0U) << "nobody came too early, so nothing was tested";
  const Table table = read_table(site.database(), "p");
  ASSERT_FALSE(table.entries.empty());
  EXPECT_EQ(table.entries.front().ordinal, 1);
  EXPECT_GE(table.entries.front().entered_at, start);
  expect_told_the_truth(site, "p", visits);
}

TEST(PostgresStampede, NobodyEntersAtOrAfterTheEndAndItClosesByItselfOnce_C16_H03) {
  Site site(three_servers());
  const Timestamp end = wall_clock_now() + std::chrono::milliseconds(1'500);
  create_promotion(site.server().port(), "p", 1'000'000, R"(,"ends_at":")" + format_rfc3339(end) + "\"");
  Crowd crowd({.ports = site.ports(), .promotion = "p"});
  PostgresSession session(site.database());
  EXPECT_TRUE(eventually([&] {
    return session.value("SELECT phase FROM hotrow.promotion WHERE id = 'p'") == "closed";
  })) << "it does not close by itself";
  const std::vector<Visit> visits = crowd.finish();
  EXPECT_GT(count(visits, Tidings::refused), 0U) << "nobody came too late, so nothing was tested";
  const Table table = read_table(site.database(), "p");
  for (const TableEntry& entry : table.entries) EXPECT_LT(entry.entered_at, end) << entry.user;
  EXPECT_EQ(session.value("SELECT count(*) FROM hotrow.event WHERE type = 'promotion.closed'"), "1");
  expect_told_the_truth(site, "p", visits);
}

TEST(PostgresStampede, AuditsDuringTheRushNeverReportWhatIsNotSo) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 500);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 128});
  int audits = 0;
  for (int turn = 0; audits < 30 && !testing::Test::HasFailure(); ++turn) {
    const auto server = static_cast<std::size_t>(turn) % site.size();
    const auto answer = HttpProbe(site.server(server).port()).get("/v1/promotions/p/audit");
    ASSERT_TRUE(answer.has_value());
    if (answer->status != 200) {
      EXPECT_NE(answer->body.find("\"retryable\":true"), std::string::npos) << answer->body;
      continue;
    }
    EXPECT_NE(answer->body.find("\"ok\":true"), std::string::npos) << answer->body;
    ++audits;
    if (turn % 5 != 0) continue;
    const Finished verdict = verify(site.database());
    EXPECT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
  }
  EXPECT_FALSE(crowd.done());
  expect_told_the_truth(site, "p", crowd.finish());
}

TEST(PostgresStampede, ExactlyAsManyGetInAsThereIsRoomForOnThreeServers_B08) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 300, R"(,"max_entries":300)");
  Crowd crowd({.ports = site.ports(),
               .promotion = "p",
               .connections = 1'000,
               .visits_max = 1'500,
               .together = true,
               .leave_share = 0});
  const std::vector<Visit> visits = crowd.wait_for_all();
  EXPECT_EQ(read_table(site.database(), "p").entries.size(), 300U);
  EXPECT_EQ(told_new(visits), 300U) << summary(visits);
  EXPECT_EQ(count(visits, Tidings::refused), 1'200U) << summary(visits);
  expect_told_the_truth(site, "p", visits);
}

void operate(std::uint16_t port, const std::string& action) {
  const auto answer = HttpProbe(port).send("POST", "/v1/promotions/p/" + action, R"({"reason":"test"})");
  ASSERT_TRUE(answer && answer->status == 200) << action << ": " << (answer ? answer->body : "no answer");
}

TEST(PostgresStampede, NobodyEntersWhilePausedOrAfterTheCloseWhicheverServerWasTold) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 300);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 96});
  for (std::size_t turn = 0; turn < 9; ++turn) {
    const std::size_t until = crowd.placed() + 50;
    ASSERT_TRUE(eventually([&] { return crowd.placed() >= until; })) << "resumed, and nobody gets in";
    operate(site.server(turn % 3).port(), "pause");
    operate(site.server((turn + 1) % 3).port(), "resume");
  }
  operate(site.server().port(), "close");
  const std::vector<Visit> visits = crowd.finish();
  PostgresSession session(site.database());
  EXPECT_EQ(session.value("SELECT count(*) FROM hotrow.event WHERE type = 'promotion.changed'"), "19");
  EXPECT_EQ(session.value(R"(
    WITH time AS (
      SELECT data -> 'after' ->> 'phase' AS phase, occurred_at AS since,
             lead(occurred_at, 1, 9223372036854775807) OVER (ORDER BY sequence) AS until
      FROM hotrow.event WHERE subject = 'p' AND type IN ('promotion.changed', 'promotion.closed'))
    SELECT count(*) FROM time JOIN hotrow.entry ON entered_at > since AND entered_at < until
    WHERE phase IS DISTINCT FROM 'active')"),
            "0");
  expect_told_the_truth(site, "p", visits);
}

ProbeAnswer enter_with_key(std::uint16_t port, const std::string& promotion, const std::string& user,
                           const std::string& key) {
  const auto answer = HttpProbe(port).send("POST", "/v1/promotions/" + promotion + "/entries",
                                           R"({"user_id":")" + user + "\"}", {{"Idempotency-Key", key}});
  if (!answer) throw std::runtime_error("no answer for " + user);
  return *answer;
}

TEST(PostgresStampede, OneIdempotencyKeyOnThreeServersAtOnceIsOneEffectAndOneBody_E01) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 10);
  for (int round = 0; round < 20; ++round) {
    const std::string user = "u" + std::to_string(round);
    std::vector<ProbeAnswer> answers(12);
    std::latch together(static_cast<std::ptrdiff_t>(answers.size()));
    {
      std::vector<std::jthread> clients;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        clients.emplace_back([&, i] {
          together.arrive_and_wait();
          answers[i] = enter_with_key(site.server(i % site.size()).port(), "p", user, "key-" + user);
        });
      }
    }
    for (const ProbeAnswer& answer : answers) {
      EXPECT_EQ(answer.status, 201) << answer.body;
      EXPECT_EQ(answer.body, answers.front().body);
    }
    const auto first = [](const ProbeAnswer& answer) {
      return answer.header("idempotency-replayed") != "true";
    };
    EXPECT_EQ(std::count_if(answers.begin(), answers.end(), first), 1);
  }
  EXPECT_EQ(read_table(site.database(), "p").entries.size(), 20U);
}

TEST(PostgresStampede, IdempotencyKeyUsedForSomethingElseIsRefusedOnEveryServer_E04) {
  Site site(three_servers());
  create_promotion(site.server().port(), "p", 10);
  create_promotion(site.server().port(), "q", 10);
  const ProbeAnswer first = enter_with_key(site.server(0).port(), "p", "ann", "key");
  EXPECT_EQ(first.status, 201);
  for (const std::uint16_t port : site.ports()) {
    const ProbeAnswer reused = enter_with_key(port, "q", "ann", "key");
    EXPECT_EQ(reused.status, 422) << reused.body;
    EXPECT_NE(reused.body.find("idempotency_key_reused"), std::string::npos) << reused.body;
    EXPECT_EQ(enter_with_key(port, "p", "ann", "key").body, first.body);
    EXPECT_EQ(enter_with_key(port, "q", "bob" + std::to_string(port), "key").status, 201)
        << "one person's key is burnt by another's";
  }
  EXPECT_EQ(read_table(site.database(), "q").entries.size(), site.size());
}

}  // namespace
}  // namespace hotrow::test
