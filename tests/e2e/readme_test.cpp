#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "tests/e2e/site.hpp"

// The session that README shows, typed as it stands there.
namespace hotrow::test {
namespace {

std::string source_file(const std::string& name) { return std::string(HOTROW_SOURCE_DIR) + "/" + name; }

/// What stands in the document's blocks of shell commands.
std::string shell_blocks(const std::string& document) {
  std::istringstream lines(read_file(source_file(document)));
  std::string blocks;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.starts_with("```");
    if (inside && !fence) blocks += line + "\n";
    if (fence) inside = line == "```sh";
  }
  return blocks;
}

/// Comments and titles are written in the reader's language.
std::string commands_of(const std::string& script) {
  std::istringstream lines(script);
  std::string commands;
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find(" #"), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty() && !line.starts_with('#')) commands += line + "\n";
  }
  return std::regex_replace(commands, std::regex("--title \"[^\"]*\""), "--title");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(Readme, SessionRunsAsItIsWritten) {
  Site site({.flags = {"--sample-data"}});
  std::string script = shell_blocks("README.md");
  ASSERT_NE(script.find("stampede"), std::string::npos) << "README shows no session any more";
  const std::string url = "http://127.0.0.1:" + std::to_string(site.server().port());
  script = replaced(script, "http://127.0.0.1:8080", url);
  script = replaced(script, "build/release/hotrow", hotrow_program());
  script = replaced(script, "sqlite:hotrow.db", site.database());
  const Finished session = run_program({"env", "HOTROW_URL=" + url, "bash", "-euo", "pipefail", "-c", script},
                                       std::chrono::seconds(120));
  EXPECT_EQ(session.exit_code, 0) << session.out << session.err;
  for (const char* shown :
       {R"({"promotion_id":"launch","user_id":"mina","ordinal":1,"winner":false,"already":false)",
        "the 1000th entrant: ", "places 1 to 20001 without a gap or a repeat, every answer holds",
        R"("available":899,"held":101)", R"("status":"sold")", R"("reason":"bid_refund")",
        R"("reason":"sale")", "every invariant holds"}) {
    EXPECT_NE(session.out.find(shown), std::string::npos) << shown << "\n" << session.out;
  }
}

TEST(Readme, BothLanguagesShowTheSameCommands) {
  EXPECT_EQ(commands_of(shell_blocks("README.ko.md")), commands_of(shell_blocks("README.md")));
}

}  // namespace
}  // namespace hotrow::test
