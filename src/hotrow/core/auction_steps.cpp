#include "hotrow/core/auction_steps.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/core/fees.hpp"

namespace hotrow {

namespace json = boost::json;

Rejection listing_not_found(const std::string& listing) {
  return {.code = RejectionCode::listing_not_found,
          .detail = "There is no listing with this id.",
          .figures = {{"listing_id", listing}}};
}

std::optional<Rejection> version_refusal(const Deal& deal, const ListingRow& listing,
                                         const VersionMatch& expected) {
  if (expected.admits(listing.version)) return std::nullopt;
  PresentState current{.state = ListingAnswer{.listing = listing,
                                              .pressure = deal.pressure(),
                                              .extension = deal.extension(),
                                              .server_time = deal.now()}};
  return Rejection{.code = RejectionCode::precondition_failed,
                   .detail = "The listing has changed since that version.",
                   .figures = {{"version", listing.version}},
                   .current = std::make_shared<const PresentState>(std::move(current))};
}

Rejection listing_closed(const ListingRow& listing, const Deal& deal) {
  Rejection rejection{.code = RejectionCode::listing_closed, .detail = "The listing is over."};
  rejection.figures.emplace_back("listing_status", std::string(to_string(listing.status)));
  rejection.figures.emplace_back("ends_at", shown_end(listing, deal.extension()));
  if (!listing.closing) return rejection;
  rejection.figures.emplace_back("closed_at", listing.closing->at);
  if (listing.closing->buyer.empty()) return rejection;
  rejection.figures.emplace_back("buyer_id", listing.closing->buyer);
  rejection.figures.emplace_back("price", listing.closing->price);
  return rejection;
}

Rejection insufficient_funds(std::int64_t available, std::int64_t needed) {
  return {.code = RejectionCode::insufficient_funds,
          .detail = "The wallet has less than this needs.",
          .figures = {{"available", available}, {"needed", needed}}};
}

Rejection listing_set_aside() {
  return {.code = RejectionCode::listing_set_aside,
          .detail = "An operator has to look at this listing first."};
}

std::optional<Rejection> location_refusal(const ItemRow& item) {
  if (item.location == ItemLocation::escrow) {
    return Rejection{.code = RejectionCode::item_in_escrow,
                     .detail = "The item is in a listing.",
                     .figures = {{"listing_id", item.listing}}};
  }
  if (item.location == ItemLocation::outside) {
    return Rejection{.code = RejectionCode::item_outside, .detail = "The item has left for the game."};
  }
  return std::nullopt;
}

Rejection market_paused() {
  return {.code = RejectionCode::market_paused, .detail = "An operator has paused the market."};
}

json::array refunded(const Lead& lead) {
  const Owner owner{.kind = OwnerKind::player, .id = lead.bidder};
  return {json::object{{"owner", to_string(owner)}, {"amount", lead.amount}}};
}

void sell(Deal& deal, const std::string& buyer, std::int64_t price, const char* via) {
  const ListingTerms& terms = deal.terms();
  const std::int64_t cut = sale_cut(terms.rates, price);
  HOTROW_ASSERT(cut >= 0 && cut <= price);
  deal.add_event("listing.sold", {{"listing_id", deal.listing().id},
                                  {"item_id", terms.item.id},
                                  {"seller_id", terms.seller},
                                  {"buyer_id", buyer},
                                  {"price", price},
                                  {"cut", cut},
                                  {"seller_part", price - cut},
                                  {"deposit_released", terms.deposit},
                                  {"via", via}});
  // Beside the buyer's line: the seller has none when nothing is left for him.
  const WalletId payer = player_wallet(buyer, terms.currency);
  deal.books().move_account(HouseAccount::house, payer, cut, LedgerReason::sale);
}

}  // namespace hotrow
