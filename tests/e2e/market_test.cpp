#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/site.hpp"

// A crowd trades; its own books and the server's must agree, whatever is killed meanwhile.
namespace hotrow::test {
namespace {

namespace json = boost::json;

std::vector<std::string> market_command(const Site& site, const std::vector<std::string>& flags) {
  std::string urls;
  for (const std::uint16_t port : site.ports()) {
    urls += (urls.empty() ? "" : ",") + ("http://127.0.0.1:" + std::to_string(port));
  }
  std::vector<std::string> argv = {hotrow_program(),           "market", "--url", urls, "--json", "--seed",
                                   std::to_string(soak_seed())};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return argv;
}

/// Enough of everything happened that the agreement says something.
void expect_busy_market(const std::string& out) {
  json::error_code error;
  const json::value report = json::parse(out, error);
  ASSERT_FALSE(error) << out;
  EXPECT_EQ(report.at("differences").as_array().size(), 0U) << out;
  EXPECT_EQ(report.at("unanswered"), 0) << out;
  for (const char* call : {"deposit", "create_item", "list", "bid", "buy_out", "cancel"}) {
    EXPECT_GT(report.at("calls").at(call).at("accepted").as_int64(), 0) << call << "\n" << out;
  }
  for (const char* refusal : {"bid_too_low", "has_bids", "not_seller"}) {
    EXPECT_TRUE(report.at("refusals").as_object().contains(refusal)) << refusal << "\n" << out;
  }
  EXPECT_GT(report.at("lost").as_int64(), 0) << out;
  EXPECT_GT(report.at("repeated").as_int64(), 0) << out;
}

void expect_verified(const Site& site) {
  const Finished verdict = verify(site.database());
  EXPECT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
}

void expect_books_agree(const Site& site) {
  for (int times = 0; times < 2; ++times) {  // The second finds the database as the first left it.
    const Finished market =
        run_program(market_command(site, {"--players", "50", "--listings", "30", "--seconds", "3"}),
                    std::chrono::seconds(90));
    EXPECT_EQ(market.exit_code, 0) << market.out << market.err;
    expect_busy_market(market.out);
    expect_verified(site);
  }
}

TEST(Market, BooksOfAShortRunAgreeWithSqlite) {
  const Site site;
  expect_books_agree(site);
}

TEST(Market, BooksOfAShortRunAgreeWithPostgres) {
  const Site site({.database = fresh_database(), .flags = {"--migrate"}});
  expect_books_agree(site);
}

void report(const std::string& out, std::size_t kills, std::chrono::steady_clock::time_point began) {
  const json::value report = json::parse(out);
  const auto answers = report.at("answered").to_number<std::size_t>();
  print({.name = "market-kill-server",
         .round = kills,
         .rounds = kills,
         .answers = answers,
         .places = report.at("calls").at("bid").at("accepted").to_number<std::size_t>(),
         .began = began},
        std::to_string(answers) + " answers in the books");
}

/// A kill every 2 seconds among 100 players; in a soak every 5 seconds among 1,000.
TEST(Market, BooksAgreeWhileOneOfThreeServersIsKilledAgainAndAgain_C29) {
  const auto began = std::chrono::steady_clock::now();
  Site site({.database = fresh_database(), .servers = 3, .flags = {"--migrate"}});
  const bool is_soak = soak_rounds(0) > 0;
  const std::chrono::seconds pause(is_soak ? 5 : 2);
  const std::string seconds = std::to_string(soak_rounds(5) * std::size_t(pause.count()));
  const std::string out = site.folder().file("market.json");
  Process market(market_command(site, {"--players", is_soak ? "1000" : "100", "--listings",
                                       is_soak ? "500" : "60", "--seconds", seconds}),
                 {.out_file = out, .err_file = site.folder().file("market.log")});
  std::size_t kills = 0;
  while (!market.wait(pause)) {
    Server& server = site.server(kills++ % site.size());
    EXPECT_TRUE(server.process().running()) << "ended by itself: " << server.log();
    server.process().kill_hard();
    server.start();
  }
  EXPECT_EQ(market.wait(std::chrono::seconds(1)), 0) << read_file(out);
  EXPECT_GE(kills, soak_rounds(5) / 2);
  for (std::size_t i = 0; i < site.size(); ++i) {
    EXPECT_TRUE(site.server(i).process().running()) << "ended by itself: " << site.server(i).log();
  }
  expect_busy_market(read_file(out));
  expect_verified(site);
  if (!HasFailure()) report(read_file(out), kills, began);
}

TEST(Market, ADriverWithoutAServerSaysSo) {
  const Finished market =
      run_program({hotrow_program(), "market", "--url", "http://127.0.0.1:1", "--seconds", "1"});
  EXPECT_EQ(market.exit_code, 2) << market.out;
  EXPECT_NE(market.err.find("http_unreachable"), std::string::npos) << market.err;
}

TEST(Market, MoneyTakenBehindTheServersBackIsADifference) {
  Site site;
  Process market(market_command(site, {"--players", "20", "--listings", "10", "--seconds", "4"}),
                 {.out_file = site.folder().file("market.json"), .err_file = ""});
  HttpProbe probe(site.server().port());
  std::string player;
  ASSERT_TRUE(eventually([&] {
    const auto listings = probe.get("/v1/listings?limit=1");
    if (!listings || listings->status != 200) return false;
    const json::value page = json::parse(listings->body);
    if (page.at("items").as_array().empty()) return false;
    player = page.at("items").at(0).at("seller_id").as_string();
    return player.find_first_of("/: ?%") == std::string::npos;
  }));
  const auto robbed = probe.send("POST", "/v1/players/" + player + "/wallet/deposits", R"({"amount":1})",
                                 {{"Idempotency-Key", "a-stranger"}});
  ASSERT_TRUE(robbed && robbed->status == 201) << robbed->body;
  EXPECT_EQ(market.wait(std::chrono::seconds(60)), 1);
  const json::value report = json::parse(read_file(site.folder().file("market.json")));
  ASSERT_EQ(report.at("differences").as_array().size(), 1U);
  EXPECT_NE(std::string(report.at("differences").at(0).as_string()).find("wallet of " + player + " has "),
            std::string::npos);
}

}  // namespace
}  // namespace hotrow::test
