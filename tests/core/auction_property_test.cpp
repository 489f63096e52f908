#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hotrow/core/market_codec.hpp"
#include "tests/core/market_world.hpp"

namespace hotrow {
namespace {

using test::command_of;
using test::MarketWorld;
using test::sword;
using test::with_key;
using namespace std::chrono_literals;

/// Some commands that come one after the other at one time.
struct Moment {
  std::chrono::seconds later;  ///< Than the moment before; may be negative.
  std::vector<Command> commands;
};

std::ostream& operator<<(std::ostream& out, const Moment& moment) {
  out << moment.later.count() << " s later:";
  for (const Command& command : moment.commands) out << " " << command_kind(command);
  return out;
}

const std::vector<std::string> players = {"A", "guild:5", "house"};
const std::vector<std::string> listings = {"sword", "sh:ield", "l"};

rc::Gen<std::string> any_player() { return rc::gen::elementOf(players); }
rc::Gen<std::string> any_listing() { return rc::gen::elementOf(listings); }
rc::Gen<std::int64_t> any_price() { return rc::gen::inRange<std::int64_t>(1, 60); }

rc::Gen<Owner> any_owner() {
  return rc::gen::apply(
      [](std::string id, bool is_guild) {
        return Owner{.kind = is_guild ? OwnerKind::guild : OwnerKind::player, .id = std::move(id)};
      },
      any_player(), rc::gen::map(rc::gen::inRange(0, 6), [](int n) { return n == 0; }));
}

rc::Gen<CommandBody> any_movement() {
  return rc::gen::apply(
      [](int kind, Owner owner, Owner to, std::int64_t amount, int external) {
        MoveMoney move{.kind = LedgerReason(kind), .owner = std::move(owner), .amount = amount * 5};
        if (move.kind == LedgerReason::transfer) move.to = std::move(to);
        if (move.to == move.owner) move.to->id += "'";
        if (external < 3) move.external_id = "x" + std::to_string(external);
        return CommandBody(std::move(move));
      },
      rc::gen::inRange(0, 3), any_owner(), any_owner(), any_price(), rc::gen::inRange(0, 12));
}

rc::Gen<CommandBody> any_new_listing() {
  return rc::gen::apply(
      [](std::string id, std::string seller, std::int64_t start, std::int64_t above, bool snipe, int kind) {
        CreateListing create = sword(std::move(id));
        create.seller = std::move(seller);
        create.start_price = start;
        if (kind % 2 == 0) create.buyout_price = start + above;
        if (kind >= 4) create.on_close = OnClose::outside;
        if (kind == 3) create.rates = {.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 0};
        if (kind == 1) create.facts.reset();
        create.duration = 60s;
        if (snipe)
          create.anti_snipe = AntiSnipe{.window_seconds = 30, .extend_seconds = 20, .max_extensions = 2};
        return CommandBody(std::move(create));
      },
      any_listing(), any_player(), any_price(), any_price(), rc::gen::arbitrary<bool>(),
      rc::gen::inRange(0, 6));
}

rc::Gen<CommandBody> any_change() {
  return rc::gen::apply(
      [](std::string listing, int action, std::string seller) {
        static constexpr ListingAction actions[] = {ListingAction::cancel, ListingAction::settle,
                                                    ListingAction::settle, ListingAction::void_it};
        return CommandBody(ChangeListing{.listing = std::move(listing),
                                         .action = actions[action],
                                         .seller = std::move(seller),
                                         .reason = "a test"});
      },
      any_listing(), rc::gen::inRange(0, 4), any_player());
}

rc::Gen<CommandBody> any_body() {
  const auto bid = rc::gen::apply(
      [](std::string listing, std::string bidder, std::int64_t amount) {
        return CommandBody(PlaceBid{std::move(listing), std::move(bidder), amount});
      },
      any_listing(), any_player(), any_price());
  const auto buyout = rc::gen::apply(
      [](std::string listing, std::string buyer) {
        return CommandBody(BuyOut{std::move(listing), std::move(buyer)});
      },
      any_listing(), any_player());
  const auto item = rc::gen::apply(
      [](std::string id, Owner owner) {
        return CommandBody(CreateItem{.facts = {.id = std::move(id), .family = "swords"}, .owner = owner});
      },
      any_listing(), any_owner());
  const auto withdrawal = rc::gen::apply(
      [](std::string id, Owner owner) {
        return CommandBody(WithdrawItem{.item = std::move(id), .owner = std::move(owner)});
      },
      any_listing(), any_owner());
  const auto restriction =
      rc::gen::apply([](std::string player,
                        int n) { return CommandBody(RestrictPlayer{std::move(player), n == 0, "a test"}); },
                     any_player(), rc::gen::inRange(0, 4));
  const auto market =
      rc::gen::apply([](int n, bool extend) { return CommandBody(ChangeMarket{n == 0, extend, "a test"}); },
                     rc::gen::inRange(0, 4), rc::gen::arbitrary<bool>());
  return rc::gen::weightedOneOf<CommandBody>({{8, any_movement()},
                                              {6, any_new_listing()},
                                              {14, bid},
                                              {4, buyout},
                                              {6, any_change()},
                                              {2, item},
                                              {1, withdrawal},
                                              {1, restriction},
                                              {2, market}});
}

/// Ranges are drawn whole whatever the size of the case: a small case has few commands, not dull ones.
template <class T>
rc::Gen<T> whole(rc::Gen<T> gen) {
  return rc::gen::resize(rc::kNominalSize, std::move(gen));
}

rc::Gen<Command> any_command() {
  return whole(rc::gen::apply(
      [](CommandBody body, int key) {
        Command command = command_of(std::move(body));
        if (key >= 4) return command;
        // The fingerprint is of what is asked for, as http makes it.
        const std::string asked = std::string(command_kind(command)) + describe(hot_keys(command).front());
        return with_key(std::move(command), "key" + std::to_string(key), asked);
      },
      any_body(), rc::gen::inRange(0, 14)));
}

rc::Gen<std::vector<Moment>> any_moments() {
  const auto moment = rc::gen::apply(
      [](int later, std::vector<Command> commands) {
        return Moment{.later = std::chrono::seconds(later), .commands = std::move(commands)};
      },
      whole(rc::gen::inRange(-10, 30)), rc::gen::container<std::vector<Command>>(any_command()));
  return rc::gen::scale(0.3, rc::gen::container<std::vector<Moment>>(moment));
}

/// Some money to trade with: most random sequences would find none.
MarketWorld rich_world() {
  MarketWorld world;
  for (const std::string& player : players) world.deposit(player, 100);
  return world;
}

std::string told(const Decision& decision) {
  return test::text_of(decision.answer) + (decision.replayed ? " again" : "");
}

struct Trace {
  std::vector<std::string> answers;
  std::vector<std::string> rows;
  friend bool operator==(const Trace&, const Trace&) = default;
};

/// Cuts each moment's commands after every `size` of them. Every batch is watched by the world.
Trace run(const std::vector<Moment>& moments, std::size_t size) {
  Trace trace;
  MarketWorld world = rich_world();
  for (const Moment& moment : moments) {
    world.now = world.now + moment.later;
    std::span<const Command> left = moment.commands;
    while (!left.empty()) {
      const auto batch = left.first(std::min(size, left.size()));
      left = left.subspan(batch.size());
      for (const Decision& decision : world.decide(batch)) trace.answers.push_back(told(decision));
    }
  }
  trace.rows = test::row_texts(world.rows());
  return trace;
}

TEST(AuctionCommands, ReachEveryKindOfAnswerThatRandomOnesCan) {
  std::map<std::string, int> heard;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    MarketWorld world = rich_world();
    for (const Moment& moment : any_moments()(rc::Random(seed), rc::kNominalSize).value()) {
      world.now = world.now + moment.later;
      for (const Command& command : moment.commands) {
        const Decision decision = world.decide(command);
        ++heard[std::string(command_kind(command)) + " " + std::string(answer_result(decision.answer))];
        if (decision.replayed) ++heard["replayed"];
      }
    }
    for (const auto& [key, row] : world.rows()) {
      if (const auto* event = std::get_if<EventRow>(&row)) ++heard[event->type];
    }
  }
  for (const char* kind : {"move_money accepted",
                           "move_money already",
                           "move_money external_id_used",
                           "create_item accepted",
                           "withdraw_item accepted",
                           "withdraw_item item_in_escrow",
                           "create_listing accepted",
                           "create_listing item_exists",
                           "create_listing listing_exists",
                           "create_listing not_item_owner",
                           "place_bid accepted",
                           "place_bid own_listing",
                           "place_bid use_buyout",
                           "place_bid bid_too_low",
                           "place_bid insufficient_funds",
                           "place_bid market_paused",
                           "place_bid listing_closed",
                           "buy_out accepted",
                           "buy_out no_buyout",
                           "buy_out insufficient_funds",
                           "change_listing accepted",
                           "change_listing has_bids",
                           "change_listing not_ended",
                           "change_listing not_seller",
                           "restrict_player accepted",
                           "place_bid player_blocked",
                           "change_market accepted",
                           "place_bid idempotency_key_reused",
                           "replayed",
                           "listing.outbid",
                           "listing.extended",
                           "listing.sold",
                           "listing.expired",
                           "listing.cancelled",
                           "listing.voided",
                           "item.withdrawn"}) {
    EXPECT_GT(heard[kind], 0) << kind;
  }
}

RC_GTEST_PROP(Auction, KeepsEveryInvariantAndCuttingIntoBatchesChangesNothing, ()) {
  const std::vector<Moment> moments = *any_moments();
  const Trace one_by_one = run(moments, 1);
  RC_ASSERT(run(moments, 1000) == one_by_one);
  RC_ASSERT(run(moments, *rc::gen::inRange<std::size_t>(2, 6)) == one_by_one);
  RC_ASSERT(!testing::Test::HasFailure());
}

RC_GTEST_PROP(Auction, AnswersComeBackFromTheirStoredFormAsTheyWere, ()) {
  MarketWorld world = rich_world();
  for (const Moment& moment : *any_moments()) {
    world.now = world.now + moment.later;
    for (const Command& command : moment.commands) {
      const Answer answer = world.decide(command).answer;
      if (!is_stored(answer)) continue;
      const std::optional<Answer> read = decode_answer(test::text_of(answer));
      RC_ASSERT(read.has_value());
      RC_ASSERT(test::text_of(*read) == test::text_of(answer));
    }
  }
}

}  // namespace
}  // namespace hotrow
