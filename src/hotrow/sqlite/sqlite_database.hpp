#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "hotrow/sqlite/sqlite_store.hpp"
#include "hotrow/sqlite/sqlite_writer.hpp"

namespace hotrow::sqlite {

/// The wall clock, kept from running backwards within the process; or the override as it is. Safe from all
/// threads.
class StoreClock {
 public:
  explicit StoreClock(ClockOverride override) : override_(std::move(override)) {}
  Timestamp now();

 private:
  ClockOverride override_;
  std::atomic<std::int64_t> latest_micros_{INT64_MIN};
};

/// The turn to write, had by one session at a time. Not a mutex: a session may be ended by another thread
/// than the one that took the turn. Safe from all threads.
class WriterTurn {
 public:
  /// False when the turn was not had within `budget`.
  bool take(std::chrono::milliseconds budget);
  void give_back();

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

/// Keeps every other process from opening the database to write, for as long as it lives. The file stays.
class FileLock {
 public:
  /// ErrorKind::fatal, naming who has it, when another process does.
  static Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// The file's one name, which the lock is taken by: absolute and without symbolic links. Fatal ("no_file",
/// "two_names") when the path names none, or a file that has a second name.
Result<std::string> real_path(const std::string& path);

/// Looks into an existing file without changing it: what was applied. Errors as of applied_migrations(), or
/// it is no database. A file that is not there, or empty, has nothing.
Result<std::vector<AppliedMigration>> look_into(const std::string& path);

/// An open database file: what all sessions of a store share and keep alive.
struct Database {
  /// Locks the file and opens it for writing. Its schema is brought up to date when options.migrate.
  static Result<std::shared_ptr<Database>> open(const SqliteOptions& options);

  Database(FileLock lock, Writer the_writer, const SqliteOptions& options)
      : file_lock(std::move(lock)), path(options.path), clock(options.clock), writer(std::move(the_writer)) {}

  FileLock file_lock;  ///< First: given up last.
  std::string path;
  StoreClock clock;
  WriterTurn turn;
  Writer writer;  ///< Of whoever has the turn.
};

}  // namespace hotrow::sqlite
