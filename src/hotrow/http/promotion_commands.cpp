#include "hotrow/http/command_readers.hpp"
#include "hotrow/http/promotion_input.hpp"

namespace hotrow::http {

std::string player_principal(std::string player) {
  return to_string(Owner{.kind = OwnerKind::player, .id = std::move(player)});
}

Input<CommandInput> read_put_promotion(const CommandRequest& request) {
  return read_promotion(request.body).map([&](PromotionInput input) {
    return CommandInput{.body = PutPromotion{.promotion = request.path[0],
                                             .settings = std::move(input.settings),
                                             .if_version = request.if_version,
                                             .reason = std::move(input.reason),
                                             .only_create = request.only_create}};
  });
}

Input<CommandInput> read_change_promotion(const CommandRequest& request, PromotionAction action) {
  return read_reason(request.body).map([&](std::string reason) {
    return CommandInput{.body = ChangePromotion{.promotion = request.path[0],
                                                .action = action,
                                                .if_version = request.if_version,
                                                .reason = std::move(reason)}};
  });
}

Input<CommandInput> read_enter_promotion(const CommandRequest& request) {
  return read_user(request.body).map([&](std::string user) {
    return CommandInput{.body = EnterPromotion{.promotion = request.path[0], .user = user},
                        .principal = player_principal(std::move(user))};
  });
}

Input<CommandInput> read_enter_promotion_batch(const CommandRequest& request) {
  return read_users(request.body).map([&](std::vector<std::string> users) {
    return CommandInput{.body = EnterPromotionBatch{.promotion = request.path[0], .users = std::move(users)}};
  });
}

}  // namespace hotrow::http
