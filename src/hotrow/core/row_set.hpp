#pragma once

#include <optional>
#include <unordered_map>
#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow {

/// The rows that one attempt has locked or read, as its transaction sees them, with the batch's own changes
/// applied. *Absent* (looked up, not there) and *never fetched* are different things: asking for a row that
/// was never fetched is a bug in keys_needed(). Used by one thread.
class RowSet {
 public:
  bool fetched(const Key& key) const { return rows_.contains(key); }

  /// The row, or nullptr when it is absent. The pointer holds until the next put().
  template <class R>
  const R* find(const Key& key) const {
    const auto found = rows_.find(key);
    HOTROW_ASSERT(found != rows_.end());
    return found->second ? &std::get<R>(*found->second) : nullptr;
  }

  /// The row whatever its type; nullptr when it is absent or was never fetched.
  const Row* peek(const Key& key) const {
    const auto found = rows_.find(key);
    return found != rows_.end() && found->second ? &*found->second : nullptr;
  }

  void put(Key key, std::optional<Row> row) { rows_.insert_or_assign(std::move(key), std::move(row)); }

  /// Overwrites a row that was fetched; a row that only gets written (a winner, an event) is not kept.
  void update_if_fetched(const Key& key, const Row& row) {
    if (const auto found = rows_.find(key); found != rows_.end()) found->second = row;
  }

  void reserve(std::size_t count) { rows_.reserve(count); }

 private:
  std::unordered_map<Key, std::optional<Row>, KeyHash> rows_;
};

}  // namespace hotrow
