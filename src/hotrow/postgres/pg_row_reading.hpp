#pragma once

#include "hotrow/base/result.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/postgres/pg_rows.hpp"

namespace hotrow {

/// How rows of one kind are read by their keys: an array for each part of the key that the kind uses.
struct RowReading {
  const PgStatement* rows;                      ///< Locks them where the kind is locked; answers (n, row).
  int parts = 1;                                ///< 0 where there is one row.
  const PgStatement* held_by_others = nullptr;  ///< Of a locked kind; answers (n).
};

/// Not of answers, which are in a ring of tables, and not of kinds that are only written.
RowReading reading_of(KeyKind kind);

/// What decoding remembers. Used by one thread.
struct RowCaches {
  SettingsCache settings;
  TermsCache terms;
};

/// The row of `key`, whose content begins in column 1. Fatal ("unreadable") when it is not ours.
Result<Row> decode_row(const Key& key, const PgResult& rows, int row, RowCaches& caches);

}  // namespace hotrow
