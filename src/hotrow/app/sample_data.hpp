#pragma once

#include <string>

#include "hotrow/engine/engine.hpp"

namespace hotrow {

/// Creates the promotion `launch`, whose 1000th entrant wins 100,000 won, unless it is there.
Result<void> create_sample_data(Engine& engine, Queries& queries, const std::string& server);

}  // namespace hotrow
