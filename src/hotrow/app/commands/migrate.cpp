#include <fmt/format.h>

#include "hotrow/app/commands.hpp"
#include "hotrow/app/database.hpp"
#include "hotrow/postgres/pg_store.hpp"

namespace hotrow {
namespace {

int fail(const Error& error) {
  fmt::print(stderr, "hotrow: {} ({})\n", error.detail, error.code);
  return exit_no;
}

int print_status(const Database& database) {
  const Result<SchemaStatus> status = database.schema_status();
  if (!status) return fail(status.error());
  fmt::print("applied: {}\n", status->applied);
  for (const std::string& pending : status->pending) fmt::print("pending: {}\n", pending);
  return status->pending.empty() ? exit_ok : exit_no;
}

int bring_up(const Database& database) {
  const Result<std::int64_t> version = database.migrate();
  if (!version) return fail(version.error());
  fmt::print("the schema is at version {}\n", *version);
  return exit_ok;
}

}  // namespace

int migrate_command(const Settings& settings, MigrateAction action) {
  const auto database = find_database(settings);
  if (!database) {
    for (const std::string& fault : database.error()) fmt::print(stderr, "hotrow: {}\n", fault);
    return exit_usage;
  }
  return action == MigrateAction::up ? bring_up(**database) : print_status(**database);
}

int grants_command(const Settings& settings, const std::string& role) {
  for (const std::string& statement : postgres_grants(settings.schema, role)) fmt::print("{};\n", statement);
  return exit_ok;
}

}  // namespace hotrow
