#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "hotrow/app/http_client.hpp"
#include "hotrow/core/listing_row.hpp"

namespace hotrow {

/// The server's words, read. Whatever is not as docs/openapi.json says reads as nullopt.

struct SeenListing {
  std::string id;
  std::string seller;
  std::string item;
  ListingStatus status = ListingStatus::active;
  std::int64_t start_price = 0;
  std::int64_t deposit = 0;
  std::int64_t cut_bps = 0;
  std::int64_t cut_min = 0;
  std::int64_t bid_count = 0;
  std::optional<std::int64_t> buyout_price;
  std::optional<std::int64_t> current_bid;
  std::optional<std::int64_t> min_next_bid;
  std::optional<std::int64_t> price;
  std::string bidder;  ///< Empty: nobody leads.
  std::string buyer;   ///< Empty: not sold.
  std::string closed_by;
  std::string set_aside;
  Timestamp created_at;
  Timestamp ends_at;
  std::optional<Timestamp> closed_at;
  Timestamp server_time;
  std::int64_t version = 0;
};
std::optional<SeenListing> read_seen_listing(const boost::json::value& value);

struct SeenBid {
  std::int64_t n = 0;  ///< From the bid's id.
  std::string bidder;  ///< Empty in the answer to a bid.
  std::int64_t amount = 0;
  Timestamp placed_at;
};
std::optional<SeenBid> read_seen_bid(const boost::json::value& value);

struct SeenWallet {
  std::int64_t available = 0;
  std::int64_t held = 0;
  std::int64_t version = 0;
};
std::optional<SeenWallet> read_seen_wallet(const boost::json::value& value);

struct SeenItem {
  std::string owner;     ///< "player:anna"
  std::string location;  ///< "inventory", "escrow" or "outside".
};
std::optional<SeenItem> read_seen_item(const boost::json::value& value);

/// What one answer comes to.
struct TradeAnswer {
  enum class What : std::uint8_t {
    accepted,
    refused,   ///< A business no, once and for all.
    again,     ///< Nothing was done, or nobody knows: the same call again under the same key.
    hopeless,  ///< No call of this kind will ever be answered: a wrong key, another server.
  };
  What what = What::again;
  int status = 0;
  std::string code;     ///< Of a refusal.
  bool stored = false;  ///< Every repeat under the same key must be told the very same.
  std::optional<SeenListing> listing;
  std::optional<SeenBid> bid;
  std::optional<SeenWallet> wallet;
  std::int64_t min_next_bid = 0;  ///< Of bid_too_low.
};
TradeAnswer read_trade_answer(const HttpAnswer& answer);

}  // namespace hotrow
