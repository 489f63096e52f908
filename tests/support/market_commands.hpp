#pragma once

#include <string>

#include "tests/support/commands.hpp"

namespace hotrow::test {

Owner player(std::string id);

Command deposit(std::string player, std::int64_t amount);

/// `seller` lists a new item of the same id for an hour, without fees.
Command create_listing(std::string listing, std::string seller, std::int64_t start_price,
                       std::optional<std::int64_t> buyout_price = std::nullopt);
Command bid(std::string listing, std::string bidder, std::int64_t amount);
Command buy_out(std::string listing, std::string buyer);
Command change_listing(std::string listing, ListingAction action);

const BidAnswer& bid_of(const Answer& answer);

}  // namespace hotrow::test
