#include "tests/support/commands.hpp"

#include <memory>

namespace hotrow::test {

Command command_of(CommandBody body) {
  Command command{.envelope = {}, .body = std::move(body)};
  command.envelope.actor = "tests";
  command.envelope.request_id = "request";
  command.envelope.server = "server";
  return command;
}

PromotionSettings nth_settings(std::vector<std::int64_t> targets) {
  return {.title = "Exactly the Nth", .rule = NthRule{std::move(targets)}, .starts_at = opening};
}

Command put_promotion(std::string promotion, PromotionSettings settings) {
  auto shared = std::make_shared<const PromotionSettings>(std::move(settings));
  return command_of(PutPromotion{.promotion = std::move(promotion), .settings = std::move(shared)});
}

Command change_promotion(std::string promotion, PromotionAction action) {
  return command_of(ChangePromotion{.promotion = std::move(promotion), .action = action, .reason = "a test"});
}

Command enter(std::string promotion, std::string user) {
  return command_of(EnterPromotion{.promotion = std::move(promotion), .user = std::move(user)});
}

Command enter_batch(std::string promotion, std::vector<std::string> users) {
  return command_of(EnterPromotionBatch{.promotion = std::move(promotion), .users = std::move(users)});
}

Command with_key(Command command, std::string key, std::string payload) {
  command.envelope.idempotency_key = std::move(key);
  command.envelope.principal = "principal";
  command.envelope.fingerprint = sha256(payload);
  return command;
}

std::string text_of(const Answer& answer) { return encode_answer(answer); }

const EntryAnswer& entry_of(const Answer& answer) { return std::get<EntryAnswer>(std::get<Outcome>(answer)); }

RejectionCode code_of(const Answer& answer) { return std::get<Rejection>(answer).code; }

}  // namespace hotrow::test
