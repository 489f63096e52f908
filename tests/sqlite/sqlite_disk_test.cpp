#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/sqlite/faulty_disk.hpp"
#include "tests/sqlite/sqlite_sessions.hpp"
#include "tests/sqlite/temporary_database.hpp"

// Disks that are full or fail, and files that are somebody else's.
namespace hotrow {
namespace {

/// Lets no file of this process grow beyond a size, as a full disk would.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  void (*signal_)(int);
  rlimit before_{};
};

/// More than one piece of what the log is written in.
std::vector<RowWrite> many_entries() {
  std::vector<RowWrite> writes;
  for (std::int64_t i = 1; i <= 5'000; ++i) {
    writes.push_back(insert(entry_row("p", "user-" + std::to_string(i), i)));
  }
  return writes;
}

TEST(SqliteStore, ACommitForWhichTheDiskHasNoRoomIsCertainlyNotDone) {
  const TemporaryDatabase file;
  {
    const auto store = open({.path = file.path()});
    ASSERT_TRUE(commit(*store, {insert(promotion_row("p"))}));
    for (const rlim_t bytes : {100'000, 300'000, 301'024}) {
      const FileSizeLimit limit(bytes);
      const Result<void> committed = commit(*store, many_entries());
      ASSERT_FALSE(committed);
      EXPECT_EQ(committed.error().kind, ErrorKind::transient) << committed.error().detail;
    }
    EXPECT_TRUE(queries_of(*store)->entries("p", 0, 10)->empty());
  }
  const auto again = open({.path = file.path()});
  EXPECT_TRUE(queries_of(*again)->entries("p", 0, 10)->empty());
  EXPECT_TRUE(commit(*again, many_entries())) << "the store is of use again";
}

TEST(SqliteStore, ACommitWhoseLogIsNotSyncedIsInDoubtUntilItIsResolved) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  ASSERT_TRUE(commit(*store, {insert(promotion_row("p"))}));
  const AttemptOptions options = attempt();
  {
    const FaultyDisk disk(FaultyDisk::Fault::sync_fails);
    const Result<void> committed = commit(*store, many_entries(), options);
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().detail;
  }
  const Result<CommitFate> fate = store->resolve(options.id, std::chrono::seconds(1));
  ASSERT_TRUE(fate) << fate.error().detail;
  EXPECT_EQ(*fate, CommitFate::not_committed);
  EXPECT_TRUE(queries_of(*store)->entries("p", 0, 10)->empty());
  EXPECT_EQ(commit(*store, many_entries(), options).error().kind, ErrorKind::conflict)
      << "the attempt is fenced";
  EXPECT_TRUE(commit(*store, many_entries())) << "the store is of use again";
}

TEST(SqliteStore, AWriteThatIsSaidToHaveFailedAndHasNotIsInDoubt) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  const AttemptOptions options = attempt();
  {
    const FaultyDisk disk(FaultyDisk::Fault::write_lies);
    const Result<void> committed = commit(*store, {insert(promotion_row("p"))}, options);
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::in_doubt) << committed.error().detail;
  }
  EXPECT_EQ(*store->resolve(options.id, std::chrono::seconds(1)), CommitFate::not_committed);
  EXPECT_FALSE(queries_of(*store)->promotion("p")->has_value());
}

TEST(SqliteStore, AnotherProgramsDatabaseIsRefusedAndLeftAsItIs) {
  const TemporaryDatabase file;
  run_sql(file.path(), "CREATE TABLE account (id INTEGER)");
  const auto size = std::filesystem::file_size(file.path());
  for (const bool migrate : {true, false}) {
    const auto store = open_sqlite_store({.path = file.path(), .migrate = migrate});
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, "foreign_database");
    EXPECT_NE(store.error().detail.find("account"), std::string::npos) << store.error().detail;
  }
  EXPECT_FALSE(sqlite_schema_status({.path = file.path()}));
  EXPECT_EQ(std::filesystem::file_size(file.path()), size);
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".lock"));
}

TEST(SqliteStore, AFileWithTwoNamesHasOneWriter) {
  const TemporaryDatabase file;
  const auto store = open({.path = file.path()});
  std::filesystem::create_symlink(file.path(), file.path() + ".soft");
  EXPECT_EQ(open_sqlite_store({.path = file.path() + ".soft"}).error().code, "database_locked");
  std::filesystem::create_hard_link(file.path(), file.path() + ".hard");
  EXPECT_EQ(open_sqlite_store({.path = file.path() + ".hard"}).error().code, "two_names");
  std::filesystem::create_symlink(file.path() + ".nowhere", file.path() + ".dangling");
  EXPECT_EQ(open_sqlite_store({.path = file.path() + ".dangling"}).error().code, "no_file");
  EXPECT_EQ(open_sqlite_store({.path = ":memory:"}).error().code, "no_file");
  EXPECT_FALSE(std::filesystem::exists(":memory:.lock"));
}

}  // namespace
}  // namespace hotrow
