#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "hotrow/base/guarded.hpp"
#include "hotrow/base/result.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/core/write_set.hpp"

namespace hotrow {

/// All rows of a memory store with the indexes that a database would keep. A plain value.
class MemoryTables {
 public:
  /// All of the writes or none. Errors as of Transaction::commit().
  Result<void> write(std::span<const RowWrite> writes);

  /// Puts or removes one row without any check: how a stranger's hand would.
  void set(const Key& key, std::optional<Row> row);

  const std::map<Key, Row>& rows() const { return rows_; }
  const Row* find(const Key& key) const;

  /// (promotion, ordinal) -> entry.
  const std::map<std::pair<std::string, std::int64_t>, Key>& ordinals() const { return ordinals_; }
  /// Position -> event. Positions are dense in commit order.
  const std::map<std::int64_t, Key>& feed() const { return feed_; }

  std::string instance_id;
  std::map<std::string, bool> commit_marks;  ///< true: committed; false: fenced before it could.

 private:
  Result<void> check(const RowWrite& write) const;
  void drop_from_indexes(const Row& row);
  void add_to_indexes(const Key& key, Row& row);

  std::map<Key, Row> rows_;
  std::map<std::pair<std::string, std::int64_t>, Key> ordinals_;
  std::map<std::string, Key> event_ids_;
  std::map<std::string, Key> escrows_;  ///< Listing -> the item in its escrow.
  std::map<std::int64_t, Key> feed_;
};

}  // namespace hotrow
