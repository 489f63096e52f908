#pragma once

#include <vector>

#include "hotrow/store/memory_tables.hpp"

namespace hotrow {

/// All rows of type R for which `wanted` says yes, in key order.
template <class R, class F>
std::vector<R> collect(const MemoryTables& tables, F&& wanted) {
  std::vector<R> found;
  for (const auto& [key, row] : tables.rows()) {
    const auto* typed = std::get_if<R>(&row);
    if (typed != nullptr && wanted(*typed)) found.push_back(*typed);
  }
  return found;
}

/// All rows of type R, in key order.
template <class R>
std::vector<R> collect(const MemoryTables& tables) {
  return collect<R>(tables, [](const R&) { return true; });
}

/// The row, or nullptr when it is not there.
template <class R>
const R* find_row(const MemoryTables& tables, const Key& key) {
  const Row* row = tables.find(key);
  return row != nullptr ? &std::get<R>(*row) : nullptr;
}

template <class R>
void cut_to(std::vector<R>& rows, std::size_t limit) {
  if (rows.size() > limit) rows.resize(limit);
}

}  // namespace hotrow
