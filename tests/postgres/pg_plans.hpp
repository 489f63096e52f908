#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "hotrow/postgres/pg_connection.hpp"

namespace hotrow {

/// A hot statement, how EXPLAIN EXECUTE is given its parameters, and the index scans it must consist of.
struct HotStatement {
  const PgStatement& statement;
  std::string arguments;
  std::vector<std::string> scans;
  bool sorts = false;  ///< What it has found is few, and is sorted.
};

/// The hot statements on some tables.
struct PlanCase {
  std::string name;
  std::vector<HotStatement> hot;
  std::vector<std::string> tables;
  std::string fill;  ///< SQL that makes the tables as large as matters.
  friend void PrintTo(const PlanCase& of, std::ostream* out) { *out << of.name; }
};

PlanCase promotion_plans();
PlanCase market_plans();

}  // namespace hotrow
