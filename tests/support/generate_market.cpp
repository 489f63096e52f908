#include "tests/support/generate_market.hpp"

#include <algorithm>
#include <map>

#include "tests/support/commands.hpp"
#include "tests/support/generate.hpp"

namespace hotrow::test {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

rc::Gen<std::int64_t> from_to(std::int64_t least, std::int64_t most) {
  return rc::gen::inRange<std::int64_t>(least, most + 1);
}

/// Yes in one of `times`.
rc::Gen<bool> one_in(int times) {
  return rc::gen::map(rc::gen::inRange(0, times), [](int n) { return n == 0; });
}

rc::Gen<Owner> any_owner() { return rc::gen::elementOf(market_names().owners); }
rc::Gen<std::string> any_currency() { return rc::gen::elementOf(market_names().currencies); }
rc::Gen<std::string> any_item() { return rc::gen::elementOf(market_names().items); }
rc::Gen<std::string> any_listing() { return rc::gen::elementOf(market_names().listings); }
rc::Gen<std::string> any_player() {
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, 4),
                      [](std::size_t n) { return market_names().owners[n].id; });
}

rc::Gen<std::optional<std::int64_t>> any_version() {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(0, 40),
                      [](std::int64_t n) { return n > 0 && n < 4 ? std::optional(n) : std::nullopt; });
}

rc::Gen<CommandBody> any_movement() {
  return rc::gen::apply(
      [](LedgerReason kind, Owner owner, Owner to, std::string currency, std::int64_t amount, int external) {
        MoveMoney move{.kind = kind, .owner = owner, .currency = currency, .amount = amount, .note = "note"};
        if (kind == LedgerReason::transfer) {
          if (to == owner) to.id += "2";
          move.to = to;
        }
        if (external < 3) move.external_id = "x|" + std::to_string(external);
        return CommandBody(move);
      },
      rc::gen::element(LedgerReason::deposit, LedgerReason::deposit, LedgerReason::withdrawal,
                       LedgerReason::transfer),
      any_owner(), any_owner(), any_currency(), from_to(1, 300), rc::gen::inRange(0, 9));
}

rc::Gen<CommandBody> any_item_command() {
  return rc::gen::apply(
      [](std::string item, Owner owner, bool creates) {
        if (!creates) return CommandBody(WithdrawItem{.item = item, .owner = owner});
        return CommandBody(CreateItem{.facts = {.id = item, .family = "swords"}, .owner = owner});
      },
      any_item(), any_owner(), rc::gen::element(true, true, false));
}

