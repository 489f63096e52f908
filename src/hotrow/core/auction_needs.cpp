#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction.hpp"
#include "hotrow/core/listing.hpp"
#include "hotrow/core/policy.hpp"

namespace hotrow {
namespace {

/// A player's money in this currency, and his counters.
void player_needs(const std::string& player, const std::string& currency, Keys& out) {
  out.push_back(wallet_key(player_wallet(player, currency)));
  if (currency != default_currency) out.push_back(wallet_key(player_account(player)));
}

void lead_needs(const ListingRow& listing, Keys& out) {
  if (listing.lead) player_needs(listing.lead->bidder, listing.terms->currency, out);
}

/// The listing, and once it is there, what it names.
const ListingRow* listing_needs(const std::string& listing, const RowSet& rows, Keys& out) {
  out.push_back(market_key());
  const Key key = out.emplace_back(listing_key(listing));
  if (!rows.fetched(key)) return nullptr;
  const auto* row = rows.find<ListingRow>(key);
  if (row == nullptr) return nullptr;
  HOTROW_ASSERT(row->terms != nullptr);
  pressure_needs(row->id, row->terms->item.family, out);
  return row;
}

}  // namespace

void listing_needs(const CreateListing& create, const RowSet&, Keys& out) {
  out.push_back(listing_key(create.listing));
  out.push_back(item_key(create.item));
  player_needs(create.seller, create.currency, out);
  out.push_back(player_key(create.seller));
  out.push_back(market_key());
  limit_needs(create.seller, out);
  if (create.facts) pressure_needs(create.listing, create.facts->family, out);
}

void listing_needs(const PlaceBid& bid, const RowSet& rows, Keys& out) {
  out.push_back(player_key(bid.bidder));
  const ListingRow* listing = listing_needs(bid.listing, rows, out);
  if (listing == nullptr) return;
  player_needs(bid.bidder, listing->terms->currency, out);
  lead_needs(*listing, out);
  limit_needs(bid.bidder, out);
}

void listing_needs(const BuyOut& buyout, const RowSet& rows, Keys& out) {
  out.push_back(player_key(buyout.buyer));
  const ListingRow* listing = listing_needs(buyout.listing, rows, out);
  if (listing == nullptr) return;
  out.push_back(item_key(listing->terms->item.id));
  player_needs(listing->terms->seller, listing->terms->currency, out);
  player_needs(buyout.buyer, listing->terms->currency, out);
  lead_needs(*listing, out);
}

void listing_needs(const ChangeListing& change, const RowSet& rows, Keys& out) {
  const ListingRow* listing = listing_needs(change.listing, rows, out);
  if (listing == nullptr) return;
  out.push_back(item_key(listing->terms->item.id));
  player_needs(listing->terms->seller, listing->terms->currency, out);
  lead_needs(*listing, out);
}

}  // namespace hotrow
