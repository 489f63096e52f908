#include "tests/support/generate.hpp"

#include "tests/support/commands.hpp"

namespace hotrow::test {
namespace {

rc::Gen<PromotionSettings> any_settings() {
  return rc::gen::apply(
      [](int kind, int number, int limit, bool closes) {
        PromotionSettings settings = nth_settings({number, number + 3});
        if (kind == 1) settings.rule = EveryRule{.interval = number, .winners = 3};
        if (kind == 2) settings.rule = FirstRule{.count = number};
        if (limit > 0) settings.max_entries = limit * 3;
        settings.close_on_last_winner = closes;
        return settings;
      },
      rc::gen::inRange(0, 3), rc::gen::inRange(1, 6), rc::gen::inRange(0, 8), rc::gen::arbitrary<bool>());
}

rc::Gen<Command> any_command(const std::vector<std::string>& promotions) {
  const auto promotion = rc::gen::elementOf(promotions);
  const auto user = rc::gen::map(rc::gen::inRange(0, 12), [](int n) { return "user|" + std::to_string(n); });
  const auto action = rc::gen::element(PromotionAction::pause, PromotionAction::resume,
                                       PromotionAction::resume, PromotionAction::close_when_ended);
  return rc::gen::weightedOneOf<Command>(
      {{20, rc::gen::apply(enter, promotion, user)},
       {3, rc::gen::apply(enter_batch, promotion, rc::gen::container<std::vector<std::string>>(user))},
       {3, rc::gen::apply(put_promotion, promotion, any_settings())},
       {2, rc::gen::apply(change_promotion, promotion, action)},
       {1, rc::gen::apply(change_promotion, promotion, rc::gen::just(PromotionAction::close))}});
}

}  // namespace

rc::Gen<std::vector<Command>> any_commands(std::vector<std::string> promotions, std::string scope) {
  const auto keyed = rc::gen::apply(
      [scope](Command command, int key, int payload) {
        if (key >= 4) return command;
        return with_key(std::move(command), scope + "key" + std::to_string(key), std::to_string(payload));
      },
      any_command(promotions), rc::gen::inRange(0, 12), rc::gen::inRange(0, 2));
  return rc::gen::nonEmpty(rc::gen::container<std::vector<Command>>(keyed));
}

}  // namespace hotrow::test

namespace hotrow {

void showValue(const Command& command, std::ostream& out) {
  out << command_kind(command) << " under '" << command.envelope.idempotency_key << "'";
}

}  // namespace hotrow
