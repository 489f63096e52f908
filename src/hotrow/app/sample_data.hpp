#pragma once

#include <string>

#include "hotrow/core/listing_row.hpp"
#include "hotrow/engine/engine.hpp"

namespace hotrow {

struct SampleDataOptions {
  std::string server;  ///< This process's name, for the commands' envelopes.
  Rates rates;         ///< Of the listings.
};

/// Creates what is not there of:
/// - the promotion `launch`, whose 1000th entrant wins 100,000 won;
/// - the players anna, ben and cleo with 1,000, 2,000 and 3,000 gold; anna's item old-shield in her
/// inventory,
///   her listing silver-sword from 100, at once for 500, and ben's listing war-horse from 200, for 30 days.
Result<void> create_sample_data(Engine& engine, Queries& queries, const SampleDataOptions& options);

}  // namespace hotrow
