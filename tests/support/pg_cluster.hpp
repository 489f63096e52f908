#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace hotrow {

/// A PostgreSQL of a test's own: in a temporary folder, on a free port of 127.0.0.1, durable (fsync on), with
/// superuser `postgres` and no password. Stopped and removed with this object, and also when the process that
/// made it dies. Run as root it belongs to the system user `postgres`, who must exist.
///
/// Its default collation is ICU's, not C: what relies on the database's collation shows.
class PgCluster {
 public:
  struct Options {
    std::vector<std::string> settings;  ///< Lines of postgresql.conf.
  };

  /// Throws std::runtime_error with what the programs said.
  explicit PgCluster(const Options& options);
  PgCluster() : PgCluster(Options{}) {}
  ~PgCluster();
  PgCluster(const PgCluster&) = delete;
  PgCluster& operator=(const PgCluster&) = delete;

  int port() const { return port_; }
  /// The server may read and write files here.
  const std::string& folder() const { return folder_; }
  std::string url(const std::string& user = "postgres", const std::string& database = "postgres") const;

  /// Runs SQL through psql as superuser and returns the rows, unaligned, columns separated by '|'. Throws
  /// when it fails.
  std::string sql(const std::string& text) const;

  /// Dumps this database and restores it into another cluster's.
  void dump_into(const PgCluster& other) const;

  /// A fast shutdown: sessions are ended, everything committed is on disk.
  void stop();
  /// kill -9 of the server and all its sessions: recovery follows at the next start().
  void crash();
  void start();

 private:
  std::string program(const std::string& name) const;
  std::vector<std::string> as_owner(std::vector<std::string> command) const;
  void initialise(const Options& options);
  void watch();
  pid_t postmaster() const;

  std::string folder_;
  int port_;
  pid_t watcher_ = 0;
  int lifeline_ = -1;  ///< The watcher cleans up when this end of a pipe is closed, however that happens.
};

}  // namespace hotrow
