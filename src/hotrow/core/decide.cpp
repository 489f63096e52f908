#include "hotrow/core/decide.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/core/promotion.hpp"

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

Decision replay(const AnswerRow& stored, const Envelope& envelope) {
  if (stored.fingerprint != envelope.fingerprint) {
    return {.answer = Rejection{.code = RejectionCode::idempotency_key_reused,
                                .detail = "This idempotency key was used for another request."}};
  }
  std::optional<Answer> answer = decode_answer(stored.answer);
  HOTROW_ASSERT(answer.has_value());
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
  const auto* entries = std::get_if<EntriesAnswer>(&std::get<Outcome>(answer));
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
    if (const auto* stored = rows.find<AnswerRow>(*key)) return replay(*stored, command.envelope);
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
  RowSet rows;
  rows.put(promotion_key(enter->promotion), hot_row);
  rows.put(entry_key(enter->promotion, enter->user), std::nullopt);
  return decide(command, rows, now).answer;
}

}  // namespace hotrow
