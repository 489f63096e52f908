#include "hotrow/core/outcome.hpp"

#include <array>
#include <optional>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

struct Listed {
  RejectionCode code;
  RejectionTraits traits;
};

/// Not stored under an idempotency key, by api.md: 404 of the path's own target, 412, 428, validation, and
/// everything retryable.
constexpr std::array listed = {
    Listed{RejectionCode::idempotency_key_reused, {"idempotency_key_reused", false, false}},
    Listed{RejectionCode::market_paused, {"market_paused", true, false}},
    Listed{RejectionCode::player_blocked, {"player_blocked", false, true}},
    Listed{RejectionCode::promotion_not_found, {"promotion_not_found", false, false}},
    Listed{RejectionCode::listing_not_found, {"listing_not_found", false, false}},
    Listed{RejectionCode::item_not_found, {"item_not_found", false, false}},
    Listed{RejectionCode::precondition_failed, {"precondition_failed", false, false}},
    Listed{RejectionCode::precondition_required, {"precondition_required", false, false}},
    Listed{RejectionCode::validation_failed, {"validation_failed", false, false}},
    Listed{RejectionCode::target_unreachable, {"target_unreachable", false, false}},
    Listed{RejectionCode::promotion_frozen, {"promotion_frozen", false, true}},
    Listed{RejectionCode::promotion_closed, {"promotion_closed", false, true}},
    Listed{RejectionCode::sold_out, {"sold_out", false, true}},
    Listed{RejectionCode::promotion_not_started, {"promotion_not_started", true, false}},
    Listed{RejectionCode::promotion_paused, {"promotion_paused", true, false}},
    Listed{RejectionCode::not_seller, {"not_seller", false, true}},
    Listed{RejectionCode::listing_closed, {"listing_closed", false, true}},
    Listed{RejectionCode::listing_set_aside, {"listing_set_aside", true, false}},
    Listed{RejectionCode::not_ended, {"not_ended", true, false}},
    Listed{RejectionCode::has_bids, {"has_bids", false, true}},
    Listed{RejectionCode::own_listing, {"own_listing", false, true}},
    Listed{RejectionCode::no_buyout, {"no_buyout", false, true}},
    Listed{RejectionCode::price_changed, {"price_changed", false, true}},
    Listed{RejectionCode::buyout_quiet, {"buyout_quiet", true, false}},
    Listed{RejectionCode::buyout_rate, {"buyout_rate", true, false}},
    Listed{RejectionCode::use_buyout, {"use_buyout", false, true}},
    Listed{RejectionCode::bid_too_low, {"bid_too_low", false, true}},
    Listed{RejectionCode::listing_exists, {"listing_exists", false, true}},
    Listed{RejectionCode::item_exists, {"item_exists", false, true}},
    Listed{RejectionCode::not_item_owner, {"not_item_owner", false, true}},
    Listed{RejectionCode::item_in_escrow, {"item_in_escrow", false, true}},
    Listed{RejectionCode::item_outside, {"item_outside", false, true}},
    Listed{RejectionCode::external_id_used, {"external_id_used", false, true}},
    Listed{RejectionCode::balance_limit, {"balance_limit", false, true}},
    Listed{RejectionCode::limit_reached, {"limit_reached", false, true}},
    Listed{RejectionCode::insufficient_funds, {"insufficient_funds", false, true}},
};

}  // namespace

const RejectionTraits& traits(RejectionCode code) {
  const Listed& found = listed[std::size_t(code)];
  HOTROW_ASSERT(found.code == code);
  return found.traits;
}

std::optional<RejectionCode> rejection_code(std::string_view name) {
  for (const Listed& entry : listed) {
    if (entry.traits.code == name) return entry.code;
  }
  return std::nullopt;
}

std::string_view answer_result(const Answer& answer) {
  if (const auto* rejection = std::get_if<Rejection>(&answer)) return traits(rejection->code).code;
  const Outcome& outcome = std::get<Outcome>(answer);
  if (std::holds_alternative<SetAsideAnswer>(outcome)) return traits(RejectionCode::listing_set_aside).code;
  const auto* entry = std::get_if<EntryAnswer>(&outcome);
  const auto* money = std::get_if<MoneyAnswer>(&outcome);
  const bool already = (entry != nullptr && entry->already) || (money != nullptr && money->already);
  return already ? "already" : "accepted";
}

const std::vector<RejectionCode>& all_rejection_codes() {
  static const std::vector<RejectionCode> codes = [] {
    std::vector<RejectionCode> all;
    for (const Listed& entry : listed) all.push_back(entry.code);
    return all;
  }();
  return codes;
}

}  // namespace hotrow
