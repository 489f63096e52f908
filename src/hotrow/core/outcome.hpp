#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hotrow/base/time.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow {

/// Every business "no", in order of precedence: when two apply, the earlier one is told.
enum class RejectionCode : std::uint8_t {
  idempotency_key_reused,
  promotion_not_found,
  precondition_failed,
  precondition_required,
  validation_failed,
  target_unreachable,
  promotion_frozen,
  promotion_closed,
  sold_out,
  promotion_not_started,
  promotion_paused,
  not_ended,
};

struct RejectionTraits {
  std::string_view code;  ///< As in api.md: "promotion_not_started".
  bool retryable;         ///< The same request may succeed later, unchanged.
  bool stored;            ///< Kept as the answer under the idempotency key.
};

const RejectionTraits& traits(RejectionCode code);

/// The reverse of traits(code).code; nullopt for an unknown name.
std::optional<RejectionCode> rejection_code(std::string_view name);

/// All codes in order, for documents and tests.
const std::vector<RejectionCode>& all_rejection_codes();

struct FieldError {
  std::string field;
  std::string message;
};

/// A figure that the caller needs to act on a refusal.
using Figure = std::variant<std::int64_t, Timestamp, std::string>;

struct PromotionAnswer;

/// A refusal. It changed nothing: no number is consumed, no money moves.
struct Rejection {
  RejectionCode code;
  std::string detail;
  std::vector<std::pair<std::string, Figure>> figures = {};
  std::vector<FieldError> errors = {};                       ///< Of validation_failed.
  std::shared_ptr<const PromotionAnswer> current = nullptr;  ///< Of precondition_failed.
  /// Of the request that is told it first, when the refusal is stored: repeats are told the very same.
  std::string request_id = {};
};

struct EntryAnswer {
  std::string promotion;
  std::string user;
  std::int64_t ordinal = 0;
  bool winner = false;
  bool already = false;  ///< The place was given out by an earlier request.
  Timestamp entered_at;
  Timestamp server_time;
};

struct EntryRefusal {
  std::string user;
  Rejection rejection;
};

struct EntriesAnswer {
  std::string promotion;
  std::vector<std::variant<EntryAnswer, EntryRefusal>> results;  ///< In the order asked.
  Timestamp server_time;
};

struct PromotionAnswer {
  bool created = false;
  PromotionRow promotion;
  Timestamp server_time;
};

using Outcome = std::variant<EntryAnswer, EntriesAnswer, PromotionAnswer>;

/// What a command is told: the rule's yes or its no.
using Answer = std::variant<Outcome, Rejection>;

/// "accepted", "already" or the rejection's code: for metrics and logs.
std::string_view answer_result(const Answer& answer);

/// Versioned compact JSON, the form in which answers are stored.
std::string encode_answer(const Answer& answer);

/// nullopt for a text that encode_answer() of this or an earlier version did not write.
std::optional<Answer> decode_answer(std::string_view text);

}  // namespace hotrow
