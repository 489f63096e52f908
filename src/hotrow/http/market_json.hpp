#pragma once

#include <chrono>
#include <cstdint>

#include "hotrow/core/outcome.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/store/market_queries.hpp"

// The one JSON form of the auction's things in bodies and streams. Pure: the same value gives the same bytes.
namespace hotrow::http {

/// A listing as seen at one time.
struct ListingView {
  const ListingRow& row;
  std::chrono::microseconds extension;  ///< Of the market, see MarketRow.
  Timestamp server_time;
  Pressure pressure;  ///< In force. Left out of the body when nothing is.
};

/// Of any answer about a listing.
template <class A>
ListingView listing_view(const A& answer) {
  return {.row = answer.listing,
          .extension = answer.extension,
          .server_time = answer.server_time,
          .pressure = answer.pressure};
}

void write_listing(JsonWriter& json, const ListingView& view);

void write_bid(JsonWriter& json, const BidRow& bid);

void write_wallet(JsonWriter& json, const WalletRow& wallet);

void write_ledger_line(JsonWriter& json, const LedgerLineRow& line);

void write_item(JsonWriter& json, const ItemRow& item);

void write_restrictions(JsonWriter& json, const PlayerAnswer& answer);

void write_market(JsonWriter& json, const MarketAnswer& answer);

/// With every limit that its scope has; null where it says nothing.
void write_policy(JsonWriter& json, const PolicyAnswer& answer);

}  // namespace hotrow::http
