#include "hotrow/app/database.hpp"

#include <unistd.h>

#include <array>

#include "hotrow/postgres/pg_store.hpp"

namespace hotrow {
namespace {

template <class Status>
SchemaStatus to_schema_status(const Status& status) {
  SchemaStatus out;
  if (!status.applied.empty()) out.applied = status.applied.back().number;
  for (const Migration& migration : status.pending) {
    out.pending.push_back(std::to_string(migration.number) + " " + std::string(migration.name));
  }
  return out;
}

class PostgresDatabase final : public Database {
 public:
  explicit PostgresDatabase(PostgresOptions options) : options_(std::move(options)) {}

  std::string_view kind() const override { return "postgres"; }
  Result<std::unique_ptr<Store>> open() const override { return open_postgres_store(options_); }
  Result<std::unique_ptr<Store>> open_beside() const override { return open_postgres_store(options_); }
  Result<SchemaStatus> schema_status() const override {
    return postgres_schema_status(options_).map(to_schema_status<PostgresSchemaStatus>);
  }
  Result<std::int64_t> migrate() const override { return migrate_postgres(options_); }

 private:
  PostgresOptions options_;
};

PostgresOptions postgres_options(const Settings& settings, const std::string& url) {
  return {.url = url,
          .schema = settings.schema,
          .server = server_name(settings),
          .writers_max = static_cast<int>(settings.lanes),
          .prepared = settings.prepared,
          .answers_kept = std::chrono::hours(24 * settings.answer_retention_days)};
}

}  // namespace

tl::expected<std::unique_ptr<Database>, Faults> find_database(const Settings& settings) {
  const auto url = database_url(settings);
  if (!url) return tl::unexpected(url.error());
  if (url->starts_with("postgres://") || url->starts_with("postgresql://")) {
    return std::make_unique<PostgresDatabase>(postgres_options(settings, *url));
  }
  return tl::unexpected(Faults{"database: sqlite:PATH or postgresql://... is wanted"});
}

std::string server_name(const Settings& settings) {
  if (!settings.server_name.empty()) return settings.server_name;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "hotrow";
  return name.data();
}

}  // namespace hotrow
