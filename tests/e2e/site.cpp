#include "tests/e2e/site.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace hotrow::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t recovered_places = 200;

}  // namespace

Site::Site(const SiteOptions& options) {
  database_ = options.database.empty() ? "sqlite:" + folder_.file("hotrow.db") : options.database;
  for (std::size_t i = 0; i < options.servers; ++i) {
    servers_.push_back(std::make_unique<Server>(ServerOptions{.database = database_,
                                                              .name = "server-" + std::to_string(i + 1),
                                                              .folder = folder_.path(),
                                                              .flags = options.flags}));
    servers_.back()->launch();
  }
  for (const auto& server : servers_) server->wait_until_ready();
}

Site::~Site() {
  if (!testing::Test::HasFailure()) return;
  folder_.keep();
  if (!database_.starts_with("sqlite:")) {
    run_program({"pg_dump", "--dbname=" + database_, "--file=" + folder_.file("database.sql")});
  }
  std::printf("kept: %s (%s)\n", folder_.path().c_str(), database_.c_str());
}

std::vector<std::uint16_t> Site::ports() const {
  std::vector<std::uint16_t> ports;
  for (const auto& server : servers_) ports.push_back(server->port());
  return ports;
}

void expect_told_the_truth(Site& site, const std::string& promotion, const std::vector<Visit>& visits) {
  const Table table = read_table(site.database(), promotion);
  const std::vector<std::string> found = contradictions(visits, table);
  EXPECT_TRUE(found.empty()) << promotion << ": " << shown(found);
  EXPECT_GT(table.entries.size(), 0U) << promotion << ": nobody got in, so nothing was tested";
  const Finished verdict = verify(site.database());
  EXPECT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
}

std::size_t soak_rounds(std::size_t short_form) {
  const char* text = std::getenv("HOTROW_SOAK_ROUNDS");
  return text == nullptr ? short_form : std::stoul(text);
}

std::uint64_t soak_seed() {
  const char* text = std::getenv("HOTROW_SOAK_SEED");
  return text == nullptr ? 1 : std::stoull(text);
}

void print(const RoundReport& report, const std::string& what) {
  const double seconds = std::chrono::duration<double>(Clock::now() - report.began).count();
  std::printf("%s round %zu/%zu: %s, %.1f s\n", report.name.c_str(), report.round, report.rounds,
              what.c_str(), seconds);
  std::fflush(stdout);
  const char* file = std::getenv("HOTROW_SOAK_REPORT");
  std::FILE* out = file == nullptr ? nullptr : std::fopen(file, "a");
  if (out == nullptr) return;
  std::fprintf(out, "%s\t%zu\t%zu\t%zu\t%.1f\n", report.name.c_str(), report.round, report.answers,
               report.places, seconds);
  std::fclose(out);
}

void print(RoundReport report, const std::vector<Visit>& visits) {
  report.answers = count(visits, Tidings::placed) + count(visits, Tidings::refused) +
                   count(visits, Tidings::busy) + count(visits, Tidings::unknown);
  print(report, std::to_string(report.places) + " places, " + summary(visits));
}

void Survival::run(std::size_t rounds, const Disturb& disturb) {
  for (std::size_t round = 1; round <= rounds && !testing::Test::HasFailure(); ++round) {
    play(round, rounds, disturb);
  }
}

void Survival::play(std::size_t round, std::size_t rounds, const Disturb& disturb) {
  const auto start = Clock::now();
  std::mt19937_64 random(soak_seed() * 1'000'003 + round);
  const std::string promotion = name_ + "-" + std::to_string(round);
  const std::size_t before = std::uniform_int_distribution<std::size_t>(1, 2'000)(random);
  create_promotion(site_.server().port(), promotion, 500);
  Crowd crowd({.ports = site_.ports(), .promotion = promotion, .seed = random()});
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= before; })) << "the crowd does not get in";
  disturb(random);
  const std::size_t until = crowd.placed() + recovered_places;
  EXPECT_TRUE(eventually([&] { return crowd.placed() >= until; }, std::chrono::seconds(60)))
      << "the service does not recover by itself; seed " << soak_seed();
  const std::vector<Visit> visits = crowd.finish();
  expect_told_the_truth(site_, promotion, visits);
  print({.name = name_,
         .round = round,
         .rounds = rounds,
         .places = read_table(site_.database(), promotion).entries.size(),
         .began = start},
        visits);
}

}  // namespace hotrow::test
