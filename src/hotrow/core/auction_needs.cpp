#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction.hpp"
#include "hotrow/core/listing.hpp"

namespace hotrow {
namespace {

void lead_needs(const ListingRow& listing, Keys& out) {
  if (!listing.lead) return;
  out.push_back(wallet_key(player_wallet(listing.lead->bidder, listing.terms->currency)));
}

/// The listing, and once it is there, what it names.
const ListingRow* listing_needs(const std::string& listing, const RowSet& rows, Keys& out) {
  out.push_back(market_key());
  const Key& key = out.emplace_back(listing_key(listing));
  if (!rows.fetched(key)) return nullptr;
  const auto* row = rows.find<ListingRow>(key);
  HOTROW_ASSERT(row == nullptr || row->terms != nullptr);
  return row;
}

}  // namespace

void listing_needs(const CreateListing& create, const RowSet&, Keys& out) {
  out.push_back(listing_key(create.listing));
  out.push_back(item_key(create.item));
  out.push_back(wallet_key(player_wallet(create.seller, create.currency)));
  out.push_back(player_key(create.seller));
  out.push_back(market_key());
}

void listing_needs(const PlaceBid& bid, const RowSet& rows, Keys& out) {
  out.push_back(player_key(bid.bidder));
  const ListingRow* listing = listing_needs(bid.listing, rows, out);
  if (listing == nullptr) return;
  out.push_back(wallet_key(player_wallet(bid.bidder, listing->terms->currency)));
  lead_needs(*listing, out);
}

void listing_needs(const BuyOut& buyout, const RowSet& rows, Keys& out) {
  out.push_back(player_key(buyout.buyer));
  const ListingRow* listing = listing_needs(buyout.listing, rows, out);
  if (listing == nullptr) return;
  out.push_back(item_key(listing->terms->item.id));
  out.push_back(wallet_key(seller_wallet(*listing->terms)));
  out.push_back(wallet_key(player_wallet(buyout.buyer, listing->terms->currency)));
  lead_needs(*listing, out);
}

void listing_needs(const ChangeListing& change, const RowSet& rows, Keys& out) {
  const ListingRow* listing = listing_needs(change.listing, rows, out);
  if (listing == nullptr) return;
  out.push_back(item_key(listing->terms->item.id));
  out.push_back(wallet_key(seller_wallet(*listing->terms)));
  lead_needs(*listing, out);
}

}  // namespace hotrow
