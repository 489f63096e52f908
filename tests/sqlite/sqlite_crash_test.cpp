#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/sqlite/sqlite_store.hpp"
#include "tests/sqlite/temporary_database.hpp"
#include "tests/store/sample_rows.hpp"

namespace hotrow {
namespace {

using namespace conformance;

constexpr int rounds = 6;
constexpr std::int64_t acknowledged_before_the_kill = 25;
constexpr std::int64_t entries_a_commit = 7;

/// Commits batch after batch of entries and tells each through the pipe only after it was committed.
[[noreturn]] void enter_until_killed(const std::string& path, std::int64_t round, int acknowledge) {
  auto store = open_sqlite_store({.path = path});
  if (!store) _exit(2);
  auto transaction = (*store)->open_transaction();
  for (std::int64_t number = 1;; ++number) {
    const Key key = promotion_key("p");
    (*transaction)->begin({.id = {.server = "round-" + std::to_string(round), .number = number}});
    const Result<Locked> locked = (*transaction)->lock(std::span(&key, 1));
    if (!locked) _exit(3);
    PromotionRow promotion = std::get<PromotionRow>(*locked->rows[0]);
    std::vector<RowWrite> writes;
    for (std::int64_t i = 0; i < entries_a_commit; ++i) {
      const std::int64_t ordinal = ++promotion.entries;
      writes.push_back(insert(entry_row("p", "u" + std::to_string(ordinal), ordinal)));
    }
    writes.insert(writes.begin(), update(promotion));
    (*transaction)->apply(writes);
    if (!(*transaction)->commit()) _exit(4);
    if (write(acknowledge, &promotion.entries, sizeof promotion.entries) < 0) _exit(5);
  }
}

/// The highest place that a child acknowledged before it was killed.
std::int64_t kill_amid_commits(const std::string& path, std::int64_t round) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    enter_until_killed(path, round, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  std::int64_t latest = 0;
  std::int64_t read_value = 0;
  for (std::int64_t count = 1; read(pipe_ends[0], &read_value, sizeof read_value) > 0; ++count) {
    latest = read_value;
    if (count == acknowledged_before_the_kill + round) kill(child, SIGKILL);
  }
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "exit " << WEXITSTATUS(status);
  return latest;
}

TEST(SqliteCrash, WhatWasAcknowledgedSurvivesAKillAndNothingIsHalfDone) {
  const TemporaryDatabase file;
  {
    auto store = open_sqlite_store({.path = file.path()});
    ASSERT_TRUE(store) << store.error().detail;
    const std::vector<RowWrite> writes = {insert(promotion_row("p"))};
    auto transaction = (*store)->open_transaction();
    (*transaction)->begin({.id = {.server = "test", .number = 1}});
    ASSERT_TRUE((*transaction)->lock({}));
    (*transaction)->apply(writes);
    ASSERT_TRUE((*transaction)->commit());
  }
  for (std::int64_t round = 1; round <= rounds; ++round) {
    const std::int64_t acknowledged = kill_amid_commits(file.path(), round);
    const auto store = open_sqlite_store({.path = file.path()});
    ASSERT_TRUE(store) << store.error().detail;
    auto queries = (*store)->open_queries();
    ASSERT_TRUE(queries) << queries.error().detail;
    const auto facts = (*queries)->promotion_facts("p");
    ASSERT_TRUE(facts && *facts);
    EXPECT_GE((*facts)->entries, acknowledged);
    EXPECT_EQ((*facts)->entries % entries_a_commit, 0) << "a commit is there whole or not at all";
    EXPECT_EQ((*facts)->entries, (*facts)->promotion.entries);
    EXPECT_EQ((*facts)->ordinal_max, (*facts)->entries);
    EXPECT_EQ((*facts)->users_distinct, (*facts)->entries);
  }
}

}  // namespace
}  // namespace hotrow
