#include "hotrow/core/market_codec.hpp"

#include "hotrow/core/listing_codec.hpp"
#include "hotrow/core/policy_json.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;
using std::chrono::microseconds;

std::string optional_text(TrustedReader& in, std::string_view name) {
  return in.find(name) != nullptr ? in.text(name) : std::string();
}

Owner owner(TrustedReader& in, std::string_view name) {
  std::optional<Owner> owner = owner_from_string(in.text(name));
  return owner ? std::move(*owner) : in.spoil(Owner{});
}

json::object to_json(const WalletRow& wallet) {
  return {{"owner", to_string(wallet.id.owner)},
          {"currency", wallet.id.currency},
          {"available", wallet.available},
          {"held", wallet.held},
          {"version", wallet.version}};
}

std::optional<WalletRow> wallet_from(const json::value& value) {
  return read_object<WalletRow>(value, [](TrustedReader& in) {
    return WalletRow{.id = {.owner = owner(in, "owner"), .currency = in.text("currency")},
                     .available = in.integer("available"),
                     .held = in.integer("held"),
                     .version = in.integer("version")};
  });
}

json::object to_json(const ItemRow& item) {
  return {{"facts", to_json(item.facts)},
          {"owner", to_string(item.owner)},
          {"location", to_string(item.location)},
          {"listing", item.listing},
          {"events", item.events},
          {"created_at", item.created_at.micros},
          {"created_for", to_string(item.created_for)}};
}

std::optional<ItemRow> item_from(const json::value& value) {
  return read_object<ItemRow>(value, [](TrustedReader& in) -> std::optional<ItemRow> {
    std::optional<ItemFacts> facts = member<ItemFacts>(in, "facts", item_facts_from_json);
    const std::optional<ItemLocation> location = item_location_from_string(in.text("location"));
    if (!facts || !location) return std::nullopt;
    return ItemRow{.facts = std::move(*facts),
                   .owner = owner(in, "owner"),
                   .location = *location,
                   .listing = in.text("listing"),
                   .events = in.integer("events"),
                   .created_at = in.micros("created_at"),
                   .created_for = owner(in, "created_for")};
  });
}

json::object to_json(const Lead& lead) {
  return {{"bidder", lead.bidder}, {"amount", lead.amount}, {"n", lead.n}, {"at", lead.placed_at.micros}};
}

std::optional<Lead> lead_from(const json::value& value) {
  return read_object<Lead>(value, [](TrustedReader& in) {
    return Lead{.bidder = in.text("bidder"),
                .amount = in.integer("amount"),
                .n = in.integer("n"),
                .placed_at = in.micros("at")};
  });
}

json::object to_json(const ListingClosing& closing) {
  return {{"at", closing.at.micros},
          {"by", closing.by},
          {"buyer", closing.buyer},
          {"price", closing.price},
          {"reason", closing.reason}};
}

std::optional<ListingClosing> closing_from(const json::value& value) {
  return read_object<ListingClosing>(value, [](TrustedReader& in) {
    return ListingClosing{.at = in.micros("at"),
                          .by = in.text("by"),
                          .buyer = in.text("buyer"),
                          .price = in.integer("price"),
                          .reason = in.text("reason")};
  });
}

json::object to_json(const ListingRow& listing) {
  json::object object{{"id", listing.id},
                      {"status", to_string(listing.status)},
                      {"bids", listing.bids},
                      {"extensions", listing.extensions},
                      {"ends_at", listing.ends_at.micros},
                      {"version", listing.version},
                      {"events", listing.events},
                      {"decided_at", listing.decided_at.micros}};
  if (listing.lead) object["lead"] = to_json(*listing.lead);
  if (listing.closing) object["closing"] = to_json(*listing.closing);
  if (!listing.set_aside.empty()) object["set_aside"] = listing.set_aside;
  return object;
}

std::optional<ListingRow> listing_from(const json::value& value) {
  return read_object<ListingRow>(value, [](TrustedReader& in) -> std::optional<ListingRow> {
    const std::optional<ListingStatus> status = listing_status_from_string(in.text("status"));
    if (!status) return std::nullopt;
    ListingRow listing{.id = in.text("id"),
                       .status = *status,
                       .bids = in.integer("bids"),
                       .extensions = in.integer("extensions"),
                       .ends_at = in.micros("ends_at"),
                       .version = in.integer("version"),
                       .events = in.integer("events"),
                       .decided_at = in.micros("decided_at"),
                       .set_aside = optional_text(in, "set_aside")};
    if (in.find("lead") != nullptr) listing.lead = member<Lead>(in, "lead", lead_from);
    if (in.find("closing") != nullptr) {
      listing.closing = member<ListingClosing>(in, "closing", closing_from);
    }
    return listing;
  });
}

