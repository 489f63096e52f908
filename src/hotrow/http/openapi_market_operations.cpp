#include "hotrow/http/openapi_operations.hpp"
#include "hotrow/http/response.hpp"

namespace hotrow::http {
namespace {

using parameter::cursor;
using parameter::if_match;
using parameter::if_none_match;
using parameter::last_event_id;
using parameter::limit;

constexpr std::string_view price_schema = R"({"type":"integer","minimum":1,"maximum":9007199254740991})";
constexpr OperationParameter currency{"currency", "query",
                                      R"({"type":"string","pattern":"^[a-z0-9_]{1,16}$","default":"gold"})",
                                      "Which wallet of the owner."};

OperationText movement(std::vector<std::string_view> problems) {
  problems.insert(problems.end(), {"external_id_used", "precondition_failed"});
  return {.body = "MovementInput",
          .parameters = {if_match},
          .successes = {{201, media::json, "Movement", "Moved."},
                        {200, media::json, "Movement", "Moved before, under this external_id."}},
          .problems = std::move(problems)};
}

OperationText transfer() {
  return {.description = "Both wallets or none.",
          .body = "TransferInput",
          .parameters = {if_match},
          .successes = {{201, media::json, "Transfer", "Moved."},
                        {200, media::json, "Transfer", "Moved before, under this external_id."}},
          .problems = {"external_id_used", "precondition_failed", "balance_limit", "insufficient_funds"}};
}

OperationText put_item() {
  return {.description = "Ids are never used again.",
          .body = "ItemInput",
          .parameters = {parameter::only_create},
          .successes = {{201, media::json, "Item", "Created."},
                        {200, media::json, "Item", "Created before by the same request; as it is now."}},
          .problems = {"item_exists", "precondition_failed"}};
}

OperationText withdraw_item() {
  return {
      .body = "WithdrawItemInput",
      .successes = {{201, media::json, "Item", "It has left, for ever."}},
      .problems = {"player_blocked", "item_not_found", "not_item_owner", "item_in_escrow", "item_outside"}};
}

OperationText create_listing() {
  return {.description =
              "The item goes into escrow and the deposit is held from the seller, or neither. A quote says "
              "beforehand what it costs.",
          .body = "ListingInput",
          .successes = {{201, media::json, "Listing", "Open for bids."}},
          .problems = {"market_paused", "player_blocked", "listing_exists", "item_exists", "not_item_owner",
                       "item_in_escrow", "item_outside", "limit_reached", "insufficient_funds"}};
}

OperationText place_bid() {
  return {.description =
              "The whole amount is held at once; a leader's raise holds the difference. Who was outbid has "
              "his money back in the same transaction. Of equal bids the first to be decided leads.",
          .body = "BidInput",
          .parameters = {if_match},
          .successes = {{201, media::json, "PlacedBid", "This bid leads."}},
          .problems = {"market_paused", "player_blocked", "listing_not_found", "precondition_failed",
                       "listing_closed", "listing_set_aside", "own_listing", "use_buyout", "bid_too_low",
                       "limit_reached", "insufficient_funds", "too_many_undecided"}};
}

OperationText buy_out() {
  return {.description = "The buyer's own hold on the listing counts as available.",
          .body = "BuyoutInput",
          .parameters = {if_match},
          .successes = {{200, media::json, "Purchase", "Bought."}},
          .problems = {"market_paused", "player_blocked", "listing_not_found", "precondition_failed",
                       "listing_closed", "listing_set_aside", "own_listing", "no_buyout", "price_changed",
                       "buyout_quiet", "buyout_rate", "insufficient_funds"}};
}

OperationText change_listing(std::string_view body, std::string_view description,
                             std::vector<std::string_view> problems) {
  problems.insert(problems.end(), {"listing_not_found", "precondition_failed", "listing_closed",
                                   "listing_set_aside", "market_paused"});
  return {.description = description,
          .body = body,
          .parameters = {if_match},
          .successes = {{200, media::json, "Listing", "Done."}},
          .problems = std::move(problems)};
}

OperationText list_listings() {
  return {
      .description = "The sort covers the whole result; equal values are ordered by id.",
      .parameters = {limit,
                     cursor,
                     {"ids", "query", R"({"type":"string"})",
                      "Only these, in the order asked, with commas between; goes with no other parameter."},
                     {"status", "query", R"({"$ref":"#/components/schemas/ListingStatus"})",
                      "active when it is left out."},
                     {"family", "query", R"({"type":"string"})", "Only items of this family."},
                     {"seller_id", "query", R"({"type":"string"})", "Only this seller's."},
                     {"min_price", "query", price_schema, "Least start price."},
                     {"max_price", "query", price_schema, "Greatest start price."},
                     {"sort", "query",
                      R"({"type":"string","enum":["ends_at","start_price","buyout_price","newest"],)"
                      R"("default":"ends_at"})",
                      "Ascending, but newest. buyout_price leaves out listings without one."}},
      .successes = {{200, media::json, "ListingList", "A page."}},
      .problems = {"invalid_cursor"}};
}

OperationText quote_listing() {
  return {.parameters = {{"start_price", "query", price_schema, "Of the listing.", true},
                         {"buyout_price", "query", price_schema, "Of the listing."},
                         {"currency", "query", currency.schema, "Of the listing."}},
          .successes = {{200, media::json, "ListingQuote", "At the rates of this moment."}}};
}

OperationText stream_listing() {
  return {.description =
              "First a `snapshot` (a Listing), then every event of the listing, named by its type without "
              "`listing.`: its data, and its sequence as id. Ends behind the event that closes the listing. "
              "A comment every 15 s of silence.",
          .parameters = {last_event_id},
          .successes = {{200, media::event_stream, "", "Until the listing is over, or the client leaves."}},
          .problems = {"listing_not_found", "invalid_header"}};
}

OperationText change_market(std::string_view body, std::string_view description) {
  return {.description = description,
          .body = body,
          .successes = {{200, media::json, "Market", "Done, or it was so already."}}};
}

OperationText page(std::string_view schema, std::vector<std::string_view> problems = {}) {
  problems.emplace_back("invalid_cursor");
  return {.parameters = {limit, cursor},
          .successes = {{200, media::json, schema, "A page."}},
          .problems = std::move(problems)};
}

OperationText ledger() {
  OperationText text = page("Ledger");
  text.parameters.push_back(currency);
  return text;
}

OperationText reading(std::string_view schema, std::vector<std::string_view> problems = {}) {
  return {.successes = {{200, media::json, schema, "As it is now."}}, .problems = std::move(problems)};
}

OperationText listing() {
  OperationText text = reading("Listing", {"listing_not_found"});
  text.parameters = {if_none_match};
  return text;
}

OperationText wallet() {
  OperationText text = reading("Wallet");
  text.parameters = {currency, if_none_match};
  return text;
}

OperationText restrict_player() {
  return {.description = "Blocked: no new listings, bids, buyouts, withdrawals. What leads stays.",
          .body = "RestrictionsInput",
          .successes = {{200, media::json, "Restrictions", "In force, or it was so already."}}};
}

OperationText put_policy(std::string_view body, std::string_view schema, std::string_view description,
                         std::vector<std::string_view> problems = {}) {
  problems.push_back("precondition_failed");
  return {.description = description,
          .body = body,
          .parameters = {if_match},
          .successes = {{200, media::json, schema, "In force, or it was so already."}},
          .problems = std::move(problems)};
}

OperationText put_pressure(std::string_view description, std::vector<std::string_view> problems = {}) {
  return put_policy("PressurePolicyInput", "PressurePolicy", description, std::move(problems));
}

OperationText policy(std::string_view schema, std::vector<std::string_view> problems = {}) {
  OperationText text = reading(schema, std::move(problems));
  text.description = "One that was never set has nulls and version 0.";
  text.parameters = {if_none_match};
  return text;
}

OperationText audit_store() {
  OperationText text = reading("StoreAudit");
  text.description = "Every invariant with its count of violations. One at a time, in short snapshots.";
  return text;
}

}  // namespace

std::optional<OperationText> market_operation_text(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::get_player_wallet:
    case Endpoint::get_guild_wallet: return wallet();
    case Endpoint::list_player_ledger:
    case Endpoint::list_guild_ledger: return ledger();
    case Endpoint::deposit_to_player:
    case Endpoint::deposit_to_guild: return movement({"balance_limit"});
    case Endpoint::withdraw_from_player: return movement({"player_blocked", "insufficient_funds"});
    case Endpoint::withdraw_from_guild: return movement({"insufficient_funds"});
    case Endpoint::transfer_money: return transfer();
    case Endpoint::put_item: return put_item();
    case Endpoint::get_item: return reading("Item", {"item_not_found"});
    case Endpoint::withdraw_item: return withdraw_item();
    case Endpoint::list_player_items: return page("ItemList");
    case Endpoint::list_player_bids: return page("BidList");
    case Endpoint::list_player_listings: return page("ListingList");
    case Endpoint::create_listing: return create_listing();
    case Endpoint::get_listing: return listing();
    case Endpoint::list_listings: return list_listings();
    case Endpoint::quote_listing: return quote_listing();
    case Endpoint::list_bids: return page("BidList", {"listing_not_found"});
    case Endpoint::list_timeline: return page("Timeline", {"listing_not_found"});
    case Endpoint::stream_listing: return stream_listing();
    case Endpoint::place_bid: return place_bid();
    case Endpoint::buy_out: return buy_out();
    case Endpoint::cancel_listing:
      return change_listing("CancelInput", "The deposit is kept.", {"not_seller", "has_bids"});
    case Endpoint::settle_listing:
      return change_listing("SettleInput", "What the server does by itself at ends_at.", {"not_ended"});
    case Endpoint::void_listing:
      return change_listing("ReasonInput", "The leader's money, the item and the deposit go back.", {});
    case Endpoint::restrict_player: return restrict_player();
    case Endpoint::pause_market:
      return change_market("ReasonInput", "No trade, and nothing settles, until it is resumed.");
    case Endpoint::resume_market: return change_market("ResumeInput", "Harmless to repeat.");
    case Endpoint::put_default_policy:
      return put_policy("PlayerPolicyInput", "PlayerPolicy",
                        "Replaces all limits: one that is left out, or null, is set no more. Acts on what is "
                        "decided from then on; what is there stays, also above a lowered limit.");
    case Endpoint::put_player_policy:
      return put_policy("PlayerPolicyInput", "PlayerPolicy",
                        "Replaces all limits. The player's own limit wins over the default, one by one.");
    case Endpoint::put_family_policy:
      return put_pressure("Replaces all limits: one that is left out, or null, is set no more.");
    case Endpoint::put_listing_policy:
      return put_pressure("Replaces all limits. The listing's own limit wins over its family's, one by one.",
                          {"listing_not_found"});
    case Endpoint::put_promotion_policy:
      return put_policy("PromotionPolicyInput", "PromotionPolicy", "Replaces the limit.",
                        {"promotion_not_found"});
    case Endpoint::get_default_policy:
    case Endpoint::get_player_policy: return policy("PlayerPolicy");
    case Endpoint::get_family_policy: return policy("PressurePolicy");
    case Endpoint::get_listing_policy: return policy("PressurePolicy", {"listing_not_found"});
    case Endpoint::get_promotion_policy: return policy("PromotionPolicy", {"promotion_not_found"});
    case Endpoint::get_house: return reading("House");
    case Endpoint::audit_store: return audit_store();
    default: return std::nullopt;
  }
}

}  // namespace hotrow::http
