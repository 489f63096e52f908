#include "hotrow/postgres/pg_error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hotrow {
namespace {

ErrorKind kind(const std::string& state, PgMoment moment, const std::string& constraint = "") {
  return pg_error({.sqlstate = state, .constraint = constraint, .message = ""}, moment).kind;
}

TEST(PgError, EveryStateBeforeCommitHasTheKindThatSaysWhatToDo) {
  struct Case {
    std::string state;
    ErrorKind kind;
  };
  const std::vector<Case> cases = {
      {"40001", ErrorKind::conflict},  {"40P01", ErrorKind::conflict},  {"40003", ErrorKind::transient},
      {"23505", ErrorKind::invalid},   {"23514", ErrorKind::invalid},   {"22021", ErrorKind::invalid},
      {"22P02", ErrorKind::invalid},   {"54000", ErrorKind::invalid},   {"55P03", ErrorKind::held},
      {"57014", ErrorKind::held},      {"57P01", ErrorKind::transient}, {"57P02", ErrorKind::transient},
      {"57P03", ErrorKind::transient}, {"08006", ErrorKind::transient}, {"08P01", ErrorKind::transient},
      {"53100", ErrorKind::transient}, {"53300", ErrorKind::transient}, {"25006", ErrorKind::transient},
      {"25P03", ErrorKind::transient}, {"58030", ErrorKind::transient}, {"XX000", ErrorKind::transient},
      {"", ErrorKind::transient},      {"42P01", ErrorKind::fatal},     {"42501", ErrorKind::fatal},
      {"3F000", ErrorKind::fatal},     {"3D000", ErrorKind::fatal},     {"28P01", ErrorKind::fatal},
      {"26000", ErrorKind::fatal},     {"0A000", ErrorKind::fatal},
  };
  for (const Case& c : cases) EXPECT_EQ(kind(c.state, PgMoment::before_commit), c.kind) << c.state;
}

TEST(PgError, AtCommitOnlyWhatProvesARollbackIsNotInDoubt) {
  EXPECT_EQ(kind("40001", PgMoment::at_commit), ErrorKind::conflict);
  EXPECT_EQ(kind("40P01", PgMoment::at_commit), ErrorKind::conflict);
  EXPECT_EQ(kind("23514", PgMoment::at_commit), ErrorKind::invalid);
  for (const char* state :
       {"", "40003", "08006", "08007", "57P01", "57P02", "57014", "53100", "XX000", "58030"}) {
    EXPECT_EQ(kind(state, PgMoment::at_commit), ErrorKind::in_doubt) << state;
  }
}

TEST(PgError, OnlyATakenPrimaryKeyIsAConflict) {
  for (const char* key : {"promotion_pkey", "entry_pkey", "answer_12_pkey", "commit_mark_3_pkey"}) {
    EXPECT_EQ(kind("23505", PgMoment::before_commit, key), ErrorKind::conflict) << key;
  }
  EXPECT_EQ(kind("23505", PgMoment::before_commit, "entry_place"), ErrorKind::invalid);
  EXPECT_EQ(kind("23505", PgMoment::before_commit, "event_id"), ErrorKind::invalid);
  EXPECT_EQ(kind("23514", PgMoment::before_commit, "winner_pkey"), ErrorKind::invalid);
}

TEST(PgError, ARowThatWasNotFoundIsNamedSo) {
  const Error error = pg_error({.sqlstate = "22012", .constraint = "", .message = "division by zero"},
                               PgMoment::before_commit);
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_EQ(error.code, "rows_affected");
}

}  // namespace
}  // namespace hotrow
