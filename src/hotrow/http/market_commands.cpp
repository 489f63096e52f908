#include "hotrow/http/command_readers.hpp"
#include "hotrow/http/promotion_input.hpp"

namespace hotrow::http {

Input<CommandInput> read_restrict_player(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  RestrictPlayer restrict {.player = request.path[0]};
  const std::string trade = in.text("trade", Presence::required).value_or("allowed");
  if (trade != "allowed" && trade != "blocked") in.error("trade", "must be allowed or blocked");
  restrict.trade_blocked = trade == "blocked";
  restrict.reason = in.text("reason", Presence::required, reason_limits).value_or("");
  in.refuse_others();
  return checked(CommandInput{.body = std::move(restrict)}, errors);
}

Input<CommandInput> read_pause_market(const CommandRequest& request) {
  return read_reason(request.body).map([](std::string reason) {
    return CommandInput{.body = ChangeMarket{.pause = true, .reason = std::move(reason)}};
  });
}

Input<CommandInput> read_resume_market(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  ChangeMarket change;
  change.reason = in.text("reason", Presence::required, reason_limits).value_or("");
  change.extend = in.flag_or("extend", false);
  in.refuse_others();
  return checked(CommandInput{.body = std::move(change)}, errors);
}

}  // namespace hotrow::http
