#pragma once

#include "hotrow/http/command_request.hpp"

// From a body to a command, one reader a call. Every error is gathered. Pure.
namespace hotrow::http {

Input<CommandInput> read_enter_promotion(const CommandRequest& request);
Input<CommandInput> read_enter_promotion_batch(const CommandRequest& request);
Input<CommandInput> read_put_promotion(const CommandRequest& request);
Input<CommandInput> read_change_promotion(const CommandRequest& request, PromotionAction action);

/// A deposit or a withdrawal of the owner in the path.
Input<CommandInput> read_movement(const CommandRequest& request, OwnerKind owner, LedgerReason kind);
Input<CommandInput> read_transfer(const CommandRequest& request);
Input<CommandInput> read_put_item(const CommandRequest& request);
Input<CommandInput> read_withdraw_item(const CommandRequest& request);

Input<CommandInput> read_create_listing(const CommandRequest& request);
Input<CommandInput> read_place_bid(const CommandRequest& request);
Input<CommandInput> read_buy_out(const CommandRequest& request);
Input<CommandInput> read_cancel_listing(const CommandRequest& request);
Input<CommandInput> read_settle_listing(const CommandRequest& request);
Input<CommandInput> read_void_listing(const CommandRequest& request);

Input<CommandInput> read_restrict_player(const CommandRequest& request);
Input<CommandInput> read_pause_market(const CommandRequest& request);
Input<CommandInput> read_resume_market(const CommandRequest& request);
Input<CommandInput> read_set_policy(const CommandRequest& request, PolicyScope scope);

}  // namespace hotrow::http