rc::Gen<Rates> any_rates() {
  return rc::gen::element(Rates{}, Rates{},
                          Rates{.deposit_bps = 0, .deposit_min = 0, .cut_bps = 0, .cut_min = 0},
                          Rates{.deposit_bps = 5000, .deposit_min = 5, .cut_bps = 10'000, .cut_min = 5});
}

rc::Gen<CommandBody> any_creation() {
  return rc::gen::apply(
      [](std::string listing, std::string seller, std::string item, bool is_new, std::int64_t price,
         std::int64_t buyout, std::int64_t duration, bool extends, Rates rates, bool leaves) {
        CreateListing create{.listing = listing,
                             .seller = seller,
                             .item = item,
                             .currency = price % 5 == 0 ? market_names().currencies[1] : "gold",
                             .start_price = price,
                             .min_increment = std::min<std::int64_t>(price, 1 + price % 3),
                             .duration = seconds(duration),
                             .on_close = leaves ? OnClose::outside : OnClose::inventory,
                             .rates = rates};
        if (is_new) create.item = "of " + listing;
        if (is_new) create.facts = ItemFacts{.id = create.item, .family = "shields"};
        if (buyout > 0) create.buyout_price = price + buyout;
        if (extends) {
          create.anti_snipe = AntiSnipe{.window_seconds = 2, .extend_seconds = 1, .max_extensions = 2};
        }
        return CommandBody(create);
      },
      any_listing(), any_player(), any_item(), rc::gen::element(true, true, false), from_to(1, 60),
      from_to(-40, 60), from_to(1, 12), rc::gen::arbitrary<bool>(), any_rates(), one_in(4));
}

rc::Gen<CommandBody> any_bid() {
  return rc::gen::apply(
      [](std::string listing, std::string bidder, std::int64_t amount, std::optional<std::int64_t> version) {
        return CommandBody(
            PlaceBid{.listing = listing, .bidder = bidder, .amount = amount, .if_version = version});
      },
      any_listing(), any_player(), from_to(1, 60), any_version());
}

rc::Gen<CommandBody> any_buyout() {
  return rc::gen::apply(
      [](std::string listing, std::string buyer, std::optional<std::int64_t> version) {
        return CommandBody(BuyOut{.listing = listing, .buyer = buyer, .if_version = version});
      },
      any_listing(), any_player(), any_version());
}

rc::Gen<CommandBody> any_end() {
  return rc::gen::apply(
      [](std::string listing, ListingAction action, std::string seller) {
        return CommandBody(
            ChangeListing{.listing = listing, .action = action, .seller = seller, .reason = "a test"});
      },
      any_listing(),
      rc::gen::weightedElement<ListingAction>({{6, ListingAction::settle},
                                               {4, ListingAction::cancel},
                                               {1, ListingAction::void_it},
                                               {1, ListingAction::set_aside}}),
      any_player());
}

/// Limits that are now and then in somebody's way.
rc::Gen<CommandBody> any_policy() {
  return rc::gen::apply(
      [](PolicyScope scope, std::string player, std::string listing, std::int64_t number) {
        SetPolicy set{.policy = {.scope = scope}, .reason = "a test"};
        if (scope == PolicyScope::player) set.policy.id = player;
        if (scope == PolicyScope::family) set.policy.id = "shields";
        if (scope == PolicyScope::listing) set.policy.id = listing;
        if (scope <= PolicyScope::player) {
          set.players = PlayerLimits{.max_leading_bids = number, .max_active_listings = number + 1};
        } else {
          set.pressure =
              Pressure{.buyouts_per_player_per_minute = number, .buyout_quiet_seconds = 4 - number};
        }
        return CommandBody(set);
      },
      rc::gen::element(PolicyScope::players, PolicyScope::player, PolicyScope::family, PolicyScope::listing),
      any_player(), any_listing(), from_to(1, 4));
}

rc::Gen<CommandBody> any_operation() {
  const auto restriction = rc::gen::apply(
      [](std::string player, bool blocked) {
        return CommandBody(RestrictPlayer{.player = player, .trade_blocked = blocked, .reason = "a test"});
      },
      any_player(), one_in(6));
  const auto market = rc::gen::apply(
      [](bool pause, bool extend) {
        return CommandBody(ChangeMarket{.pause = pause, .extend = extend, .reason = "a test"});
      },
      one_in(6), rc::gen::arbitrary<bool>());
  return rc::gen::weightedOneOf<CommandBody>({{1, restriction}, {3, market}, {3, any_policy()}});
}

rc::Gen<Command> any_trade() {
  const auto body = rc::gen::weightedOneOf<CommandBody>({{10, any_movement()},
                                                         {4, any_item_command()},
                                                         {18, any_creation()},
                                                         {36, any_bid()},
                                                         {6, any_buyout()},
                                                         {12, any_end()},
                                                         {3, any_operation()}});
  return rc::gen::apply(
      [](CommandBody chosen, int key) {
        Command command = command_of(std::move(chosen));
        if (key >= 8) return command;
        // As that of a request's method, path and body, the fingerprint tells what the command is about.
        std::string about(command_kind(command));
        for (const Key& hot : hot_keys(command)) about += describe(hot);
        return with_key(std::move(command), "key" + std::to_string(key), about);
      },
      body, rc::gen::inRange(0, 40));
}

/// Money for everybody, and the first listings.
std::vector<TimedCommand> opening_trades() {
  const MarketNames& names = market_names();
  std::vector<TimedCommand> trades;
  for (const Owner& owner : names.owners) {
    for (const std::string& currency : names.currencies) {
      trades.push_back(
          {.command = command_of(MoveMoney{.owner = owner, .currency = currency, .amount = 400})});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string& id = names.listings[i];
    trades.push_back(
        {.command = command_of(CreateListing{
             .listing = id,
             .seller = names.owners[i].id,
             .item = "of " + id,
             .facts = ItemFacts{.id = "of " + id, .family = "shields"},
             .start_price = 10,
             .buyout_price = 200,
             .duration = seconds(8),
             .anti_snipe = AntiSnipe{.window_seconds = 3, .extend_seconds = 2, .max_extensions = 2}})});
  }
  return trades;
}

/// Bids rise with time, or few would be accepted.
void raise_bids(std::vector<TimedCommand>& trades) {
  for (std::size_t i = 0; i < trades.size(); ++i) {
    auto* bid = std::get_if<PlaceBid>(&trades[i].command.body);
    if (bid != nullptr) bid->amount += std::int64_t(i);
  }
}

/// Every second command under a key that was used before becomes the request of then once more.
void repeat_some(std::vector<TimedCommand>& trades) {
  std::map<std::string, Command> first;
  bool repeats = true;
  for (TimedCommand& trade : trades) {
    const std::string& key = trade.command.envelope.idempotency_key;
    if (key.empty()) continue;
    const auto [known, is_new] = first.try_emplace(key, trade.command);
    if (is_new) continue;
    if (repeats) trade.command = known->second;
    repeats = !repeats;
  }
}

rc::Gen<microseconds> any_step() {
  const auto hop = rc::gen::map(from_to(-500'000, 3'000'000), [](std::int64_t n) { return microseconds(n); });
  const auto second = rc::gen::map(from_to(-1, 2), [](std::int64_t n) { return microseconds(seconds(n)); });
  return rc::gen::weightedOneOf<microseconds>({{7, rc::gen::just(microseconds(0))}, {1, hop}, {1, second}});
}

}  // namespace

const MarketNames& market_names() {
  static const MarketNames names{.owners = {{.kind = OwnerKind::player, .id = "anna"},
                                            {.kind = OwnerKind::player, .id = "bob|1"},
                                            {.kind = OwnerKind::player, .id = "guild:5"},
                                            {.kind = OwnerKind::player, .id = "house"},
                                            {.kind = OwnerKind::guild, .id = "anna"}},
                                 .currencies = {"gold", "gems_2"},
                                 .items = {"i1", "i|2", "i:3"},
                                 .listings = {"l1", "l|2", "l:3", "l'4", "l5", "l6"}};
  return names;
}

rc::Gen<std::vector<TimedCommand>> any_trades() {
  const auto timed = rc::gen::apply(
      [](microseconds step, Command command) {
        return TimedCommand{.step = step, .command = std::move(command)};
      },
      any_step(), any_trade());
  const auto trades = rc::gen::container<std::vector<TimedCommand>>(rc::gen::resize(rc::kNominalSize, timed));
  return rc::gen::map(rc::gen::scale(3.0, trades), [](std::vector<TimedCommand> all) {
    raise_bids(all);
    repeat_some(all);
    std::vector<TimedCommand> opened = opening_trades();
    all.insert(all.begin(), opened.begin(), opened.end());
    return all;
  });
}

void showValue(const TimedCommand& timed, std::ostream& out) {
  out << timed.step.count() << " us later ";
  hotrow::showValue(timed.command, out);
}

}  // namespace hotrow::test