json::object to_json(const MoneyAnswer& answer) {
  json::object object{{"kind", to_string(answer.kind)},
                      {"wallet", to_json(answer.wallet)},
                      {"n", answer.n},
                      {"already", answer.already}};
  if (answer.to) object["to"] = to_json(*answer.to);
  return object;
}

std::optional<MoneyAnswer> money_from(const json::value& value) {
  return read_object<MoneyAnswer>(value, [](TrustedReader& in) -> std::optional<MoneyAnswer> {
    const std::optional<LedgerReason> kind = ledger_reason_from_string(in.text("kind"));
    std::optional<WalletRow> wallet = member<WalletRow>(in, "wallet", wallet_from);
    if (!kind || !wallet) return std::nullopt;
    MoneyAnswer answer{
        .kind = *kind, .wallet = std::move(*wallet), .n = in.integer("n"), .already = in.flag("already")};
    if (in.find("to") != nullptr) answer.to = member<WalletRow>(in, "to", wallet_from);
    return answer;
  });
}

json::object to_json(const ItemAnswer& answer) {
  return {{"item", to_json(answer.item)}, {"created", answer.created}};
}

std::optional<ItemAnswer> item_answer_from(const json::value& value) {
  return read_object<ItemAnswer>(value, [](TrustedReader& in) -> std::optional<ItemAnswer> {
    std::optional<ItemRow> item = member<ItemRow>(in, "item", item_from);
    if (!item) return std::nullopt;
    return ItemAnswer{.item = std::move(*item), .created = in.flag("created")};
  });
}

/// What every answer about a listing has.
template <class A>
json::object listing_part(const A& answer) {
  json::object object{{"listing", to_json(answer.listing)},
                      {"extension", answer.extension.count()},
                      {"server_time", answer.server_time.micros}};
  if (answer.pressure != Pressure{}) object["pressure"] = to_json(answer.pressure);
  return object;
}

template <class A>
std::optional<A> with_listing(TrustedReader& in) {
  std::optional<ListingRow> listing = member<ListingRow>(in, "listing", listing_from);
  if (!listing) return std::nullopt;
  A answer;
  answer.listing = std::move(*listing);
  if (in.find("pressure") != nullptr) {
    answer.pressure = member<Pressure>(in, "pressure", pressure_from).value_or(Pressure{});
  }
  answer.extension = microseconds(in.integer("extension"));
  answer.server_time = in.micros("server_time");
  return answer;
}

template <class A>
std::optional<A> with_wallet(TrustedReader& in) {
  std::optional<A> answer = with_listing<A>(in);
  std::optional<WalletRow> wallet = member<WalletRow>(in, "wallet", wallet_from);
  if (!answer || !wallet) return std::nullopt;
  answer->wallet = std::move(*wallet);
  return answer;
}

json::object to_json(const ListingAnswer& answer) {
  json::object object = listing_part(answer);
  object["created"] = answer.created;
  return object;
}

std::optional<ListingAnswer> listing_answer_from(const json::value& value) {
  return read_object<ListingAnswer>(value, [](TrustedReader& in) {
    std::optional<ListingAnswer> answer = with_listing<ListingAnswer>(in);
    if (answer) answer->created = in.flag("created");
    return answer;
  });
}

json::object to_json(const BidAnswer& answer) {
  json::object object = listing_part(answer);
  object["wallet"] = to_json(answer.wallet);
  object["bid"] = to_json(answer.bid);
  return object;
}

std::optional<BidAnswer> bid_answer_from(const json::value& value) {
  return read_object<BidAnswer>(value, [](TrustedReader& in) -> std::optional<BidAnswer> {
    std::optional<BidAnswer> answer = with_wallet<BidAnswer>(in);
    std::optional<Lead> bid = member<Lead>(in, "bid", lead_from);
    if (!answer || !bid) return std::nullopt;
    answer->bid = std::move(*bid);
    return answer;
  });
}

json::object to_json(const BuyoutAnswer& answer) {
  json::object object = listing_part(answer);
  object["wallet"] = to_json(answer.wallet);
  return object;
}

std::optional<BuyoutAnswer> buyout_answer_from(const json::value& value) {
  return read_object<BuyoutAnswer>(value, [](TrustedReader& in) { return with_wallet<BuyoutAnswer>(in); });
}

json::object to_json(const PlayerAnswer& answer) {
  return {{"id", answer.player.id},         {"trade_blocked", answer.player.trade_blocked},
          {"reason", answer.player.reason}, {"version", answer.player.version},
          {"events", answer.player.events}, {"server_time", answer.server_time.micros}};
}

