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
  market_paused,
  player_blocked,
  promotion_not_found,
  listing_not_found,
  item_not_found,
  precondition_failed,
  precondition_required,
  validation_failed,
  target_unreachable,
  promotion_frozen,
  promotion_closed,
  sold_out,
  promotion_not_started,
  promotion_paused,
  not_seller,
  listing_closed,
  listing_set_aside,
  not_ended,
  has_bids,
  own_listing,
  no_buyout,
  price_changed,
  buyout_quiet,
  buyout_rate,
  use_buyout,
  bid_too_low,
  listing_exists,
  item_exists,
  not_item_owner,
  item_in_escrow,
  item_outside,
  external_id_used,
  balance_limit,
  limit_reached,
  insufficient_funds,
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

struct PresentState;

/// A refusal. It changed nothing: no number is consumed, no money moves.
struct Rejection {
  RejectionCode code;
  std::string detail;
  std::vector<std::pair<std::string, Figure>> figures = {};
  std::vector<FieldError> errors = {};                    ///< Of validation_failed.
  std::shared_ptr<const PresentState> current = nullptr;  ///< Of precondition_failed.
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

/// The wallet after money moved.
struct MoneyAnswer {
  LedgerReason kind = LedgerReason::deposit;
  WalletRow wallet;
  std::optional<WalletRow> to;  ///< Of a transfer: the other wallet.
  std::int64_t n = 0;           ///< Of the wallet's ledger line that tells of it.
  bool already = false;         ///< Moved by an earlier command with this external id.
};

struct ItemAnswer {
  ItemRow item;
  bool created = false;  ///< The item, or its withdrawal, by this very command.
};

struct ListingAnswer {
  ListingRow listing;
  /// In force. Empty where nothing is, and where nobody looked (the family of an item that was there
  /// before its listing): callers are then shown nothing.
  Pressure pressure;
  std::chrono::microseconds extension{0};  ///< Of the market, see MarketRow.
  Timestamp server_time;
  bool created = false;
};

struct BidAnswer {
  ListingRow listing;
  WalletRow wallet;  ///< The bidder's.
  Lead bid;
  Pressure pressure;
  std::chrono::microseconds extension{0};
  Timestamp server_time;
};

struct BuyoutAnswer {
  ListingRow listing;
  WalletRow wallet;  ///< The buyer's.
  Pressure pressure;
  std::chrono::microseconds extension{0};
  Timestamp server_time;
};

/// The listing's item is not in its escrow: no money moved, and nobody can go on with the listing until an
/// operator has looked at it.
struct SetAsideAnswer {
  std::string listing;
  std::string reason;
};

struct PlayerAnswer {
  PlayerRow player;
  Timestamp server_time;
};

struct MarketAnswer {
  MarketRow market;
  Timestamp server_time;
};

struct PolicyAnswer {
  PolicyRow policy;
  Timestamp server_time;
};

/// What precondition_failed shows.
struct PresentState {
  std::variant<PromotionAnswer, ListingAnswer, WalletRow, PolicyAnswer> state;
};

using Outcome =
    std::variant<EntryAnswer, EntriesAnswer, PromotionAnswer, MoneyAnswer, ItemAnswer, ListingAnswer,
                 BidAnswer, BuyoutAnswer, SetAsideAnswer, PlayerAnswer, MarketAnswer, PolicyAnswer>;

/// What a command is told: the rule's yes or its no.
using Answer = std::variant<Outcome, Rejection>;

/// "accepted", "already" or the rejection's code: for metrics and logs.
std::string_view answer_result(const Answer& answer);

/// Versioned compact JSON, the form in which answers are stored.
std::string encode_answer(const Answer& answer);

/// nullopt for a text that encode_answer() of this or an earlier version did not write.
std::optional<Answer> decode_answer(std::string_view text);

}  // namespace hotrow
