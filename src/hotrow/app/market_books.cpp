#include "hotrow/app/market_books.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/app/http_url.hpp"
#include "hotrow/base/names.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;
using Act = MarketCall::Act;

constexpr Names<Act, 7> act_names({"deposit", "create_item", "list", "bid", "buy_out", "cancel", "look"});

std::string player_owner(const std::string& player) {
  return to_string(Owner{.kind = OwnerKind::player, .id = player});
}

std::string listing_target(const MarketListing& listing, std::string_view action) {
  return "/v1/listings/" + percent_encoded(listing.id) + std::string(action);
}

json::object listing_body(const MarketListing& listing, const MarketBooks& books) {
  const MarketItem& item = books.items[listing.item];
  json::object body{{"id", listing.id},
                    {"seller_id", books.players[listing.seller].id},
                    {"start_price", listing.start_price},
                    {"min_increment", listing.min_increment},
                    {"duration_seconds", listing.duration.count()},
                    {"on_close", std::string(to_string(listing.on_close))}};
  if (listing.makes_item) {
    body["item"] = {{"id", item.id}, {"family", item.family}};
  } else {
    body["item_id"] = item.id;
  }
  if (listing.buyout_price) body["buyout_price"] = *listing.buyout_price;
  if (listing.anti_snipe) {
    body["anti_snipe"] = {{"window_seconds", listing.anti_snipe->window_seconds},
                          {"extend_seconds", listing.anti_snipe->extend_seconds},
                          {"max_extensions", listing.anti_snipe->max_extensions}};
  }
  return body;
}

MarketRequest post(std::string target, const json::object& body) {
  return {.method = "POST", .target = std::move(target), .body = json::serialize(body)};
}

void contradict(MarketBooks& books, const MarketCall& call, const std::string& what) {
  books.contradictions.push_back(describe(call, books) + " " + what);
}

void note_listing(MarketBooks& books, const MarketCall& call, const SeenListing& seen) {
  MarketListing& listing = books.listings[call.subject];
  listing.version = std::max(listing.version, seen.version);
  if (seen.id != listing.id) contradict(books, call, "was answered with listing " + seen.id);
  if (!seen.set_aside.empty()) contradict(books, call, "shows that it is set aside: " + seen.set_aside);
}

void note_made(MarketBooks& books, const MarketCall& call, const SeenListing& seen) {
  MarketListing& listing = books.listings[call.subject];
  listing.made = true;
  listing.deposit = seen.deposit;
  books.items[listing.item].made = true;
  const bool as_asked = seen.seller == books.players[call.player].id &&
                        seen.item == books.items[listing.item].id &&
                        seen.start_price == listing.start_price && seen.buyout_price == listing.buyout_price;
  if (!as_asked) contradict(books, call, "was told another listing than it asked for");
}

void note_bid(MarketBooks& books, const MarketCall& call, const TradeAnswer& answer) {
  if (!answer.bid) return contradict(books, call, "was told no bid");
  MarketListing& listing = books.listings[call.subject];
  listing.bids.push_back({.n = answer.bid->n,
                          .player = call.player,
                          .amount = answer.bid->amount,
                          .placed_at = answer.bid->placed_at});
  if (answer.bid->amount != call.amount) {
    contradict(books, call, "was told a bid of " + std::to_string(answer.bid->amount));
  }
  const bool leads = answer.listing->bidder == books.players[call.player].id &&
                     answer.listing->current_bid == call.amount && answer.listing->bid_count == answer.bid->n;
  if (!leads) contradict(books, call, "was accepted and does not lead");
  if (answer.bid->placed_at >= answer.listing->ends_at) contradict(books, call, "was accepted after the end");
  if (answer.wallet && answer.wallet->held < call.amount) {
    contradict(books, call, "was accepted and the wallet holds " + std::to_string(answer.wallet->held));
  }
}

void note_bought(MarketBooks& books, const MarketCall& call, const SeenListing& seen) {
  MarketListing& listing = books.listings[call.subject];
  listing.buyers.push_back(call.player);
  const bool sold = seen.status == ListingStatus::sold && seen.buyer == books.players[call.player].id &&
                    seen.price == listing.buyout_price;
  if (!sold) contradict(books, call, "was accepted and did not buy it at the buyout price");
  if (call.amount != seen.price) {
    contradict(books, call, "paid another price than expected: " + std::to_string(seen.price.value_or(0)));
  }
}

