#include "tests/support/market_commands.hpp"

namespace hotrow::test {

Owner player(std::string id) { return {.kind = OwnerKind::player, .id = std::move(id)}; }

Command deposit(std::string owner, std::int64_t amount) {
  return command_of(
      MoveMoney{.kind = LedgerReason::deposit, .owner = player(std::move(owner)), .amount = amount});
}

Command create_listing(std::string listing, std::string seller, std::int64_t start_price,
                       std::optional<std::int64_t> buyout_price) {
  ItemFacts item{.id = listing, .family = "swords"};
  return command_of(CreateListing{.listing = std::move(listing),
                                  .seller = std::move(seller),
                                  .item = item.id,
                                  .facts = item,
                                  .start_price = start_price,
                                  .buyout_price = buyout_price,
                                  .duration = std::chrono::hours(1),
                                  .rates = {.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 0}});
}

Command bid(std::string listing, std::string bidder, std::int64_t amount) {
  return command_of(PlaceBid{.listing = std::move(listing), .bidder = std::move(bidder), .amount = amount});
}

Command buy_out(std::string listing, std::string buyer) {
  return command_of(BuyOut{.listing = std::move(listing), .buyer = std::move(buyer)});
}

Command change_listing(std::string listing, ListingAction action) {
  return command_of(ChangeListing{.listing = std::move(listing), .action = action, .reason = "a test"});
}

const BidAnswer& bid_of(const Answer& answer) { return std::get<BidAnswer>(std::get<Outcome>(answer)); }

}  // namespace hotrow::test
