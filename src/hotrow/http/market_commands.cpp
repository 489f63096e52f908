#include "hotrow/core/listing.hpp"
#include "hotrow/http/command_readers.hpp"
#include "hotrow/http/promotion_input.hpp"

namespace hotrow::http {
namespace {

constexpr IntegerRange from_zero{.min = 0};
constexpr std::chrono::seconds buyout_quiet_max = listing_duration_max;  // No listing lives longer.

PlayerLimits read_player_limits(Members& in) {
  return {.max_leading_bids = in.integer("max_leading_bids", Presence::optional, from_zero),
          .max_active_listings = in.integer("max_active_listings", Presence::optional, from_zero)};
}

Pressure read_pressure(Members& in) {
  return {
      .bid_window_ms = in.integer("bid_window_ms", Presence::optional, {.min = 0, .max = bid_window_max_ms}),
      .buyouts_per_player_per_minute =
          in.integer("buyouts_per_player_per_minute", Presence::optional, from_zero),
      .buyout_quiet_seconds =
          in.integer("buyout_quiet_seconds", Presence::optional, {.min = 0, .max = buyout_quiet_max.count()}),
      .queue_max = in.integer("queue_max", Presence::optional)};
}

}  // namespace

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

// A limit that the body does not name is set no more: each scope has one group of limits, replaced as a
// whole.
Input<CommandInput> read_set_policy(const CommandRequest& request, PolicyScope scope) {
  FieldErrors errors;
  Members in(request.body, errors);
  SetPolicy set{.policy = {.scope = scope, .id = request.path[0]}, .if_version = request.if_version};
  switch (scope) {
    case PolicyScope::players:
    case PolicyScope::player: set.players = read_player_limits(in); break;
    case PolicyScope::family:
    case PolicyScope::listing: set.pressure = read_pressure(in); break;
    case PolicyScope::promotion:
      set.pressure = Pressure{.queue_max = in.integer("queue_max", Presence::optional)};
      break;
  }
  set.reason = in.text("reason", Presence::optional, reason_limits).value_or("");
  in.refuse_others();
  return checked(CommandInput{.body = std::move(set)}, errors);
}

}  // namespace hotrow::http
