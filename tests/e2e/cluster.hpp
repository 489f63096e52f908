#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/pg_cluster.hpp"

namespace hotrow::test {

/// The PostgreSQL of this test program, started by the first who asks and stopped at its end.
PgCluster& cluster();

/// A new, empty database in it, as --database takes it. `port`: of a proxy that leads to the cluster.
std::string fresh_database(int port = 0);

/// Waits until the cluster gives connections and answers.
bool wait_for_cluster();

/// Of the postmaster, asked while it runs.
pid_t postmaster_pid();

/// Ends sessions of hotrow servers on this database, some by chance or all, as an operator would. Returns how
/// many.
int terminate_hotrow_sessions(const std::string& database, bool all);

/// The process id of one session of a hotrow server on this database; 0 when there is none.
pid_t some_hotrow_backend(const std::string& database);

}  // namespace hotrow::test
