#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow {

/// One row's new content. `insert` promises that the row was absent, `update` that it was there: a store that
/// finds otherwise rolls the transaction back.
struct RowWrite {
  enum class How : std::uint8_t { insert, update };
  Key key;
  Row row;
  How how = How::insert;
};

/// What one command changes, in the order in which its rule says so.
using Changes = std::vector<RowWrite>;

/// What a whole batch changes: each row once, in its last state.
class WriteSet {
 public:
  void add(RowWrite write);

  bool empty() const { return writes_.empty(); }

  /// The writes in lock order. Invalidates nothing; call it once, when the batch is decided.
  std::span<const RowWrite> sorted();

 private:
  std::vector<RowWrite> writes_;
  std::unordered_map<Key, std::size_t, KeyHash> index_;  ///< Of rows that may change again.
};

}  // namespace hotrow
