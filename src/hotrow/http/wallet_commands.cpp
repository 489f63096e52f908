#include "hotrow/http/command_readers.hpp"
#include "hotrow/http/item_input.hpp"
#include "hotrow/http/promotion_input.hpp"

namespace hotrow::http {
namespace {

/// What every movement of money has.
void read_money(Members& in, MoveMoney& move) {
  move.currency = in.currency();
  move.amount = in.integer("amount", Presence::required).value_or(0);
  move.note = in.text("reason", Presence::optional, reason_limits).value_or("");
  move.external_id = in.id("external_id", Presence::optional).value_or("");
}

CommandInput by_owner(Owner owner, CommandBody body) {
  return {.body = std::move(body), .principal = to_string(owner)};
}

}  // namespace

Input<CommandInput> read_movement(const CommandRequest& request, OwnerKind owner, LedgerReason kind) {
  FieldErrors errors;
  Members in(request.body, errors);
  MoveMoney move{.kind = kind, .owner = {.kind = owner, .id = request.path[0]}};
  move.if_version = request.if_version;
  read_money(in, move);
  in.refuse_others();
  return checked(by_owner(move.owner, move), errors);
}

Input<CommandInput> read_transfer(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  MoveMoney move{.kind = LedgerReason::transfer};
  const std::optional<Owner> from = in.owner("from");
  move.owner = from.value_or(Owner{});
  move.to = in.owner("to");
  move.if_version = request.if_version;
  read_money(in, move);
  if (from && from == move.to) in.error("to", "must be another owner than from");
  in.refuse_others();
  return checked(by_owner(move.owner, move), errors);
}

Input<CommandInput> read_put_item(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  CreateItem create{.only_create = request.only_create};
  create.owner = in.owner("owner").value_or(Owner{});
  create.facts = read_item_facts(in, request.path[0]);
  in.refuse_others();
  return checked(by_owner(create.owner, create), errors);
}

Input<CommandInput> read_withdraw_item(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  WithdrawItem withdraw{.item = request.path[0]};
  withdraw.owner = in.owner("owner").value_or(Owner{});
  in.refuse_others();
  return checked(by_owner(withdraw.owner, withdraw), errors);
}

}  // namespace hotrow::http
