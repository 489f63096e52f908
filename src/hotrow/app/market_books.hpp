#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/app/market_answer.hpp"
#include "hotrow/core/listing_row.hpp"

namespace hotrow {

struct MarketPlayer {
  std::string id;
  std::int64_t deposited = 0;  ///< Told to be in.
};

struct MarketItem {
  std::string id;
  std::string family;
  std::uint32_t maker = 0;  ///< The player that it is made for.
  bool made = false;        ///< Told to be there.
};

struct MarketBid {
  std::int64_t n = 0;
  std::uint32_t player = 0;
  std::int64_t amount = 0;
  Timestamp placed_at;
};

/// A listing as its seller asks for it, and all that was told of it.
struct MarketListing {
  std::string id;
  std::uint32_t item = 0;
  std::uint32_t seller = 0;
  bool makes_item = false;  ///< The item comes to be with the listing.
  std::int64_t start_price = 0;
  std::int64_t min_increment = 1;
  std::optional<std::int64_t> buyout_price;
  std::optional<AntiSnipe> anti_snipe;
  std::chrono::seconds duration{0};
  OnClose on_close = OnClose::inventory;

  bool made = false;
  std::int64_t deposit = 0;
  std::vector<MarketBid> bids;        ///< Told to be accepted.
  std::vector<std::uint32_t> buyers;  ///< Told to have bought it.
  bool cancelled = false;             ///< Told to be.
  std::int64_t version = 0;           ///< The latest that was seen.
};

/// What a run may believe after all that it was told: the answers alone, never the server's own books. A
/// value. Players, items and listings are named by their index.
struct MarketBooks {
  std::vector<MarketPlayer> players;
  std::vector<MarketItem> items;
  std::vector<MarketListing> listings;
  std::vector<std::string> contradictions;  ///< Answers that contradict their call, or each other.
};

/// One thing that somebody wants of the server.
struct MarketCall {
  enum class Act : std::uint8_t { deposit, create_item, list, bid, buy_out, cancel, look };
  Act act = Act::look;
  std::uint32_t player = 0;
  std::uint32_t subject = 0;  ///< The item of create_item; else the listing.
  std::int64_t amount = 0;    ///< Of a deposit or a bid; of a buyout, the price expected.
};

std::string_view to_string(MarketCall::Act act);

/// "ann's bid of 120 on listing x": for people.
std::string describe(const MarketCall& call, const MarketBooks& books);

/// A call on its way.
struct MarketRequest {
  std::string method;
  std::string target;
  std::string body;
  bool keyed = true;  ///< Takes an Idempotency-Key.
};
MarketRequest request_of(const MarketCall& call, const MarketBooks& books);

/// Whether a player may be told this: the refusals that trading like a player brings.
bool is_expected_refusal(MarketCall::Act act, std::string_view code);

/// Books what a call was finally told, and what in that contradicts the call.
void note(MarketBooks& books, const MarketCall& call, const TradeAnswer& answer);

}  // namespace hotrow
