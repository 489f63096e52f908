#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "hotrow/base/hash.hpp"
#include "hotrow/base/pattern.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/listing_row.hpp"
#include "hotrow/core/policy_row.hpp"
#include "hotrow/core/rule.hpp"
#include "hotrow/core/wallet_row.hpp"

namespace hotrow {

/// What the winner gets, as the operator described it. hotrow carries it and never pays it.
struct Prize {
  std::int64_t amount = 0;  ///< In minor units of the currency.
  std::string currency;
  std::string description;
  friend bool operator==(const Prize&, const Prize&) = default;
};

/// What an operator sets. From `starts_at` or the first entry on, only the title and a later end may change.
struct PromotionSettings {
  std::string title;
  Rule rule;
  Timestamp starts_at;
  std::optional<Timestamp> ends_at;  ///< Half-open: an entry at exactly ends_at is too late.
  std::optional<std::int64_t> max_entries;
  bool close_on_last_winner = false;
  std::optional<Prize> prize;
  std::optional<std::string> terms;
  std::optional<Pattern> user_id_pattern;
  friend bool operator==(const PromotionSettings&, const PromotionSettings&) = default;
};

enum class PromotionPhase : std::uint8_t { active, paused, closed };

struct PromotionClosing {
  Timestamp at;
  std::string by;  ///< "operator:<key name>", "schedule" or "last_winner".
  std::string reason;
  friend bool operator==(const PromotionClosing&, const PromotionClosing&) = default;
};

/// The row everybody fights over. Settings are shared because a batch copies the row once per entry.
struct PromotionRow {
  std::string id;
  std::shared_ptr<const PromotionSettings> settings;
  PromotionPhase phase = PromotionPhase::active;
  std::int64_t entries = 0;  ///< Also the highest ordinal given out.
  std::int64_t winners = 0;  ///< Pinned so far.
  std::int64_t version = 0;  ///< Changes of settings and phase, not entries.
  std::int64_t events = 0;   ///< Sequence of the subject's latest event.
  Timestamp created_at;
  Timestamp decided_at;  ///< The latest time a change was decided at: the promotion's clock never goes back.
  std::optional<PromotionClosing> closing;
  /// Of the promotion's policy: entries see it in the row that they lock and look nothing up for it.
  std::optional<std::int64_t> queue_max;
};

/// One person's place. Immutable.
struct EntryRow {
  std::string promotion;
  std::string user;
  std::int64_t ordinal = 0;
  Timestamp entered_at;
  std::string request_id;
  std::string actor;  ///< Name of the API key.
};

/// A pinned winner, written in the transaction that gave out the place. Immutable.
struct WinnerRow {
  std::string promotion;
  std::int64_t ordinal = 0;
  std::string user;
  Timestamp entered_at;
  std::string rule;      ///< encode_rule() of the frozen rule: the database checks the place against it.
  std::string event_id;  ///< Of the promotion.winner_determined event in the same transaction.
  std::string server;    ///< Name of the server that took the request.
};

/// A committed fact: outbox row, timeline and feed at once. Dense by `sequence` within its subject.
struct EventRow {
  std::string subject_kind;  ///< "promotion", "listing", "item", "player", "market", "policy".
  std::string subject;
  std::int64_t sequence = 0;
  std::string type;
  std::string id;    ///< Unique within the database; consumers dedupe by it.
  std::string data;  ///< JSON object.
  Timestamp occurred_at;
  std::string traceparent;
  std::int64_t position = 0;  ///< Place in the feed; the store assigns it, 0 before.
};

/// The first answer under an idempotency key, told again to every repeat.
struct AnswerRow {
  std::string owner;      ///< Name of the API key.
  std::string principal;  ///< Who acts: one player cannot burn another's key.
  std::string key;
  Sha256 fingerprint{};  ///< Of method, path and canonical body.
  std::string answer;    ///< encode_answer() of the outcome or the refusal.
  Timestamp decided_at;
};

using Row =
    std::variant<PromotionRow, ListingRow, ItemRow, WalletRow, EntryRow, WinnerRow, BidRow, LedgerLineRow,
                 HouseLineRow, ExternalIdRow, PlayerRow, MarketRow, PolicyRow, EventRow, AnswerRow>;

}  // namespace hotrow
