#include "hotrow/sqlite/sqlite_database.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hotrow/base/assert.hpp"
#include "hotrow/sqlite/sqlite_schema.hpp"

namespace hotrow::sqlite {
namespace {

// Small pages: a batch of entries hits as many pages of the index by user as it has entries, and each page
// goes into the log whole. A long log: the same pages are hit again before they are copied back.
constexpr std::array<const char*, 5> settings = {
    "PRAGMA page_size = 1024",
    "PRAGMA synchronous = FULL",
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 131072",
    "PRAGMA journal_size_limit = 150994944",
};

Result<void> use_write_ahead_log(Connection& connection) {
  Result<Statement> statement = connection.prepare("PRAGMA journal_mode = WAL");
  if (!statement) return failure(statement.error());
  const Result<bool> answered = statement->step();
  if (!answered) return failure(answered.error());
  if (*answered && statement->text(0) == "wal") return {};
  return failure(ErrorKind::fatal, "no_wal",
                 "the file system cannot keep a write-ahead log; is it a network file system?");
}

Result<void> check_schema_is_current(Connection& connection) {
  const auto applied = applied_migrations(connection);
  if (!applied) return failure(applied.error());
  const auto left = pending(migrations(), *applied);
  if (!left) return failure(left.error());
  if (left->empty()) return {};
  return failure(ErrorKind::fatal, "schema_behind",
                 std::to_string(left->size()) + " migrations are pending: run `hotrow migrate up`");
}

Result<Connection> open_writing_connection(const SqliteOptions& options) {
  Result<Connection> connection = Connection::open_for_writing(options.path);
  if (!connection) return connection;
  for (const char* setting : settings) {
    if (Result<void> set = connection->run(setting); !set) return failure(set.error());
  }
  if (Result<void> set = use_write_ahead_log(*connection); !set) return failure(set.error());
  Result<void> current = options.migrate ? migrate(*connection) : check_schema_is_current(*connection);
  if (!current) return failure(current.error());
  return connection;
}

tl::unexpected<Error> lock_failure(const std::string& path, int code) {
  return failure(ErrorKind::fatal, "lock_file", path + ": " + std::strerror(code));
}

/// What the process that has the lock wrote into the file.
std::string owner_of(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? " (process " + std::string(text.data(), std::size_t(size)) + ")" : "";
}

}  // namespace

Timestamp StoreClock::now() {
  if (override_) return override_();
  const std::int64_t read = wall_clock_now().micros;
  std::int64_t latest = latest_micros_.load();
  while (read > latest && !latest_micros_.compare_exchange_weak(latest, read)) {
  }
  return {std::max(read, latest)};
}

bool WriterTurn::take(std::chrono::milliseconds budget) {
  std::unique_lock lock(mutex_);
  if (!free_.wait_for(lock, budget, [this] { return !taken_; })) return false;
  taken_ = true;
  return true;
}

void WriterTurn::give_back() {
  {
    const std::lock_guard lock(mutex_);
    HOTROW_ASSERT(taken_);
    taken_ = false;
  }
  free_.notify_one();
}

Result<FileLock> FileLock::take(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) return lock_failure(path, errno);
  FileLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return lock_failure(path, errno);
    return failure(ErrorKind::fatal, "database_locked",
                   "another process" + owner_of(descriptor) +
                       " has this database open: a SQLite database serves one process (" + path + ")");
  }
  const std::string owner = std::to_string(getpid());
  if (ftruncate(descriptor, 0) != 0) return lock_failure(path, errno);
  if (pwrite(descriptor, owner.data(), owner.size(), 0) < 0) return lock_failure(path, errno);
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<std::string> real_path(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path.starts_with(':') || path.starts_with("file:")) {
    return failure(ErrorKind::fatal, "no_file",
                   "\"" + path + "\" is no path of a file: what is kept must outlive the process");
  }
  std::error_code error;
  const fs::file_status itself = fs::symlink_status(path, error);
  if (itself.type() == fs::file_type::symlink && !fs::exists(path, error)) {
    return failure(ErrorKind::fatal, "no_file", path + " is a symbolic link to a file that is not there");
  }
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return failure(ErrorKind::fatal, "no_file", path + ": " + error.message());
  if (fs::is_regular_file(real, error) && fs::hard_link_count(real, error) > 1) {
    return failure(ErrorKind::fatal, "two_names",
                   path + " has another hard link: a process could open the file by that name unnoticed");
  }
  return real.string();
}

Result<std::vector<AppliedMigration>> look_into(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size == 0) return std::vector<AppliedMigration>();
  Result<Connection> connection = Connection::open_for_reading(path);
  if (!connection) return failure(connection.error());
  Result<std::vector<AppliedMigration>> applied = applied_migrations(*connection);
  if (!applied) {
    return failure(applied.error().kind, applied.error().code, path + ": " + applied.error().detail);
  }
  return applied;
}

Result<std::shared_ptr<Database>> Database::open(const SqliteOptions& given) {
  const Result<std::string> path = real_path(given.path);
  if (!path) return failure(path.error());
  SqliteOptions options = given;
  options.path = *path;
  // Before anything is made beside it: it may be no database, or somebody else's.
  if (const auto ours = look_into(*path); !ours) return failure(ours.error());
  Result<FileLock> lock = FileLock::take(options.path + ".lock");
  if (!lock) return failure(lock.error());
  Result<Connection> connection = open_writing_connection(options);
  if (!connection) return failure(connection.error());
  Result<Writer> writer = Writer::prepare(std::move(*connection), options.answers_kept);
  if (!writer) return failure(writer.error());
  return std::make_shared<Database>(std::move(*lock), std::move(*writer), options);
}

}  // namespace hotrow::sqlite
