#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotrow/app/market_books.hpp"

namespace hotrow {

struct FoundListing {
  SeenListing listing;
  std::vector<SeenBid> bids;  ///< Ascending by n.
};

/// What the server says of a run's players, items and listings when everything is over; by the same indexes
/// as the books.
struct MarketState {
  std::vector<SeenWallet> wallets;
  std::vector<std::optional<SeenItem>> items;
  std::vector<std::optional<FoundListing>> listings;
};

/// Everything in which the server's state contradicts what was told: every accepted bid, buyout and cancel is
/// in its listing's course and nothing else is; bids rise, in time; every item is where its listings brought
/// it; every wallet has what its deposits and the courses of all listings come to. Pure.
std::vector<std::string> differences(const MarketBooks& books, const MarketState& state);

}  // namespace hotrow
