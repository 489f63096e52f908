#pragma once

#include <rapidcheck.h>

#include <chrono>
#include <ostream>
#include <vector>

#include "hotrow/core/command.hpp"

namespace hotrow::test {

/// A command and how far the store's clock moves before it, forward or back; mostly not at all.
struct TimedCommand {
  std::chrono::microseconds step{0};
  Command command;
};

/// The names that any_trades() uses.
struct MarketNames {
  std::vector<Owner> owners;
  std::vector<std::string> currencies;
  std::vector<std::string> items;
  std::vector<std::string> listings;
};
const MarketNames& market_names();

/// Commands of every kind of the auction among few owners, items and listings, so that they meet: money with
/// and without external ids, listings that end within seconds, bids, buyouts, ends of every kind, operators.
/// One in five stands under one of a few idempotency keys. It begins with money for everybody and three
/// listings.
rc::Gen<std::vector<TimedCommand>> any_trades();

/// RapidCheck prints a counterexample with this.
void showValue(const TimedCommand& timed, std::ostream& out);
}  // namespace hotrow::test
