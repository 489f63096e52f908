#include "hotrow/http/command_table.hpp"

#include <algorithm>
#include <array>

#include "hotrow/http/command_readers.hpp"

namespace hotrow::http {
namespace {

template <PromotionAction action>
Input<CommandInput> read_change(const CommandRequest& request) {
  return read_change_promotion(request, action);
}

template <OwnerKind owner, LedgerReason kind>
Input<CommandInput> read_money(const CommandRequest& request) {
  return read_movement(request, owner, kind);
}

template <PolicyScope scope>
Input<CommandInput> read_policy(const CommandRequest& request) {
  return read_set_policy(request, scope);
}

// The busiest first.
constexpr std::array table = {
    CommandKind{Endpoint::enter_promotion, KeyUse::optional, read_enter_promotion},
    CommandKind{Endpoint::place_bid, KeyUse::required, read_place_bid},
    CommandKind{Endpoint::buy_out, KeyUse::required, read_buy_out},
    CommandKind{Endpoint::create_listing, KeyUse::required, read_create_listing},
    CommandKind{Endpoint::cancel_listing, KeyUse::required, read_cancel_listing},
    CommandKind{Endpoint::settle_listing, KeyUse::optional, read_settle_listing, BodyUse::optional},
    CommandKind{Endpoint::void_listing, KeyUse::optional, read_void_listing},

    CommandKind{Endpoint::deposit_to_player, KeyUse::required,
                read_money<OwnerKind::player, LedgerReason::deposit>},
    CommandKind{Endpoint::withdraw_from_player, KeyUse::required,
                read_money<OwnerKind::player, LedgerReason::withdrawal>},
    CommandKind{Endpoint::deposit_to_guild, KeyUse::required,
                read_money<OwnerKind::guild, LedgerReason::deposit>},
    CommandKind{Endpoint::withdraw_from_guild, KeyUse::required,
                read_money<OwnerKind::guild, LedgerReason::withdrawal>},
    CommandKind{Endpoint::transfer_money, KeyUse::required, read_transfer},
    CommandKind{Endpoint::put_item, KeyUse::ignored, read_put_item},
    CommandKind{Endpoint::withdraw_item, KeyUse::required, read_withdraw_item},

    CommandKind{Endpoint::restrict_player, KeyUse::ignored, read_restrict_player},
    CommandKind{Endpoint::pause_market, KeyUse::optional, read_pause_market},
    CommandKind{Endpoint::resume_market, KeyUse::optional, read_resume_market},

    CommandKind{Endpoint::put_default_policy, KeyUse::ignored, read_policy<PolicyScope::players>},
    CommandKind{Endpoint::put_player_policy, KeyUse::ignored, read_policy<PolicyScope::player>},
    CommandKind{Endpoint::put_family_policy, KeyUse::ignored, read_policy<PolicyScope::family>},
    CommandKind{Endpoint::put_listing_policy, KeyUse::ignored, read_policy<PolicyScope::listing>},
    CommandKind{Endpoint::put_promotion_policy, KeyUse::ignored, read_policy<PolicyScope::promotion>},

    CommandKind{Endpoint::enter_promotion_batch, KeyUse::optional, read_enter_promotion_batch},
    CommandKind{Endpoint::put_promotion, KeyUse::ignored, read_put_promotion},
    CommandKind{Endpoint::pause_promotion, KeyUse::optional, read_change<PromotionAction::pause>},
    CommandKind{Endpoint::resume_promotion, KeyUse::optional, read_change<PromotionAction::resume>},
    CommandKind{Endpoint::close_promotion, KeyUse::optional, read_change<PromotionAction::close>},
};

}  // namespace

const CommandKind* find_command_kind(Endpoint endpoint) {
  const auto found = std::ranges::find(table, endpoint, &CommandKind::endpoint);
  return found != table.end() ? &*found : nullptr;
}

}  // namespace hotrow::http
