#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/e2e/site.hpp"

namespace hotrow::test {
namespace {

TEST(SqliteSurvival, KillNineLosesNoAnswer) {
  Site site;
  Survival(site, "sqlite-kill").run(soak_rounds(3), [&](std::mt19937_64&) {
    site.server().process().kill_hard();
    site.server().start();
  });
}

TEST(SqliteSurvival, KillNineAgainDuringRecoveryLosesNoAnswer) {
  Site site;
  Survival(site, "sqlite-kill-twice").run(soak_rounds(2), [&](std::mt19937_64& random) {
    site.server().process().kill_hard();
    site.server().launch();
    const std::chrono::milliseconds moment(std::uniform_int_distribution<int>(0, 120)(random));
    EXPECT_FALSE(site.server().process().wait(moment).has_value()) << site.server().log();
    site.server().process().kill_hard();
    site.server().start();
  });
}

TEST(SqliteSurvival, SigtermUnderLoadAnswersAllAndExitsZero_K01) {
  Site site({.flags = {"--drain-delay", "300ms"}});
  create_promotion(site.server().port(), "p", 500);
  Crowd crowd({.ports = site.ports(), .promotion = "p", .connections = 128, .leave_share = 0.5});
  ASSERT_TRUE(eventually([&] { return crowd.placed() >= 1'000; }));
  site.server().process().signal(SIGTERM);
  EXPECT_TRUE(eventually([&] {
    const auto answer = HttpProbe(site.server().port()).get("/readyz");
    return !answer || answer->status == 503;
  })) << "a server that drains says that it is ready";
  EXPECT_EQ(site.server().process().wait(std::chrono::seconds(25)), 0) << site.server().log();
  expect_told_the_truth(site, "p", crowd.finish());
}

}  // namespace
}  // namespace hotrow::test
