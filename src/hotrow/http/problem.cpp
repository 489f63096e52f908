#include "hotrow/http/problem.hpp"

#include <algorithm>
#include <array>

#include "hotrow/base/assert.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/http/market_json.hpp"
#include "hotrow/http/promotion_json.hpp"

namespace hotrow::http {
namespace {

// One table, so that a code means one thing wherever it turns up; in the order of their status.
constexpr std::array kinds = {
    ProblemKind{"invalid_request", 400, false, "Not a valid HTTP request",
                "The request line, a header or the framing of the body is malformed. The connection is "
                "closed, because where the next request begins is not certain."},
    ProblemKind{"invalid_path", 400, false, "Invalid path",
                "A part of the path is not percent-encoded UTF-8, or an id is not 1 to 128 bytes without "
                "control characters."},
    ProblemKind{"invalid_query", 400, false, "Invalid query parameter",
                "A query parameter is unknown, named twice, or out of its range; `errors` names it."},
    ProblemKind{"invalid_header", 400, false, "Invalid header",
                "A header that this call uses is malformed or stands there twice."},
    ProblemKind{"invalid_json", 400, false, "Not a JSON object",
                "The body is not one JSON object in UTF-8: broken syntax or encoding, a member named "
                "twice, text after its end, or too deeply nested."},
    ProblemKind{
        "invalid_cursor", 400, false, "Invalid cursor",
        "The cursor was not made by this list of this store with these filters. Start again without one."},
    ProblemKind{"idempotency_key_missing", 400, false, "Idempotency-Key is missing",
                "This call needs an Idempotency-Key, so that it can be repeated safely."},
    ProblemKind{"idempotency_key_invalid", 400, false, "Invalid Idempotency-Key",
                "An Idempotency-Key is 1 to 255 visible ASCII characters, bare or in double quotes."},
    ProblemKind{"unauthorized", 401, false, "No valid API key",
                "Send `Authorization: Bearer <key>` with a key that this server knows."},
    ProblemKind{"insufficient_funds", 402, false, "Not enough money",
                "The wallet has `available`, which is less than this needs. Held money is not available: it "
                "is bound in leads and listing deposits."},
    ProblemKind{"forbidden", 403, false, "The API key may not do this",
                "The key's role is too small for this call; roles are reader < service < operator."},
    ProblemKind{"player_blocked", 403, false, "The player may not trade",
                "An operator has blocked this player: no new listings, bids, buyouts or withdrawals. What "
                "leads stays."},
    ProblemKind{"not_item_owner", 403, false, "Somebody else's item",
                "Only the owner of an item can list it or withdraw it."},
    ProblemKind{"own_listing", 403, false, "The seller's own listing",
                "A seller can neither bid on his own listing nor buy it."},
    ProblemKind{"not_seller", 403, false, "Somebody else's listing", "Only the seller can cancel a listing."},
    ProblemKind{"not_found", 404, false, "No such resource", "Nothing is served at this path."},
    ProblemKind{"promotion_not_found", 404, false, "No such promotion",
                "There is no promotion with this id."},
    ProblemKind{"entry_not_found", 404, false, "No such entry", "This user has no place in this promotion."},
    ProblemKind{"winner_not_found", 404, false, "No such winner",
                "No winner was determined at this place: nobody has it yet, or it does not win."},
    ProblemKind{"listing_not_found", 404, false, "No such listing", "There is no listing with this id."},
    ProblemKind{"item_not_found", 404, false, "No such item", "There is no item with this id."},
    ProblemKind{"method_not_allowed", 405, false, "Method not allowed",
                "The path exists, with the methods that `Allow` lists."},
    ProblemKind{"request_timeout", 408, true, "The request came too slowly",
                "The request was not complete in time. Nothing was done."},
    ProblemKind{"promotion_frozen", 409, false, "The promotion is frozen",
                "From its start or first entry on, only the title and a later end can change."},
    ProblemKind{"promotion_closed", 409, false, "The promotion is over",
                "It was closed, or its end has come. Who entered before keeps his place."},
    ProblemKind{"sold_out", 409, false, "Every place is given out",
                "The rule's count or max_entries is reached. It never goes back."},
    ProblemKind{"promotion_not_started", 409, true, "The promotion has not started",
                "No number was consumed. Try again at `starts_at`; `Retry-After` spreads the rush."},
    ProblemKind{"promotion_paused", 409, true, "The promotion is paused",
                "An operator paused it. No number was consumed; try again later."},
    ProblemKind{"not_ended", 409, true, "The end has not come",
                "What was asked is only done once the end has come, which `ends_at` says."},
    ProblemKind{"market_paused", 409, true, "The market is paused",
                "An operator has paused all trade. Nothing was done; try again later."},
    ProblemKind{"listing_set_aside", 409, true, "The listing waits for an operator",
                "Its item or the money held for it are not where they must be. Nothing moved, and nothing "
                "will until an operator has looked at it."},
    ProblemKind{"listing_closed", 409, false, "The listing is over",
                "It was sold, cancelled, voided or expired, or its end has come."},
    ProblemKind{"has_bids", 409, false, "Somebody leads", "A listing with a live bid cannot be cancelled."},
    ProblemKind{"no_buyout", 409, false, "There is no buyout price", "The seller set none: bid instead."},
    ProblemKind{"price_changed", 409, false, "Another price than expected",
                "The buyout price is `buyout_price`, not the expected_price of the request."},
    ProblemKind{"buyout_quiet", 409, true, "It is too soon for a buyout",
                "An operator keeps new listings from being bought out for a while, until `quiet_until`. Bids "
                "are taken."},
    ProblemKind{"use_buyout", 409, false, "The bid reaches the buyout price",
                "A bid stays below the buyout price: buy the listing instead."},
    ProblemKind{"bid_too_low", 409, false, "The bid is too low",
                "The least bid now is `min_next_bid`; the lead stands at `current_bid`."},
    ProblemKind{"listing_exists", 409, false, "The listing exists already",
                "Ids are never used again: another listing was made under this one."},
    ProblemKind{"item_exists", 409, false, "The item exists already",
                "Ids are never used again: another item was made under this one."},
    ProblemKind{"item_in_escrow", 409, false, "The item is in a listing",
                "While it is listed, an item can be neither listed again nor withdrawn."},
    ProblemKind{"item_outside", 409, false, "The item has left for the game",
                "What was withdrawn never comes back under the same id."},
    ProblemKind{"external_id_used", 409, false, "The external_id was used for another movement",
                "An external_id moves the same money once, and never other money."},
    ProblemKind{"balance_limit", 409, false, "The wallet would hold too much",
                "A wallet holds at most 2^53 - 1, available and held together."},
    ProblemKind{
        "limit_reached", 409, false, "A limit is reached",
        "An operator limits how many a player may have at once: of what `limit_name` says, `limit`, and "
        "`used` are taken. A lead gives its place back when it is outbid or settled, a listing when it "
        "is over; then ask again under another Idempotency-Key."},
    ProblemKind{"cursor_expired", 410, false, "The cursor has expired",
                "Events older than the retention are gone, or the store was restored from a backup older "
                "than the cursor. Go on from `oldest_cursor`, and reconcile through the lists."},
    ProblemKind{"precondition_failed", 412, false, "It has changed since",
                "If-Match names other versions than the present one, which `current` shows; or "
                "If-None-Match: * and it exists."},
    ProblemKind{"payload_too_large", 413, false, "The body is too large",
                "A body is at most 64 KiB, of a promotion's settings 256 KiB, of a batch 1 MiB."},
    ProblemKind{"target_too_long", 414, false, "The target is too long",
                "The request line is larger than a header may be, 8 KiB."},
    ProblemKind{
        "unsupported_media_type", 415, false, "Not application/json",
        "Bodies are JSON in UTF-8 and not encoded: send `Content-Type: application/json` or none, and "
        "no Content-Encoding."},
    ProblemKind{"expectation_failed", 417, false, "Unknown expectation",
                "`100-continue` is the one expectation that this server meets."},
    ProblemKind{"validation_failed", 422, false, "Invalid members",
                "The body is a JSON object whose members are not right; `errors` lists all of them."},
    ProblemKind{"target_unreachable", 422, false, "A winning place can never be reached",
                "max_entries ends the promotion before its last winning place."},
    ProblemKind{"idempotency_key_reused", 422, false, "The Idempotency-Key was used for another request",
                "The same key came before with another method, path or body. Nothing was done."},
    ProblemKind{"precondition_required", 428, false, "If-Match is missing",
                "This change needs If-Match with the version that you saw."},
    ProblemKind{"too_many_undecided", 429, true, "Too many bids wait for a decision",
                "One bidder may have only so many undecided bids on one listing, so that nobody can stuff "
                "the queue. Definitely nothing was done; wait for the answers, or for `Retry-After`."},
    ProblemKind{"buyout_rate", 429, true, "Too many buyouts within a minute",
                "An operator limits how many buyouts a player makes within one minute of the store's clock: "
                "`limit`. Nothing was done; try again at `resets_at`."},
    ProblemKind{"header_too_large", 431, false, "The header is too large",
                "Request line and header fields are at most 8 KiB together (a setting of the server)."},
    ProblemKind{"internal_error", 500, false, "Our mistake",
                "The server has a bug that this request met. Nothing was done. Tell its operators the "
                "request_id."},
    ProblemKind{
        "busy", 503, true, "Busy",
        "A queue is full, as many wait for one row as a policy lets wait, a lock was not had in time, "
        "or the server is about to stop. Definitely nothing was done; try again after `Retry-After`."},
    ProblemKind{"unavailable", 503, true, "The store cannot be reached",
                "Definitely nothing was done; try again after `Retry-After`."},
    ProblemKind{"outcome_unknown", 503, true, "It may have been done",
                "The database did not say in time whether it committed. Repeat the same request (same "
                "user, or same Idempotency-Key): the answer tells what really happened, and nothing "
                "happens twice."},
    ProblemKind{"http_version_not_supported", 505, false, "HTTP version not supported",
                "This server speaks HTTP/1.1 and HTTP/1.0."},
};

void write_figure(JsonWriter& json, const Figure& figure) {
  if (const auto* number = std::get_if<std::int64_t>(&figure)) {
    json.integer(*number);
  } else if (const auto* at = std::get_if<Timestamp>(&figure)) {
    json.time(*at);
  } else {
    json.text(std::get<std::string>(figure));
  }
}

void write_present(JsonWriter& json, const PresentState& present) {
  if (const auto* promotion = std::get_if<PromotionAnswer>(&present.state)) {
    write_promotion(json, promotion_view(*promotion));
  } else if (const auto* listing = std::get_if<ListingAnswer>(&present.state)) {
    write_listing(json, listing_view(*listing));
  } else if (const auto* policy = std::get_if<PolicyAnswer>(&present.state)) {
    write_policy(json, *policy);
  } else {
    write_wallet(json, std::get<WalletRow>(present.state));
  }
}

void write_errors(JsonWriter& json, const std::vector<FieldError>& errors) {
  json.key("errors").begin_array();
  for (const FieldError& error : errors) {
    json.begin_object().key("field").text(error.field).key("message").text(error.message).end_object();
  }
  json.end_array();
}

}  // namespace

std::span<const ProblemKind> problem_kinds() { return kinds; }

const ProblemKind* find_problem_kind(std::string_view code) {
  const auto found = std::ranges::find(kinds, code, &ProblemKind::code);
  return found != kinds.end() ? &*found : nullptr;
}

std::string with_hyphens(std::string_view code) {
  std::string text(code);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::int64_t version_of(const PresentState& state) {
  if (const auto* promotion = std::get_if<PromotionAnswer>(&state.state)) return promotion->promotion.version;
  if (const auto* listing = std::get_if<ListingAnswer>(&state.state)) return listing->listing.version;
  if (const auto* policy = std::get_if<PolicyAnswer>(&state.state)) return policy->policy.version;
  return std::get<WalletRow>(state.state).version;
}

Problem to_problem(const Rejection& rejection) {
  return {.code = traits(rejection.code).code,
          .detail = rejection.detail,
          .figures = rejection.figures,
          .errors = rejection.errors,
          .current = rejection.current,
          .request_id = rejection.request_id};
}

void write_problem(JsonWriter& json, const Problem& problem, std::string_view request_id) {
  const ProblemKind* kind = find_problem_kind(problem.code);
  HOTROW_ASSERT(kind != nullptr);
  json.begin_object();
  json.key("type").text("/problems/" + with_hyphens(kind->code));
  json.key("title").text(kind->title);
  json.key("status").integer(kind->status);
  json.key("detail").text(problem.detail);
  json.key("request_id").text(problem.request_id.empty() ? request_id : problem.request_id);
  json.key("code").text(kind->code);
  json.key("retryable").flag(kind->retryable);
  for (const auto& [name, figure] : problem.figures) write_figure(json.key(name), figure);
  if (!problem.errors.empty()) write_errors(json, problem.errors);
  if (problem.current) write_present(json.key("current"), *problem.current);
  json.end_object();
}

}  // namespace hotrow::http
