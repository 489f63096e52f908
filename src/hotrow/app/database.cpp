#include "hotrow/app/database.hpp"

#include <unistd.h>

#include <array>

#include "hotrow/engine/engine.hpp"
#include "hotrow/postgres/pg_store.hpp"
#include "hotrow/sqlite/sqlite_store.hpp"

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

  bool migrates_itself() const override { return false; }
  Result<std::unique_ptr<Store>> open() const override { return open_postgres_store(options_); }
  Result<std::unique_ptr<Store>> open_beside() const override { return open_postgres_store(options_); }
  Result<SchemaStatus> schema_status() const override {
    return postgres_schema_status(options_).map(to_schema_status<PostgresSchemaStatus>);
  }
  Result<std::int64_t> migrate() const override { return migrate_postgres(options_); }

 private:
  PostgresOptions options_;
};

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(SqliteOptions options) : options_(std::move(options)) {}

  bool migrates_itself() const override { return true; }
  Result<std::unique_ptr<Store>> open() const override { return open_sqlite_store(options_); }
  Result<std::unique_ptr<Store>> open_beside() const override { return open_sqlite_store_beside(options_); }
  Result<SchemaStatus> schema_status() const override {
    return sqlite_schema_status(options_).map(to_schema_status<SqliteSchemaStatus>);
  }
  Result<std::int64_t> migrate() const override { return migrate_sqlite(options_); }

 private:
  SqliteOptions options_;
};

PostgresOptions postgres_options(const Settings& settings, const std::string& url) {
  return {.url = url,
          .schema = settings.schema,
          .server = server_name(settings),
          .writers_max = static_cast<int>(settings.lanes),
          .prepared = settings.prepared,
          .lock_timeout = EngineOptions{}.lock_wait,  // The session's own time-out: nothing to state a batch.
          .answers_kept = answers_kept(settings)};
}

}  // namespace

tl::expected<std::unique_ptr<Database>, Faults> find_database(const Settings& settings) {
  const auto url = database_url(settings);
  if (!url) return tl::unexpected(url.error());
  if (url->starts_with("postgres://") || url->starts_with("postgresql://")) {
    return std::make_unique<PostgresDatabase>(postgres_options(settings, *url));
  }
  constexpr std::string_view sqlite = "sqlite:";
  if (url->starts_with(sqlite) && url->size() > sqlite.size()) {
    return std::make_unique<SqliteDatabase>(
        SqliteOptions{.path = url->substr(sqlite.size()), .answers_kept = answers_kept(settings)});
  }
  return tl::unexpected(Faults{std::string("database: ") + database_url_wanted});
}

std::chrono::hours answers_kept(const Settings& settings) {
  return std::chrono::hours(24 * settings.answer_retention_days);
}

std::string server_name(const Settings& settings) {
  if (!settings.server_name.empty()) return settings.server_name;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "hotrow";
  return name.data();
}

}  // namespace hotrow
