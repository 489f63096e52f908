#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "hotrow/core/key.hpp"
#include "hotrow/core/listing_row.hpp"
#include "hotrow/core/policy_row.hpp"
#include "hotrow/core/wallet_row.hpp"

namespace hotrow::conformance {

/// The auction's rows in the samples. What is not named is as plain as it can be.

Owner player(std::string id);
Owner guild(std::string id);
WalletId purse(std::string player, std::string currency = "gold");

WalletRow wallet_row(const WalletId& id, std::int64_t available);
/// The wallet's `n`-th line: one came in.
LedgerLineRow ledger_line_row(const WalletId& id, std::int64_t n);
/// The house's cut of one, beside the wallet's line with the same n.
HouseLineRow house_line_row(const WalletId& id, std::int64_t n);
/// A deposit of one.
ExternalIdRow external_id_row(const Owner& owner, std::string external_id);

/// A sword in its owner's inventory.
ItemRow item_row(std::string id, const Owner& owner);
/// The same in a listing's escrow.
ItemRow escrow_row(std::string id, const Owner& owner, std::string listing);

/// Of player "anna": the item "item-<id>" of family "swords" from 100 gold on, until an hour after
/// start_time().
ListingTerms sample_terms(const std::string& id);
/// Active, without a bid.
ListingRow listing_row(std::string id);
ListingRow listing_row(std::string id, ListingTerms terms);
/// The same with a lead.
ListingRow led_listing_row(std::string id, Lead lead);
/// The same, over.
ListingRow closed_listing_row(std::string id, ListingStatus status, ListingClosing closing);

/// Placed `n` seconds after start_time().
BidRow bid_row(std::string listing, std::int64_t n, std::string bidder, std::int64_t amount);

PlayerRow player_row(std::string id);
MarketRow market_row();
PolicyRow policy_row(PolicyId id);

Key key_of_row(const WalletRow& row);
Key key_of_row(const LedgerLineRow& row);
Key key_of_row(const HouseLineRow& row);
Key key_of_row(const ExternalIdRow& row);
Key key_of_row(const ItemRow& row);
Key key_of_row(const ListingRow& row);
Key key_of_row(const BidRow& row);
Key key_of_row(const PlayerRow& row);
Key key_of_row(const MarketRow& row);
Key key_of_row(const PolicyRow& row);

void print(std::ostream& out, const WalletRow& row);
void print(std::ostream& out, const LedgerLineRow& row);
void print(std::ostream& out, const HouseLineRow& row);
void print(std::ostream& out, const ExternalIdRow& row);
void print(std::ostream& out, const ItemRow& row);
void print(std::ostream& out, const ListingRow& row);
void print(std::ostream& out, const BidRow& row);
void print(std::ostream& out, const PlayerRow& row);
void print(std::ostream& out, const MarketRow& row);
void print(std::ostream& out, const PolicyRow& row);

}  // namespace hotrow::conformance
