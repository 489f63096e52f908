#include "hotrow/core/decide.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction.hpp"
#include "hotrow/core/market.hpp"
#include "hotrow/core/market_codec.hpp"
#include "hotrow/core/policy.hpp"
#include "hotrow/core/promotion.hpp"
#include "hotrow/core/wallet.hpp"

namespace hotrow {
namespace {

void needs(const PutPromotion& put, const RowSet&, Keys& out) { out.push_back(promotion_key(put.promotion)); }

void needs(const ChangePromotion& change, const RowSet&, Keys& out) {
  out.push_back(promotion_key(change.promotion));
}

void needs(const EnterPromotion& enter, const RowSet&, Keys& out) {
  out.push_back(promotion_key(enter.promotion));
  out.push_back(entry_key(enter.promotion, enter.user));
}

void needs(const EnterPromotionBatch& batch, const RowSet&, Keys& out) {
  out.push_back(promotion_key(batch.promotion));
  for (const std::string& user : batch.users) out.push_back(entry_key(batch.promotion, user));
}

void needs(const MoveMoney& move, const RowSet& rows, Keys& out) { wallet_needs(move, rows, out); }
void needs(const CreateItem& create, const RowSet& rows, Keys& out) { wallet_needs(create, rows, out); }
void needs(const WithdrawItem& withdraw, const RowSet& rows, Keys& out) { wallet_needs(withdraw, rows, out); }
void needs(const CreateListing& create, const RowSet& rows, Keys& out) { listing_needs(create, rows, out); }
void needs(const PlaceBid& bid, const RowSet& rows, Keys& out) { listing_needs(bid, rows, out); }
void needs(const BuyOut& buyout, const RowSet& rows, Keys& out) { listing_needs(buyout, rows, out); }
void needs(const ChangeListing& change, const RowSet& rows, Keys& out) { listing_needs(change, rows, out); }

void needs(const RestrictPlayer& restrict, const RowSet&, Keys& out) {
  out.push_back(player_key(restrict.player));
}

void needs(const ChangeMarket&, const RowSet&, Keys& out) { out.push_back(market_key()); }
void needs(const SetPolicy& set, const RowSet&, Keys& out) { policy_needs(set, out); }

Ruling judge(const PutPromotion& put, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_put(put, envelope, rows, now);
}

Ruling judge(const ChangePromotion& change, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_change(change, envelope, rows, now);
}

Ruling judge(const EnterPromotion& enter, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_enter(enter, envelope, rows, now);
}

Ruling judge(const EnterPromotionBatch& batch, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_enter_batch(batch, envelope, rows, now);
}

Ruling judge(const MoveMoney& move, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_move_money(move, envelope, rows, now);
}

Ruling judge(const CreateItem& create, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_create_item(create, envelope, rows, now);
}

Ruling judge(const WithdrawItem& withdraw, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_withdraw_item(withdraw, envelope, rows, now);
}

Ruling judge(const CreateListing& create, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_create_listing(create, envelope, rows, now);
}

Ruling judge(const PlaceBid& bid, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_bid(bid, envelope, rows, now);
}

Ruling judge(const BuyOut& buyout, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_buyout(buyout, envelope, rows, now);
}

Ruling judge(const ChangeListing& change, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_change_listing(change, envelope, rows, now);
}

Ruling judge(const RestrictPlayer& restrict, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_restrict_player(restrict, envelope, rows, now);
}

Ruling judge(const ChangeMarket& change, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_change_market(change, envelope, rows, now);
}

Ruling judge(const SetPolicy& set, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  return decide_set_policy(set, envelope, rows, now);
}

/// Answers are stored without a listing's terms, which never change. False when the listing is not there.
bool attach_terms(Answer& answer, const RowSet& rows) {
  auto* outcome = std::get_if<Outcome>(&answer);
  ListingRow* listing = outcome != nullptr ? listing_in(*outcome) : nullptr;
  if (listing == nullptr) return true;
  const auto* row = rows.find<ListingRow>(listing_key(listing->id));
  if (row == nullptr) return false;
  listing->terms = row->terms;
  return true;
}

/// `key` is that of the stored answer.
Decision replay(const Key& key, const AnswerRow& stored, const Envelope& envelope, const RowSet& rows) {
  if (stored.fingerprint != envelope.fingerprint) {
    return {.answer = Rejection{.code = RejectionCode::idempotency_key_reused,
                                .detail = "This idempotency key was used for another request."}};
  }
  std::optional<Answer> answer = decode_answer(stored.answer);
  HOTROW_ASSERT(answer.has_value());
  if (!attach_terms(*answer, rows)) {
    // Another server made the listing after this attempt had looked for it (an absent row cannot be locked)
    // and before it read the answer. To write the answer once more is a conflict: the attempt runs again.
    return {.answer = std::move(*answer), .changes = {{.key = key, .row = stored}}};
  }
  return {.answer = std::move(*answer), .replayed = true};
}

/// Refusals tell the request's id; a stored one goes on telling the first.
void sign_refusals(Answer& answer, const std::string& request_id) {
  if (auto* rejection = std::get_if<Rejection>(&answer)) {
    rejection->request_id = request_id;
    return;
  }
  auto* entries = std::get_if<EntriesAnswer>(&std::get<Outcome>(answer));
  if (entries == nullptr) return;
  for (auto& result : entries->results) {
    if (auto* refusal = std::get_if<EntryRefusal>(&result)) refusal->rejection.request_id = request_id;
  }
}

RowWrite stored_answer(Key key, const Envelope& envelope, const Answer& answer, Timestamp now) {
  HOTROW_ASSERT(key.kind == KeyKind::answer && is_stored(answer));
  AnswerRow row{.owner = envelope.actor,
                .principal = envelope.principal,
                .key = envelope.idempotency_key,
                .fingerprint = envelope.fingerprint,
                .answer = encode_answer(answer),
                .decided_at = now};
  return {.key = std::move(key), .row = std::move(row)};
}

}  // namespace

// A batch with a member that may succeed later must not be kept from that by a stored answer.
bool is_stored(const Answer& answer) {
  if (const auto* rejection = std::get_if<Rejection>(&answer)) return traits(rejection->code).stored;
  const Outcome& outcome = std::get<Outcome>(answer);
  if (std::holds_alternative<SetAsideAnswer>(outcome)) return false;
  const auto* entries = std::get_if<EntriesAnswer>(&outcome);
  if (entries == nullptr) return true;
  for (const auto& result : entries->results) {
    const auto* refusal = std::get_if<EntryRefusal>(&result);
    if (refusal != nullptr && traits(refusal->rejection.code).retryable) return false;
  }
  return true;
}

void keys_needed(const Command& command, const RowSet& rows, Keys& out) {
  std::visit([&](const auto& body) { needs(body, rows, out); }, command.body);
  if (std::optional<Key> key = answer_key(command.envelope)) out.push_back(std::move(*key));
}

Decision decide(const Command& command, const RowSet& rows, Timestamp now) {
  std::optional<Key> key = answer_key(command.envelope);
  if (key) {
    if (const auto* stored = rows.find<AnswerRow>(*key)) return replay(*key, *stored, command.envelope, rows);
  }

  Ruling ruling =
      std::visit([&](const auto& body) { return judge(body, command.envelope, rows, now); }, command.body);

  Decision decision;
  if (auto* acceptance = std::get_if<Acceptance>(&ruling)) {
    decision = {.answer = std::move(acceptance->outcome), .changes = std::move(acceptance->changes)};
  } else {
    decision = {.answer = std::move(std::get<Rejection>(ruling))};
  }
  if (key && is_stored(decision.answer)) {
    sign_refusals(decision.answer, command.envelope.request_id);
    decision.changes.push_back(stored_answer(std::move(*key), command.envelope, decision.answer, now));
  }
  return decision;
}

bool is_worth_remembering(const Row& hot_row) {
  const auto* listing = std::get_if<ListingRow>(&hot_row);
  if (listing != nullptr) return listing->status == ListingStatus::active;
  return std::holds_alternative<PromotionRow>(hot_row);
}

std::chrono::milliseconds gather_time(const Command& command, const Row& hot_row, Timestamp now,
                                      std::chrono::milliseconds window) {
  constexpr std::chrono::milliseconds rest{50};  // For what is gathered last to be decided in time.
  const auto* listing = std::get_if<ListingRow>(&hot_row);
  if (listing == nullptr || !std::holds_alternative<PlaceBid>(command.body)) return {};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(listing->ends_at - now);
  return std::clamp(left - window - rest, std::chrono::milliseconds(0), window);
}

std::optional<Answer> early_answer(const Command& command, const Row& hot_row, Timestamp now,
                                   std::chrono::microseconds margin) {
  const auto* enter = std::get_if<EnterPromotion>(&command.body);
  const auto* promotion = std::get_if<PromotionRow>(&hot_row);
  if (enter == nullptr || promotion == nullptr || !command.envelope.idempotency_key.empty()) {
    return std::nullopt;
  }
  // Before the start nobody has a place, so nothing needs looking up.
  const bool early =
      promotion->entries == 0 && state_at(*promotion, now + margin) == PromotionState::scheduled;
  if (!early) return std::nullopt;
  HOTROW_ASSERT(promotion->id == enter->promotion);
  RowSet rows;
  rows.put(promotion_key(enter->promotion), hot_row);
  rows.put(entry_key(enter->promotion, enter->user), std::nullopt);
  return decide(command, rows, now).answer;
}

}  // namespace hotrow
