#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "hotrow/app/config.hpp"
#include "hotrow/base/result.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

struct SchemaStatus {
  std::int64_t applied = 0;          ///< Number of the latest migration in the database; 0: none.
  std::vector<std::string> pending;  ///< "2 name", in order.
};

/// The database that the settings name, of either kind.
class Database {
 public:
  virtual ~Database() = default;

  /// Whether open() brings the schema up to date, because nobody else could be in its way.
  virtual bool migrates_itself() const = 0;

  /// For a server: to read and write.
  virtual Result<std::unique_ptr<Store>> open() const = 0;
  /// To read, beside a server that may be running.
  virtual Result<std::unique_ptr<Store>> open_beside() const = 0;

  virtual Result<SchemaStatus> schema_status() const = 0;
  /// Runs what is pending. Returns the schema's version.
  virtual Result<std::int64_t> migrate() const = 0;
};

/// Faults when the URL is missing or of no known kind.
tl::expected<std::unique_ptr<Database>, Faults> find_database(const Settings& settings);

/// `answer-retention-days` as the stores take it.
std::chrono::hours answers_kept(const Settings& settings);

/// `server-name`, or the host's name.
std::string server_name(const Settings& settings);

}  // namespace hotrow
