#include "hotrow/core/write_set.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"

namespace hotrow {

void WriteSet::add(RowWrite write) {
  const auto [known, is_new] = index_.try_emplace(write.key, writes_.size());
  if (is_new) {
    writes_.push_back(std::move(write));
    return;
  }
  // A row inserted by this batch and changed again is still an insert, with the later content.
  HOTROW_ASSERT(write.how == RowWrite::How::update);
  writes_[known->second].row = std::move(write.row);
}

std::span<const RowWrite> WriteSet::sorted() {
  std::sort(writes_.begin(), writes_.end(),
            [](const RowWrite& a, const RowWrite& b) { return a.key < b.key; });
  index_.clear();
  return writes_;
}

}  // namespace hotrow