void note_refused(MarketBooks& books, const MarketCall& call, const TradeAnswer& answer) {
  if (!is_expected_refusal(call.act, answer.code)) {
    return contradict(books, call, "was refused with " + answer.code);
  }
  if (answer.code == "bid_too_low" && answer.min_next_bid <= call.amount) {
    contradict(books, call, "was too low, and the least was " + std::to_string(answer.min_next_bid));
  }
}

}  // namespace

std::string_view to_string(Act act) { return act_names.of(act); }

std::string describe(const MarketCall& call, const MarketBooks& books) {
  const std::string& player = books.players[call.player].id;
  const std::string amount = std::to_string(call.amount);
  if (call.act == Act::deposit) return player + "'s deposit of " + amount;
  if (call.act == Act::create_item) return player + "'s item " + books.items[call.subject].id;
  const std::string listing = " listing " + books.listings[call.subject].id;
  switch (call.act) {
    case Act::bid: return player + "'s bid of " + amount + " on" + listing;
    case Act::buy_out: return player + "'s buyout of" + listing + " at " + amount;
    case Act::cancel: return player + "'s cancel of" + listing;
    case Act::look: return "a look at" + listing;
    default: return player + "'s" + listing;
  }
}

MarketRequest request_of(const MarketCall& call, const MarketBooks& books) {
  const std::string& player = books.players[call.player].id;
  if (call.act == Act::deposit) {
    return post("/v1/players/" + percent_encoded(player) + "/wallet/deposits",
                {{"amount", call.amount}, {"reason", "hotrow market"}});
  }
  if (call.act == Act::create_item) {
    const MarketItem& item = books.items[call.subject];
    const json::object body{{"owner", player_owner(player)}, {"family", item.family}};
    return {.method = "PUT",
            .target = "/v1/items/" + percent_encoded(item.id),
            .body = json::serialize(body),
            .keyed = false};
  }
  const MarketListing& listing = books.listings[call.subject];
  switch (call.act) {
    case Act::list: return post("/v1/listings", listing_body(listing, books));
    case Act::bid:
      return post(listing_target(listing, "/bids"), {{"bidder_id", player}, {"amount", call.amount}});
    case Act::buy_out:
      return post(listing_target(listing, "/buyout"),
                  {{"buyer_id", player}, {"expected_price", call.amount}});
    case Act::cancel: return post(listing_target(listing, "/cancel"), {{"seller_id", player}});
    default: return {.method = "GET", .target = listing_target(listing, ""), .body = "", .keyed = false};
  }
}

bool is_expected_refusal(Act act, std::string_view code) {
  static constexpr std::array<std::string_view, 3> list{"not_item_owner", "item_in_escrow",
                                                        "insufficient_funds"};
  static constexpr std::array<std::string_view, 6> bid{
      "listing_closed", "own_listing", "use_buyout", "bid_too_low", "limit_reached", "insufficient_funds"};
  static constexpr std::array<std::string_view, 6> buy_out{
      "listing_closed", "own_listing", "no_buyout", "price_changed", "limit_reached", "insufficient_funds"};
  static constexpr std::array<std::string_view, 3> cancel{"not_seller", "listing_closed", "has_bids"};
  const auto among = [&](const auto& codes) { return std::ranges::find(codes, code) != codes.end(); };
  switch (act) {
    // The second of two listings made at once finds the item there, or gone.
    case Act::list: return among(list) || code == "item_exists" || code == "item_outside";
    case Act::bid: return among(bid);
    case Act::buy_out: return among(buy_out);
    case Act::cancel: return among(cancel);
    default: return false;
  }
}

void note(MarketBooks& books, const MarketCall& call, const TradeAnswer& answer) {
  if (answer.what == TradeAnswer::What::refused) return note_refused(books, call, answer);
  if (call.act == Act::deposit) {
    books.players[call.player].deposited += call.amount;
    return;
  }
  if (call.act == Act::create_item) {
    books.items[call.subject].made = true;
    return;
  }
  if (!answer.listing) return contradict(books, call, "was told no listing");
  note_listing(books, call, *answer.listing);
  if (call.act == Act::list) note_made(books, call, *answer.listing);
  if (call.act == Act::bid) note_bid(books, call, answer);
  if (call.act == Act::buy_out) note_bought(books, call, *answer.listing);
  if (call.act == Act::cancel) {
    books.listings[call.subject].cancelled = true;
    if (answer.listing->status != ListingStatus::cancelled) contradict(books, call, "was accepted in vain");
  }
}

}  // namespace hotrow
