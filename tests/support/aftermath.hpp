#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "hotrow/core/command.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow::test {

/// What a run of commands leaves behind, as text: every answer in order and every row.
struct Aftermath {
  std::vector<std::string> answers;
  std::vector<std::string> rows;
  friend bool operator==(const Aftermath&, const Aftermath&) = default;
};

std::ostream& operator<<(std::ostream& out, const Aftermath& aftermath);

/// Runs the commands in order on the store, one transaction for each piece: a piece ends after each index in
/// `cuts`. Fails the test when an attempt fails or an audit of `promotions` finds anything.
Aftermath run_in_pieces(Store& store, const std::vector<Command>& commands,
                        const std::vector<std::size_t>& cuts, const std::vector<std::string>& promotions);

/// Cuts after every command.
std::vector<std::size_t> every_cut(const std::vector<Command>& commands);

}  // namespace hotrow::test
