#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hotrow/base/time.hpp"
#include "tests/e2e/visit.hpp"

namespace hotrow::test {

struct TableEntry {
  std::int64_t ordinal = 0;
  std::string user;
  Timestamp entered_at;
};

/// What stands in the database about one promotion, read by SQL and not through hotrow.
struct Table {
  std::int64_t counter = 0;         ///< The promotion row's own count.
  std::vector<TableEntry> entries;  ///< By ordinal.
  std::map<std::int64_t, std::string> winners;
};

/// `database` as hotrow takes it; PostgreSQL's schema is "hotrow". Throws std::runtime_error when it cannot
/// be read.
Table read_table(const std::string& database, const std::string& promotion);

/// Changes rows behind hotrow's back. PostgreSQL looks for plain names in hotrow's schema.
void run_sql(const std::string& database, const std::string& sql);

/// The number that a SELECT from hotrow's tables says.
std::int64_t read_number(const std::string& database, const std::string& sql);

/// Everything in which what people were told contradicts the rows, or the rows themselves; empty when
/// nothing:
/// - places are 1..n, one a person, as many as the promotion counts;
/// - who was told a place has it, told at that time, told to have won or not as pinned, always the same;
/// - at most once was somebody told that the entry is new, stored answers aside;
/// - every request of a visit with a key had the same answer word for word, all but the first as a replay;
/// - who was told only `busy`, refusals, or reached nobody, has no place;
/// - nobody has a place who was not there;
/// - no answer was a fault.
std::vector<std::string> contradictions(const std::vector<Visit>& visits, const Table& table);

/// The first of them, for a test's message.
std::string shown(const std::vector<std::string>& contradictions);

}  // namespace hotrow::test
