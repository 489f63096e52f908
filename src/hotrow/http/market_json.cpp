#include "hotrow/http/market_json.hpp"

#include "hotrow/base/checked.hpp"
#include "hotrow/core/listing.hpp"

namespace hotrow::http {
namespace {

void write_text_or_null(JsonWriter& json, std::string_view text) {
  text.empty() ? json.null() : json.text(text);
}

void write_integer_or_null(JsonWriter& json, std::optional<std::int64_t> number) {
  number ? json.integer(*number) : json.null();
}

void write_facts(JsonWriter& json, const ItemFacts& facts) {
  json.key("id").text(facts.id);
  json.key("family").text(facts.family);
  json.key("attributes").raw(facts.attributes);
}

void write_anti_snipe(JsonWriter& json, const AntiSnipe& rule) {
  json.begin_object();
  json.key("window_seconds").integer(rule.window_seconds);
  json.key("extend_seconds").integer(rule.extend_seconds);
  json.key("max_extensions").integer(rule.max_extensions);
  json.end_object();
}

void write_terms(JsonWriter& json, const ListingTerms& terms) {
  json.key("currency").text(terms.currency);
  json.key("start_price").integer(terms.start_price);
  write_integer_or_null(json.key("buyout_price"), terms.buyout_price);
  json.key("min_increment").integer(terms.min_increment);
  write_optional(json.key("anti_snipe"), terms.anti_snipe,
                 [&](const AntiSnipe& rule) { write_anti_snipe(json, rule); });
  json.key("on_close").text(to_string(terms.on_close));
  json.key("deposit").integer(terms.deposit);
  json.key("cut_bps").integer(terms.rates.cut_bps);
  json.key("cut_min").integer(terms.rates.cut_min);
  json.key("created_at").time(terms.created_at);
}

void write_closing(JsonWriter& json, const std::optional<ListingClosing>& closing) {
  const ListingClosing none;
  const ListingClosing& shown = closing ? *closing : none;
  write_text_or_null(json.key("buyer_id"), shown.buyer);
  write_integer_or_null(json.key("price"), shown.price > 0 ? std::optional(shown.price) : std::nullopt);
  json.key("closed_at");
  closing ? json.time(shown.at) : json.null();
  write_text_or_null(json.key("closed_by"), shown.by);
  write_text_or_null(json.key("close_reason"), shown.reason);
}

void write_limits(JsonWriter& json, const PlayerLimits& limits) {
  write_integer_or_null(json.key("max_leading_bids"), limits.max_leading_bids);
  write_integer_or_null(json.key("max_active_listings"), limits.max_active_listings);
}

void write_limits(JsonWriter& json, const Pressure& pressure) {
  write_integer_or_null(json.key("bid_window_ms"), pressure.bid_window_ms);
  write_integer_or_null(json.key("buyouts_per_player_per_minute"), pressure.buyouts_per_player_per_minute);
  write_integer_or_null(json.key("buyout_quiet_seconds"), pressure.buyout_quiet_seconds);
  write_integer_or_null(json.key("queue_max"), pressure.queue_max);
}

/// Those that can be set in its scope.
void write_limits(JsonWriter& json, const PolicyRow& policy) {
  switch (policy.id.scope) {
    case PolicyScope::players:
    case PolicyScope::player: return write_limits(json, policy.players);
    case PolicyScope::family:
    case PolicyScope::listing: return write_limits(json, policy.pressure);
    case PolicyScope::promotion:
      return write_integer_or_null(json.key("queue_max"), policy.pressure.queue_max);
  }
}

}  // namespace

void write_listing(JsonWriter& json, const ListingView& view) {
  const ListingRow& row = view.row;
  const bool is_active = row.status == ListingStatus::active;
  json.begin_object();
  json.key("id").text(row.id);
  json.key("seller_id").text(row.terms->seller);
  write_facts(json.key("item").begin_object(), row.terms->item);
  json.end_object();
  json.key("status").text(to_string(row.status));
  write_terms(json, *row.terms);
  json.key("current_bid");
  row.lead ? json.integer(row.lead->amount) : json.null();
  write_text_or_null(json.key("bidder_id"), row.lead ? row.lead->bidder : std::string());
  json.key("bid_count").integer(row.bids);
  const std::optional<std::int64_t> least = is_active ? shown_min_next_bid(row) : std::nullopt;
  write_optional(json.key("min_next_bid"), least, [&](std::int64_t amount) { json.integer(amount); });
  json.key("extensions").integer(row.extensions);
  json.key("ends_at").time(shown_end(row, view.extension));
  write_closing(json, row.closing);
  write_text_or_null(json.key("set_aside"), row.set_aside);
  if (view.pressure != Pressure{}) {
    write_limits(json.key("pressure").begin_object(), view.pressure);
    json.end_object();
  }
  json.key("version").integer(row.version);
  json.key("server_time").time(view.server_time);
  json.end_object();
}

void write_bid(JsonWriter& json, const BidRow& bid) {
  json.begin_object();
  json.key("id").text(bid_id(bid.listing, bid.n));
  json.key("listing_id").text(bid.listing);
  json.key("bidder_id").text(bid.bidder);
  json.key("amount").integer(bid.amount);
  json.key("placed_at").time(bid.placed_at);
  json.end_object();
}

void write_wallet(JsonWriter& json, const WalletRow& wallet) {
  json.begin_object();
  json.key("owner").text(to_string(wallet.id.owner));
  json.key("currency").text(wallet.id.currency);
  json.key("available").integer(wallet.available);
  json.key("held").integer(wallet.held);
  json.key("version").integer(wallet.version);
  json.end_object();
}

void write_ledger_line(JsonWriter& json, const LedgerLineRow& line) {
  json.begin_object();
  json.key("n").integer(line.n);
  json.key("entry_id").text(entry_id(line.wallet, line.n));
  json.key("d_available").integer(line.d_available);
  json.key("d_held").integer(line.d_held);
  json.key("available").integer(line.available);
  json.key("held").integer(line.held);
  json.key("reason").text(to_string(line.reason));
  json.key("ref").text(line.ref);
  write_text_or_null(json.key("note"), line.note);
  json.key("at").time(line.at);
  json.end_object();
}

void write_item(JsonWriter& json, const ItemRow& item) {
  json.begin_object();
  write_facts(json, item.facts);
  json.key("owner").text(to_string(item.owner));
  json.key("location").text(to_string(item.location));
  write_text_or_null(json.key("listing_id"), item.listing);
  json.key("created_at").time(item.created_at);
  json.end_object();
}

void write_restrictions(JsonWriter& json, const PlayerAnswer& answer) {
  json.begin_object();
  json.key("player_id").text(answer.player.id);
  json.key("trade").text(answer.player.trade_blocked ? "blocked" : "allowed");
  write_text_or_null(json.key("reason"), answer.player.reason);
  json.key("server_time").time(answer.server_time);
  json.end_object();
}

void write_market(JsonWriter& json, const MarketAnswer& answer) {
  const MarketRow& market = answer.market;
  json.begin_object();
  json.key("paused").flag(market.paused);
  json.key("paused_at");
  market.paused ? json.time(market.paused_at) : json.null();
  write_text_or_null(json.key("reason"), market.reason);
  json.key("server_time").time(answer.server_time);
  json.end_object();
}

void write_policy(JsonWriter& json, const PolicyAnswer& answer) {
  const PolicyRow& policy = answer.policy;
  json.begin_object();
  json.key("scope").text(to_string(policy.id.scope));
  if (policy.id.scope != PolicyScope::players) json.key("id").text(policy.id.id);
  write_limits(json, policy);
  write_text_or_null(json.key("reason"), policy.reason);
  json.key("version").integer(policy.version);
  json.key("server_time").time(answer.server_time);
  json.end_object();
}

}  // namespace hotrow::http
