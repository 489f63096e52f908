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
    Listed{RejectionCode::promotion_not_found, {"promotion_not_found", false, false}},
    Listed{RejectionCode::precondition_failed, {"precondition_failed", false, false}},
    Listed{RejectionCode::precondition_required, {"precondition_required", false, false}},
    Listed{RejectionCode::validation_failed, {"validation_failed", false, false}},
    Listed{RejectionCode::target_unreachable, {"target_unreachable", false, false}},
    Listed{RejectionCode::promotion_frozen, {"promotion_frozen", false, true}},
    Listed{RejectionCode::promotion_closed, {"promotion_closed", false, true}},
    Listed{RejectionCode::sold_out, {"sold_out", false, true}},
    Listed{RejectionCode::promotion_not_started, {"promotion_not_started", true, false}},
    Listed{RejectionCode::promotion_paused, {"promotion_paused", true, false}},
    Listed{RejectionCode::not_ended, {"not_ended", true, false}},
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
  const auto* entry = std::get_if<EntryAnswer>(&std::get<Outcome>(answer));
  return entry != nullptr && entry->already ? "already" : "accepted";
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
