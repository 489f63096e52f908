#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "hotrow/core/command.hpp"

namespace hotrow::test {

/// Commands of every kind on the given promotions: entries of a dozen people, batches, settings, pauses,
/// closes; one in three under one of a few idempotency keys, which `scope` keeps apart from other runs.
rc::Gen<std::vector<Command>> any_commands(std::vector<std::string> promotions, std::string scope);

}  // namespace hotrow::test

namespace hotrow {
/// RapidCheck prints a counterexample with this.
void showValue(const Command& command, std::ostream& out);
}  // namespace hotrow
