#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/crowd.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/table.hpp"

namespace hotrow::test {

struct SiteOptions {
  std::string database = "";  ///< Empty: an SQLite file of the site's own.
  std::size_t servers = 1;
  std::vector<std::string> flags = {};  ///< Of each server.
};

/// Server processes on one database, started and ready. When the running test has failed by the end, logs and
/// the database (of PostgreSQL: a dump) stay and their folder is named. Used by one thread.
class Site {
 public:
  explicit Site(const SiteOptions& options = {});
  ~Site();

  const std::string& database() const { return database_; }
  const ScratchFolder& folder() const { return folder_; }
  Server& server(std::size_t index = 0) { return *servers_.at(index); }
  std::size_t size() const { return servers_.size(); }
  std::vector<std::uint16_t> ports() const;

 private:
  ScratchFolder folder_{"hotrow-e2e"};
  std::string database_;
  std::vector<std::unique_ptr<Server>> servers_;
};

/// Fails the running test when what people were told contradicts the rows, or when `hotrow verify` does not
/// exit 0.
void expect_told_the_truth(Site& site, const std::string& promotion, const std::vector<Visit>& visits);

/// How many rounds a test with chance in it plays: HOTROW_SOAK_ROUNDS, or `short_form`.
std::size_t soak_rounds(std::size_t short_form);

/// HOTROW_SOAK_SEED, or 1. Everything random in a round comes from it and the round's number.
std::uint64_t soak_seed();

/// What a round, or all of a test's rounds, came to: a line for whoever watches, and the same figures for the
/// summary of script/soak.
struct RoundReport {
  std::string name;
  std::size_t round = 0;  ///< The last one played.
  std::size_t rounds = 0;
  std::size_t answers = 0;  ///< That clients heard.
  std::size_t places = 0;   ///< Places given out, or bids taken.
  std::chrono::steady_clock::time_point began;
};
void print(const RoundReport& report, const std::string& what);
/// With the answers that these visits heard.
void print(RoundReport report, const std::vector<Visit>& visits);

/// One round each of: a new promotion, a crowd, after a random number of places a disturbance, recovery
/// without anybody's help, and every word compared with the rows. Ends with the first round that fails.
class Survival {
 public:
  using Disturb = std::function<void(std::mt19937_64& random)>;

  Survival(Site& site, std::string name) : site_(site), name_(std::move(name)) {}

  /// `disturb` returns when everything that it broke and that does not mend by itself was started again.
  void run(std::size_t rounds, const Disturb& disturb);

 private:
  void play(std::size_t round, std::size_t rounds, const Disturb& disturb);

  Site& site_;
  std::string name_;
};

}  // namespace hotrow::test
