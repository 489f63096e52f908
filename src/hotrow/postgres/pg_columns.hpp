#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/postgres/pg_wire.hpp"

/// Rows as columns: the arrays that a bulk statement takes.
namespace hotrow {

template <class R>
using Rows = std::vector<const R*>;

/// The rows of one kind in a span that is sorted by kind.
template <class R, class Wanted>
Rows<R> select(std::span<const RowWrite> writes, Wanted wanted) {
  Rows<R> rows;
  for (const RowWrite& write : writes) {
    const auto* row = std::get_if<R>(&write.row);
    if (row != nullptr && wanted(write, *row)) rows.push_back(row);
  }
  return rows;
}

template <class R>
Rows<R> select(std::span<const RowWrite> writes, RowWrite::How how) {
  return select<R>(writes, [how](const RowWrite& write, const R&) { return write.how == how; });
}

/// Of a kind whose rows never change.
template <class R>
Rows<R> select(std::span<const RowWrite> writes) {
  return select<R>(writes, [](const RowWrite& write, const R&) {
    HOTROW_ASSERT(write.how == RowWrite::How::insert);
    return true;
  });
}

template <class R, class Member>
PgParameters& add_bigints(PgParameters& to, const Rows<R>& rows, Member member) {
  return to.bigint_array(rows, [member](const R* row) -> std::int64_t { return row->*member; });
}

template <class R>
PgParameters& add_times(PgParameters& to, const Rows<R>& rows, Timestamp R::* member) {
  return to.bigint_array(rows, [member](const R* row) -> std::int64_t { return (row->*member).micros; });
}

template <class R>
PgParameters& add_texts(PgParameters& to, const Rows<R>& rows, std::string R::* member) {
  return to.text_array(rows, [member](const R* row) -> std::string_view { return row->*member; });
}

}  // namespace hotrow
