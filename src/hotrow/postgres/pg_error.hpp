#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hotrow/base/result.hpp"

namespace hotrow {

/// What the server, or libpq in its place, said about a statement that failed.
struct PgFault {
  std::string sqlstate;    ///< Five characters; empty when the connection was lost without a word.
  std::string constraint;  ///< Of a 23xxx: which one.
  std::string message;
};

/// Where in an attempt a statement failed. At COMMIT the same code means something else, because there the
/// failure may stand for a transaction that did commit.
enum class PgMoment : std::uint8_t { before_commit, at_commit };

/// The one place that says what a caller can do about an SQLSTATE (PostgreSQL manual, appendix A).
///
/// `conflict`: 40001, 40P01, and a duplicate primary key: the row was absent a moment ago. `invalid`: other
/// 22xxx and 23xxx, 54xxx. `held`: 55P03, 57014. `fatal`: 42xxx, 3xxxx, 28xxx, 26xxx, 0A000. `transient`:
/// everything else, and the connection's loss.
///
/// At COMMIT only a code that proves the rollback (40001, 40P01, 22xxx, 23xxx) keeps its meaning; everything
/// else is `in_doubt`.
Error pg_error(const PgFault& fault, PgMoment moment);

}  // namespace hotrow
