#include "hotrow/core/command.hpp"

#include <algorithm>
#include <array>

#include "hotrow/base/assert.hpp"

namespace hotrow {

Keys hot_keys(const Command& command) {
  return std::visit([](const auto& body) { return Keys{promotion_key(body.promotion)}; }, command.body);
}

std::size_t weight(const Command& command) {
  if (const auto* batch = std::get_if<EnterPromotionBatch>(&command.body)) {
    return std::max<std::size_t>(1, batch->users.size());
  }
  return 1;
}

std::string_view command_kind(const Command& command) {
  static constexpr std::array<std::string_view, std::variant_size_v<CommandBody>> kinds = {
      "put_promotion", "change_promotion", "enter_promotion", "enter_promotion_batch"};
  return kinds[command.body.index()];
}

std::chrono::milliseconds lock_budget(const Command&) { return std::chrono::seconds(2); }

CommandBody due_command(const Key& subject) {
  HOTROW_ASSERT(subject.kind == KeyKind::promotion);
  return ChangePromotion{.promotion = subject.first,
                         .action = PromotionAction::close_when_ended,
                         .reason = "The promotion's end has come."};
}

std::optional<Key> answer_key(const Envelope& envelope) {
  if (envelope.idempotency_key.empty()) return std::nullopt;
  return Key{.kind = KeyKind::answer,
             .first = envelope.actor,
             .second = envelope.principal,
             .third = envelope.idempotency_key};
}

}  // namespace hotrow
