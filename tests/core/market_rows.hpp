#pragma once

#include <map>
#include <string>
#include <vector>

#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow::test {

using RowMap = std::map<Key, Row>;

/// The key under which a row of the auction stands.
Key key_of(const Row& row);

/// A row of the auction whole, as one line: equal lines are equal rows.
std::string row_text(const Row& row);

/// All rows, one a line.
std::vector<std::string> row_texts(const RowMap& rows);

}  // namespace hotrow::test
