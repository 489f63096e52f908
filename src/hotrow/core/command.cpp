#include "hotrow/core/command.hpp"

#include <algorithm>
#include <array>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

Key purse(const Owner& owner) { return hot_form(wallet_key({.owner = owner})); }
Key player_purse(const std::string& player) { return purse({.kind = OwnerKind::player, .id = player}); }

Keys hot(const PutPromotion& body) { return {promotion_key(body.promotion)}; }
Keys hot(const ChangePromotion& body) { return {promotion_key(body.promotion)}; }
Keys hot(const EnterPromotion& body) { return {promotion_key(body.promotion)}; }
Keys hot(const EnterPromotionBatch& body) { return {promotion_key(body.promotion)}; }
Keys hot(const CreateItem& body) { return {item_key(body.facts.id)}; }
Keys hot(const WithdrawItem& body) { return {item_key(body.item)}; }
Keys hot(const CreateListing& body) { return {listing_key(body.listing), player_purse(body.seller)}; }
Keys hot(const PlaceBid& body) { return {listing_key(body.listing), player_purse(body.bidder)}; }
Keys hot(const BuyOut& body) { return {listing_key(body.listing), player_purse(body.buyer)}; }
Keys hot(const ChangeListing& body) { return {listing_key(body.listing)}; }
Keys hot(const RestrictPlayer& body) { return {player_key(body.player)}; }
Keys hot(const ChangeMarket&) { return {market_key()}; }
Keys hot(const SetPolicy& body) { return {policy_key(body.policy)}; }

Keys hot(const MoveMoney& body) {
  if (body.to) return {purse(body.owner), purse(*body.to)};
  return {purse(body.owner)};
}

}  // namespace

Key hot_form(const Key& key) {
  Key form = key;
  if (form.kind == KeyKind::wallet) form.third.clear();
  return form;
}

Keys hot_keys(const Command& command) {
  return std::visit([](const auto& body) { return hot(body); }, command.body);
}

std::optional<Share> share_of(const Command& command) {
  const auto* bid = std::get_if<PlaceBid>(&command.body);
  if (bid == nullptr) return std::nullopt;
  return Share{.of = {.kind = KeyKind::bid, .first = bid->listing, .second = bid->bidder},
               .actor = player_purse(bid->bidder),
               .undecided_max = 4};
}

bool is_of_the_crowd(const Command& command) {
  return std::holds_alternative<EnterPromotion>(command.body) ||
         std::holds_alternative<EnterPromotionBatch>(command.body) ||
         std::holds_alternative<PlaceBid>(command.body) || std::holds_alternative<BuyOut>(command.body);
}

std::int64_t gather_rank(const Command& command) {
  const auto* bid = std::get_if<PlaceBid>(&command.body);
  return bid != nullptr ? bid->amount : 0;
}

std::size_t weight(const Command& command) {
  if (const auto* batch = std::get_if<EnterPromotionBatch>(&command.body)) {
    return std::max<std::size_t>(1, batch->users.size());
  }
  static constexpr std::array<std::size_t, std::variant_size_v<CommandBody>> rows = {1, 1,  1,  0,  6, 2, 3,
                                                                                     7, 10, 13, 10, 3, 3, 3};
  return rows[command.body.index()];
}

std::string_view command_kind(const Command& command) {
  static constexpr std::array<std::string_view, std::variant_size_v<CommandBody>> kinds = {
      "put_promotion", "change_promotion", "enter_promotion", "enter_promotion_batch",
      "move_money",    "create_item",      "withdraw_item",   "create_listing",
      "place_bid",     "buy_out",          "change_listing",  "restrict_player",
      "change_market", "set_policy"};
  return kinds[command.body.index()];
}

std::chrono::milliseconds lock_budget(const Command& command) {
  const bool is_trade =
      std::holds_alternative<PlaceBid>(command.body) || std::holds_alternative<BuyOut>(command.body);
  return is_trade ? std::chrono::milliseconds(200) : std::chrono::seconds(2);
}

CommandBody due_command(const Key& subject) {
  if (subject.kind == KeyKind::listing) {
    return ChangeListing{.listing = subject.first, .action = ListingAction::settle};
  }
  HOTROW_ASSERT(subject.kind == KeyKind::promotion);
  return ChangePromotion{.promotion = subject.first,
                         .action = PromotionAction::close_when_ended,
                         .reason = "The promotion's end has come."};
}

std::optional<CommandBody> poison_command(const Key& subject, std::string reason) {
  if (subject.kind != KeyKind::listing) return std::nullopt;
  return ChangeListing{
      .listing = subject.first, .action = ListingAction::set_aside, .reason = std::move(reason)};
}

std::optional<Key> answer_key(const Envelope& envelope) {
  if (envelope.idempotency_key.empty()) return std::nullopt;
  return Key{.kind = KeyKind::answer,
             .first = envelope.actor,
             .second = envelope.principal,
             .third = envelope.idempotency_key};
}

}  // namespace hotrow
