#pragma once

#include "hotrow/core/decide.hpp"

namespace hotrow {

/// The rules of the auction house: nothing is sold twice, no bid is lost, nothing is minted.
///
/// The listing's row is locked first, then the item, then the wallets, and only then anything is judged: the
/// status, the price and the balances are those of the locked rows. Money, item, listing and the event that
/// tells of it change in one transaction. A bid's whole amount is held at once, and who was outbid has his
/// money back in the same transaction.
///
/// A listing whose item or holds are not what they must be (somebody's hand was in the tables) is set aside:
/// nothing moves, and nobody goes on with it until an operator has voided it.
///
/// Pure functions, safe from all threads. The order of the refusals in the text is their precedence.

Ruling decide_create_listing(const CreateListing& create, const Envelope& envelope, const RowSet& rows,
                             Timestamp now);
Ruling decide_bid(const PlaceBid& bid, const Envelope& envelope, const RowSet& rows, Timestamp now);
Ruling decide_buyout(const BuyOut& buyout, const Envelope& envelope, const RowSet& rows, Timestamp now);
Ruling decide_change_listing(const ChangeListing& change, const Envelope& envelope, const RowSet& rows,
                             Timestamp now);

/// The rows that each of them needs beyond those in `rows`.
void listing_needs(const CreateListing& create, const RowSet& rows, Keys& out);
void listing_needs(const PlaceBid& bid, const RowSet& rows, Keys& out);
void listing_needs(const BuyOut& buyout, const RowSet& rows, Keys& out);
void listing_needs(const ChangeListing& change, const RowSet& rows, Keys& out);

}  // namespace hotrow
