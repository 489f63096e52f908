#pragma once

#include <filesystem>
#include <string>

#include "hotrow/base/hash.hpp"

namespace hotrow {

/// A path for a database file in a folder of its own, which is removed with everything in it.
class TemporaryDatabase {
 public:
  TemporaryDatabase() : folder_(std::filesystem::temp_directory_path() / ("hotrow-" + random_hex(8))) {
    std::filesystem::create_directory(folder_);
  }
  TemporaryDatabase(const TemporaryDatabase&) = delete;
  TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;
  ~TemporaryDatabase() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path() const { return (folder_ / "hotrow.db").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace hotrow
