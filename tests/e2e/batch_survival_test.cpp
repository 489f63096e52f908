#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <mutex>
#include <thread>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/site.hpp"

// Batches of entries, each one command under one key, sent again and again until answered.
namespace hotrow::test {
namespace {

namespace json = boost::json;

constexpr std::size_t batch_size = 40;

/// Clients who each send one batch after the other, on threads of their own.
class BatchClients {
 public:
  BatchClients(std::vector<std::uint16_t> ports, std::string promotion, std::size_t clients)
      : ports_(std::move(ports)), promotion_(std::move(promotion)) {
    for (std::size_t client = 0; client < clients; ++client) {
      threads_.emplace_back([this, client](const std::stop_token& stop) { run(client, stop); });
    }
  }

  std::size_t answered() const { return answered_; }

  /// Everybody's batch under way is answered first. Returns what each member of each batch was told.
  std::vector<Visit> finish() {
    for (std::jthread& thread : threads_) thread.request_stop();
    for (std::jthread& thread : threads_) thread.join();
    return std::move(visits_);
  }

 private:
  void run(std::size_t client, const std::stop_token& stop) {
    for (std::size_t number = 0; !stop.stop_requested(); ++number) {
      const std::string name = promotion_ + "-" + std::to_string(client) + "-" + std::to_string(number);
      json::array users;
      for (std::size_t i = 0; i < batch_size; ++i)
        users.push_back(json::string(name + "-" + std::to_string(i)));
      const std::string body = json::serialize(json::object{{"user_ids", users}});
      const std::optional<ProbeAnswer> answer = send_until_answered(client, name, body);
      if (answer) take(name, users, *answer);
    }
  }

  std::optional<ProbeAnswer> send_until_answered(std::size_t server, const std::string& key,
                                                 const std::string& body) {
    std::optional<ProbeAnswer> answer;
    const std::string target = "/v1/promotions/" + promotion_ + "/entries/batch";
    eventually(
        [&] {
          answer = HttpProbe(ports_[server++ % ports_.size()])
                       .send("POST", target, body, {{"Idempotency-Key", key}});
          return answer && answer->status != 503;
        },
        std::chrono::seconds(60));
    return answer;
  }

  void take(const std::string& name, const json::array& users, const ProbeAnswer& answer) {
    const std::lock_guard lock(mutex_);
    ++answered_;
    EXPECT_EQ(answer.status, 200) << answer.body;
    if (answer.status != 200) return;
    const json::value body = json::parse(answer.body);
    const json::array& results = body.at("results").as_array();
    ASSERT_EQ(results.size(), users.size());
    std::int64_t due = results[0].at("ordinal").as_int64();
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].at("user_id"), users[i]);
      EXPECT_EQ(results[i].at("ordinal").as_int64(), due++)
          << name << ": one command, places one after the other";
      visits_.push_back(
          {.user = users[i].as_string().c_str(),
           .key = "",
           .told = {read_told({.status = 201, .headers = {}, .body = json::serialize(results[i])})}});
    }
  }

  std::vector<std::uint16_t> ports_;
  std::string promotion_;
  std::atomic<std::size_t> answered_ = 0;
  std::mutex mutex_;
  std::vector<Visit> visits_;
  std::vector<std::jthread> threads_;
};

void play_rounds(Site& site, const std::string& name, std::size_t rounds,
                 const std::function<void(std::mt19937_64&)>& disturb) {
  for (std::size_t round = 1; round <= rounds && !testing::Test::HasFailure(); ++round) {
    std::mt19937_64 random(soak_seed() * 7'919 + round);
    const auto start = std::chrono::steady_clock::now();
    const std::string promotion = name + "-" + std::to_string(round);
    create_promotion(site.server().port(), promotion, 500);
    BatchClients clients(site.ports(), promotion, 6);
    const std::size_t before = std::uniform_int_distribution<std::size_t>(1, 60)(random);
    EXPECT_TRUE(eventually([&] { return clients.answered() >= before; }));
    disturb(random);
    const std::size_t until = clients.answered() + 10;
    EXPECT_TRUE(eventually([&] { return clients.answered() >= until; }, std::chrono::seconds(60)));
    const std::vector<Visit> visits = clients.finish();
    expect_told_the_truth(site, promotion, visits);
    print({.name = name, .round = round, .rounds = rounds, .places = visits.size(), .began = start}, visits);
  }
}

TEST(BatchSurvival, KillNineOnSqliteTearsNoBatch) {
  Site site;
  play_rounds(site, "batch-sqlite", soak_rounds(2), [&](std::mt19937_64&) {
    site.server().process().kill_hard();
    site.server().start();
  });
}

TEST(BatchSurvival, KillNineOfServersAndSessionsOnPostgresTearsNoBatch) {
  Site site({.database = fresh_database(), .servers = 3, .flags = {"--migrate"}});
  play_rounds(site, "batch-postgres", soak_rounds(2), [&](std::mt19937_64& random) {
    terminate_hotrow_sessions(site.database(), true);
    Server& server = site.server(random() % site.size());
    server.process().kill_hard();
    server.start();
  });
}

}  // namespace
}  // namespace hotrow::test
