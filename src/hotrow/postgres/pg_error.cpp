#include "hotrow/postgres/pg_error.hpp"

namespace hotrow {
namespace {

/// A row that was absent when this attempt looked, or a commit mark that a resolver took. Other unique keys
/// are guarded by a lock: to find one taken is a bug.
bool is_primary_key(std::string_view constraint) { return constraint.ends_with("_pkey"); }

ErrorKind kind_of(std::string_view state, std::string_view constraint) {
  if (state == "40001" || state == "40P01") return ErrorKind::conflict;
  if (state == "23505" && is_primary_key(constraint)) return ErrorKind::conflict;
  if (state == "55P03" || state == "57014") return ErrorKind::held;
  const std::string_view category = state.substr(0, 2);
  if (category == "22" || category == "23" || category == "54") return ErrorKind::invalid;
  for (const std::string_view wrong_setup : {"42", "3D", "3F", "28", "26", "0A"}) {
    if (category == wrong_setup) return ErrorKind::fatal;
  }
  return ErrorKind::transient;
}

bool proves_rollback(std::string_view state) {
  return state == "40001" || state == "40P01" || state.starts_with("22") || state.starts_with("23");
}

}  // namespace

Error pg_error(const PgFault& fault, PgMoment moment) {
  const std::string state = fault.sqlstate.empty() ? "08006" : fault.sqlstate;
  ErrorKind kind = kind_of(state, fault.constraint);
  if (moment == PgMoment::at_commit && !proves_rollback(state)) kind = ErrorKind::in_doubt;
  // Only pg_statements' row-count checks divide.
  const bool count_differs = state == "22012";
  std::string detail = fault.message;
  if (!fault.constraint.empty()) detail += " [" + fault.constraint + "]";
  return {.kind = kind, .code = count_differs ? "rows_affected" : state, .detail = std::move(detail)};
}

}  // namespace hotrow
