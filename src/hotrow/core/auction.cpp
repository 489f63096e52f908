#include "hotrow/core/auction.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction_steps.hpp"
#include "hotrow/core/policy.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

/// Why a bidder or buyer cannot trade on this listing at all.
std::optional<Rejection> trading_refusal(const ListingRow& listing, const Deal& deal,
                                         const std::string& player) {
  if (listing.status != ListingStatus::active || has_ended(listing, deal.market_now())) {
    return listing_closed(listing, deal);
  }
  if (!listing.set_aside.empty()) return listing_set_aside();
  if (player == listing.terms->seller) {
    return Rejection{.code = RejectionCode::own_listing, .detail = "A seller cannot bid on his own listing."};
  }
  return std::nullopt;
}

json::value or_null(const std::optional<std::int64_t>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::value or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

void tell_outbid(Deal& deal, const Lead& loser, std::int64_t by_amount) {
  const std::string& listing = deal.listing().id;
  deal.add_event("listing.outbid", {{"listing_id", listing},
                                    {"bid_id", bid_id(listing, loser.n)},
                                    {"outbid_bidder_id", loser.bidder},
                                    {"refunded", refunded(loser)},
                                    {"by_amount", by_amount}});
}

/// Anti-snipe: a new leader in the last moments gives everybody else some more.
bool extend_end(ListingRow& listing, Timestamp market_now) {
  const std::optional<AntiSnipe>& rule = listing.terms->anti_snipe;
  if (!rule || market_now < listing.ends_at - std::chrono::seconds(rule->window_seconds)) return false;
  const Timestamp wanted = std::max(listing.ends_at, market_now + std::chrono::seconds(rule->extend_seconds));
  const Timestamp end = std::min(hard_end(*listing.terms), wanted);
  if (end <= listing.ends_at) return false;
  listing.ends_at = end;
  ++listing.extensions;
  return true;
}

/// Why this amount is no bid on the listing.
std::optional<Rejection> amount_refusal(const PlaceBid& bid, const ListingRow& listing) {
  const ListingTerms& terms = *listing.terms;
  if (terms.buyout_price && bid.amount >= *terms.buyout_price) {
    return Rejection{.code = RejectionCode::use_buyout,
                     .detail = "A bid stays below the buyout price: buy it instead.",
                     .figures = {{"buyout_price", *terms.buyout_price}}};
  }
  if (bid.amount >= min_next_bid(listing)) return std::nullopt;
  Rejection low{.code = RejectionCode::bid_too_low, .detail = "The bid is below the least next bid."};
  if (listing.lead) low.figures.emplace_back("current_bid", listing.lead->amount);
  if (const auto least = shown_min_next_bid(listing)) low.figures.emplace_back("min_next_bid", *least);
  const bool only_buyout = terms.buyout_price && min_next_bid(listing) >= *terms.buyout_price;
  if (only_buyout) low.figures.emplace_back("buyout_price", *terms.buyout_price);
  return low;
}

/// Why this listing cannot be bought out at this price.
std::optional<Rejection> price_refusal(const BuyOut& buyout, const ListingTerms& terms) {
  if (!terms.buyout_price) {
    return Rejection{.code = RejectionCode::no_buyout, .detail = "This listing has no buyout price."};
  }
  if (!buyout.expected_price || *buyout.expected_price == *terms.buyout_price) return std::nullopt;
  return Rejection{.code = RejectionCode::price_changed,
                   .detail = "The buyout price is another than expected.",
                   .figures = {{"buyout_price", *terms.buyout_price}}};
}

/// Why this buyer cannot buy this listing out just now, where an operator has taken the pace out of it.
std::optional<Rejection> pace_refusal(const std::string& buyer, Deal& deal, const Pressure& pressure) {
  if (pressure.buyout_quiet_seconds) {
    const std::chrono::seconds quiet(*pressure.buyout_quiet_seconds);
    const Timestamp quiet_until = deal.terms().created_at + quiet;
    if (deal.now() < quiet_until) {
      return Rejection{.code = RejectionCode::buyout_quiet,
                       .detail = "A new listing cannot be bought out at once.",
                       .figures = {{"buyout_quiet_seconds", *pressure.buyout_quiet_seconds},
                                   {"quiet_until", quiet_until},
                                   {"server_time", deal.now()}}};
    }
  }
  const std::optional<std::int64_t>& limit = pressure.buyouts_per_player_per_minute;
  if (!limit) return std::nullopt;
  const std::int64_t used = buyouts_in_minute(deal.books().wallet(player_account(buyer)), deal.now());
  if (used < *limit) return std::nullopt;
  return Rejection{.code = RejectionCode::buyout_rate,
                   .detail = "This player has bought out as much as he may within a minute.",
                   .figures = {{"limit", *limit},
                               {"used", used},
                               {"resets_at", minute_of(deal.now()) + std::chrono::minutes(1)},
                               {"server_time", deal.now()}}};
}

}  // namespace

