#pragma once

#include <optional>

#include "hotrow/core/decide.hpp"

namespace hotrow {

/// The rules of promotions: exactly the Nth entry wins.
///
/// An entry's place is its place in commit order. The promotion's row is locked while a batch is decided, the
/// counter goes up by one for each new person and for nothing else, and the entry, the counter, the winner
/// and the winner's event are written in one transaction: a refusal, a repeat, a rollback or a crash consumes
/// no number.
///
/// Pure functions, safe from all threads.

enum class PromotionState : std::uint8_t { scheduled, open, paused, closing, closed };

/// The state that a person sees at `now`. `closing` is over for entrants and not yet closed by the worker.
PromotionState state_at(const PromotionRow& promotion, Timestamp now);

/// No place is left: the rule's count or max_entries is reached. Never goes back.
bool is_sold_out(const PromotionRow& promotion);

/// Winning places that nobody reached, ascending, at most `targets_unreached_max` of them.
inline constexpr std::size_t targets_unreached_max = 1000;
std::vector<std::int64_t> targets_unreached(const PromotionRow& promotion);
/// All of them.
std::int64_t targets_unreached_total(const PromotionRow& promotion);

/// The event's id, known before the event exists: consumers pay once by it.
std::string winner_event_id(const std::string& promotion, std::int64_t ordinal);
std::string closed_event_id(const std::string& promotion);

/// Why these settings can never work, whatever happens; nullopt when they can.
std::optional<Rejection> unreachable_target(const PromotionSettings& settings);

Rejection promotion_not_found(const std::string& promotion);

Ruling decide_put(const PutPromotion& put, const Envelope& envelope, const RowSet& rows, Timestamp now);
Ruling decide_change(const ChangePromotion& change, const Envelope& envelope, const RowSet& rows,
                     Timestamp now);
Ruling decide_enter(const EnterPromotion& enter, const Envelope& envelope, const RowSet& rows, Timestamp now);
Ruling decide_enter_batch(const EnterPromotionBatch& batch, const Envelope& envelope, const RowSet& rows,
                          Timestamp now);

}  // namespace hotrow
