#include "tests/e2e/cluster.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "tests/e2e/postgres.hpp"
#include "tests/support/process.hpp"

namespace hotrow::test {
namespace {

std::unique_ptr<PgCluster>& the_cluster() {
  static std::unique_ptr<PgCluster> cluster;
  return cluster;
}

/// Before static objects are destroyed, so that nothing of the cluster outlives main().
class ClusterEnd : public testing::Environment {
 public:
  void TearDown() override { the_cluster().reset(); }
};

std::string of_hotrow(PostgresSession& session, const std::string& database) {
  const std::string name = database.substr(database.rfind('/') + 1);
  return " FROM pg_stat_activity WHERE application_name LIKE 'hotrow/%' AND datname = " +
         session.quoted(name);
}

}  // namespace

PgCluster& cluster() {
  if (the_cluster() == nullptr) {
    the_cluster() = std::make_unique<PgCluster>(PgCluster::Options{
        .settings = {"max_connections = 200",
                     // After a crash: one call instead of opening every file of every database.
                     "recovery_init_sync_method = syncfs"}});
    testing::AddGlobalTestEnvironment(new ClusterEnd);
  }
  return *the_cluster();
}

std::string fresh_database(int port) {
  static int number = 0;
  const std::string name = "e2e_" + std::to_string(++number);
  PostgresSession(cluster().url()).query("CREATE DATABASE " + name);
  if (port == 0) return cluster().url("postgres", name);
  return "postgresql://postgres@127.0.0.1:" + std::to_string(port) + "/" + name;
}

bool wait_for_cluster() {
  return eventually([] { return PostgresSession::answers(cluster().url()); }, std::chrono::seconds(60));
}

pid_t postmaster_pid() {
  std::ifstream in(PostgresSession(cluster().url()).value("SHOW data_directory") + "/postmaster.pid");
  pid_t pid = 0;
  in >> pid;
  if (pid <= 1) throw std::runtime_error("no postmaster.pid");
  return pid;
}

int terminate_hotrow_sessions(const std::string& database, bool all) {
  PostgresSession session(cluster().url());
  const std::string which = all ? "" : " AND random() < 0.3";
  return std::stoi(
      session.value("SELECT count(pg_terminate_backend(pid))" + of_hotrow(session, database) + which));
}

pid_t some_hotrow_backend(const std::string& database) {
  PostgresSession session(cluster().url());
  const auto rows = session.query("SELECT pid" + of_hotrow(session, database) + " ORDER BY random() LIMIT 1");
  return rows.empty() ? 0 : std::stoi(rows.front().front());
}

}  // namespace hotrow::test