std::optional<PlayerAnswer> player_answer_from(const json::value& value) {
  return read_object<PlayerAnswer>(value, [](TrustedReader& in) {
    return PlayerAnswer{.player = {.id = in.text("id"),
                                   .trade_blocked = in.flag("trade_blocked"),
                                   .reason = in.text("reason"),
                                   .version = in.integer("version"),
                                   .events = in.integer("events")},
                        .server_time = in.micros("server_time")};
  });
}

json::object to_json(const MarketAnswer& answer) {
  return {{"paused", answer.market.paused},          {"paused_at", answer.market.paused_at.micros},
          {"reason", answer.market.reason},          {"extension", answer.market.extension.count()},
          {"version", answer.market.version},        {"events", answer.market.events},
          {"server_time", answer.server_time.micros}};
}

std::optional<MarketAnswer> market_from(const json::value& value) {
  return read_object<MarketAnswer>(value, [](TrustedReader& in) {
    return MarketAnswer{.market = {.paused = in.flag("paused"),
                                   .paused_at = in.micros("paused_at"),
                                   .reason = in.text("reason"),
                                   .extension = microseconds(in.integer("extension")),
                                   .version = in.integer("version"),
                                   .events = in.integer("events")},
                        .server_time = in.micros("server_time")};
  });
}

json::object to_json(const PolicyAnswer& answer) {
  return {{"scope", to_string(answer.policy.id.scope)}, {"id", answer.policy.id.id},
          {"limits", encode_limits(answer.policy)},     {"reason", answer.policy.reason},
          {"version", answer.policy.version},           {"events", answer.policy.events},
          {"server_time", answer.server_time.micros}};
}

std::optional<PolicyAnswer> policy_from(const json::value& value) {
  return read_object<PolicyAnswer>(value, [](TrustedReader& in) -> std::optional<PolicyAnswer> {
    const std::optional<PolicyScope> scope = policy_scope_from_string(in.text("scope"));
    if (!scope) return std::nullopt;
    PolicyAnswer answer{.policy = {.id = {.scope = *scope, .id = in.text("id")},
                                   .reason = in.text("reason"),
                                   .version = in.integer("version"),
                                   .events = in.integer("events")},
                        .server_time = in.micros("server_time")};
    if (!decode_limits(in.text("limits"), answer.policy)) return std::nullopt;
    return answer;
  });
}

template <class A>
std::optional<Outcome> outcome(std::optional<A> answer) {
  if (!answer) return std::nullopt;
  return Outcome(std::move(*answer));
}

}  // namespace

void add_market_answer(json::object& object, const Outcome& outcome) {
  if (const auto* money = std::get_if<MoneyAnswer>(&outcome)) object["money"] = to_json(*money);
  if (const auto* item = std::get_if<ItemAnswer>(&outcome)) object["item"] = to_json(*item);
  if (const auto* listing = std::get_if<ListingAnswer>(&outcome)) object["listing"] = to_json(*listing);
  if (const auto* bid = std::get_if<BidAnswer>(&outcome)) object["bid"] = to_json(*bid);
  if (const auto* buyout = std::get_if<BuyoutAnswer>(&outcome)) object["buyout"] = to_json(*buyout);
  if (const auto* player = std::get_if<PlayerAnswer>(&outcome)) object["player"] = to_json(*player);
  if (const auto* market = std::get_if<MarketAnswer>(&outcome)) object["market"] = to_json(*market);
  if (const auto* policy = std::get_if<PolicyAnswer>(&outcome)) object["policy"] = to_json(*policy);
}

std::optional<Outcome> market_answer_from(const json::object& object) {
  if (const json::value* money = object.if_contains("money")) return outcome(money_from(*money));
  if (const json::value* item = object.if_contains("item")) return outcome(item_answer_from(*item));
  if (const json::value* listing = object.if_contains("listing"))
    return outcome(listing_answer_from(*listing));
  if (const json::value* bid = object.if_contains("bid")) return outcome(bid_answer_from(*bid));
  if (const json::value* buyout = object.if_contains("buyout")) return outcome(buyout_answer_from(*buyout));
  if (const json::value* player = object.if_contains("player")) return outcome(player_answer_from(*player));
  if (const json::value* market = object.if_contains("market")) return outcome(market_from(*market));
  if (const json::value* policy = object.if_contains("policy")) return outcome(policy_from(*policy));
  return std::nullopt;
}

ListingRow* listing_in(Outcome& outcome) {
  if (auto* listing = std::get_if<ListingAnswer>(&outcome)) return &listing->listing;
  if (auto* bid = std::get_if<BidAnswer>(&outcome)) return &bid->listing;
  if (auto* buyout = std::get_if<BuyoutAnswer>(&outcome)) return &buyout->listing;
  return nullptr;
}

}  // namespace hotrow