Ruling decide_bid(const PlaceBid& bid, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  if (auto refusal = trade_refusal(rows, bid.bidder)) return std::move(*refusal);
  const auto* before = rows.find<ListingRow>(listing_key(bid.listing));
  if (before == nullptr) return listing_not_found(bid.listing);
  Deal deal(*before, envelope, rows, now);
  if (auto refusal = version_refusal(deal, *before, bid.if_version)) return std::move(*refusal);
  if (auto refusal = trading_refusal(*before, deal, bid.bidder)) return std::move(*refusal);
  const ListingTerms& terms = *before->terms;
  if (auto refusal = amount_refusal(bid, *before)) return std::move(*refusal);
  const std::optional<Lead> previous = before->lead;
  const bool raises = previous && previous->bidder == bid.bidder;
  const std::int64_t needed = raises ? bid.amount - previous->amount : bid.amount;
  const WalletId wallet = player_wallet(bid.bidder, terms.currency);
  const std::int64_t available = deal.books().wallet(wallet).available;
  if (!raises) {
    const std::int64_t used = deal.books().wallet(player_account(bid.bidder)).leading_bids;
    const PlayerLimits limits = limits_of(rows, bid.bidder);
    if (auto refusal = limit_refusal("max_leading_bids", limits.max_leading_bids, used))
      return std::move(*refusal);
  }
  if (available < needed) return insufficient_funds(available, needed);
  HOTROW_ASSERT(needed > 0);

  if (previous && !raises && !deal.refund_lead()) {
    return set_aside(*before, envelope, rows, deal.now(), holds_astray);
  }
  deal.books().move(wallet, {.available = -needed, .held = needed, .reason = LedgerReason::bid_hold});
  deal.books().count(bid.bidder, {.leading_bids = raises ? 0 : 1});
  ListingRow& listing = deal.listing();
  HOTROW_ASSERT(listing.status == ListingStatus::active && (raises || !listing.lead));
  const Lead lead{.bidder = bid.bidder, .amount = bid.amount, .n = ++listing.bids, .placed_at = deal.now()};
  listing.lead = lead;
  const bool extended = !raises && extend_end(listing, deal.market_now());
  deal.add({.key = bid_key(listing.id, lead.n),
            .row = BidRow{.listing = listing.id,
                          .n = lead.n,
                          .bidder = lead.bidder,
                          .amount = lead.amount,
                          .placed_at = lead.placed_at}});
  const std::string ends_at = format_rfc3339(shown_end(listing, deal.extension()));
  deal.add_event("listing.bid_placed", {{"listing_id", listing.id},
                                        {"bid_id", bid_id(listing.id, lead.n)},
                                        {"bidder_id", lead.bidder},
                                        {"amount", lead.amount},
                                        {"previous_bidder_id", or_null(previous ? previous->bidder : "")},
                                        {"min_next_bid", or_null(shown_min_next_bid(listing))},
                                        {"ends_at", ends_at}});
  if (previous && !raises) tell_outbid(deal, *previous, lead.amount);
  if (extended) {
    deal.add_event("listing.extended",
                   {{"listing_id", listing.id}, {"ends_at", ends_at}, {"extensions", listing.extensions}});
  }
  Changes changes = deal.take();
  BidAnswer answer{.listing = deal.listing(),
                   .wallet = deal.books().wallet(wallet),
                   .bid = lead,
                   .pressure = deal.pressure(),
                   .extension = deal.extension(),
                   .server_time = deal.now()};
  return Acceptance{.outcome = std::move(answer), .changes = std::move(changes)};
}

Ruling decide_buyout(const BuyOut& buyout, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  if (auto refusal = trade_refusal(rows, buyout.buyer)) return std::move(*refusal);
  const auto* before = rows.find<ListingRow>(listing_key(buyout.listing));
  if (before == nullptr) return listing_not_found(buyout.listing);
  Deal deal(*before, envelope, rows, now);
  if (auto refusal = version_refusal(deal, *before, buyout.if_version)) return std::move(*refusal);
  if (auto refusal = trading_refusal(*before, deal, buyout.buyer)) return std::move(*refusal);
  const ListingTerms& terms = *before->terms;
  if (auto refusal = price_refusal(buyout, terms)) return std::move(*refusal);
  const std::int64_t price = *terms.buyout_price;
  HOTROW_ASSERT(price > 0 && buyout.buyer != terms.seller);
  const Pressure pressure = deal.pressure();
  if (auto refusal = pace_refusal(buyout.buyer, deal, pressure)) return std::move(*refusal);
  const std::optional<Lead> previous = before->lead;
  const std::int64_t own_hold = previous && previous->bidder == buyout.buyer ? previous->amount : 0;
  const WalletId wallet = player_wallet(buyout.buyer, terms.currency);
  const std::int64_t available = deal.books().wallet(wallet).available;
  if (available + own_hold < price) return insufficient_funds(available, price - own_hold);

  if (!deal.refund_lead()) return set_aside(*before, envelope, rows, deal.now(), holds_astray);
  deal.books().move(wallet, {.available = -price, .reason = LedgerReason::purchase});
  deal.books().count_buyout(buyout.buyer, deal.now());
  if (!deal.pay_seller(price)) return set_aside(*before, envelope, rows, deal.now(), holds_astray);
  if (!deal.hand_over(buyout.buyer)) return set_aside(*before, envelope, rows, deal.now(), item_astray);
  deal.close(ListingStatus::sold, {.by = "buyout", .buyer = buyout.buyer, .price = price});
  const bool outbids = previous && own_hold == 0;
  if (outbids) tell_outbid(deal, *previous, price);
  sell(deal, buyout.buyer, price, "buyout");
  Changes changes = deal.take(outbids ? 1 : 0);
  BuyoutAnswer answer{.listing = deal.listing(),
                      .wallet = deal.books().wallet(wallet),
                      .pressure = pressure,
                      .extension = deal.extension(),
                      .server_time = deal.now()};
  return Acceptance{.outcome = std::move(answer), .changes = std::move(changes)};
}

}  // namespace hotrow
