#include "hotrow/app/market_crowd.hpp"

#include <algorithm>
#include <array>

namespace hotrow {
namespace {

using Act = MarketCall::Act;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds snipe_window{250};
constexpr milliseconds too_late{40};
constexpr milliseconds settled_soon{100};
/// A listing that ends later than this after the run is taken back, or stays as it is.
constexpr seconds awaited{10};
constexpr seconds long_duration{3600};

microseconds ours(SteadyTime at) { return std::chrono::duration_cast<microseconds>(at.time_since_epoch()); }

/// Some ids are as unlike an id as they may be.
std::string player_id(const std::string& prefix, std::size_t number) {
  const std::string digits = std::to_string(number);
  switch (number % 40) {
    case 7: return prefix + ":guild:" + digits;
    case 17: return prefix + "/p " + digits + "?a=b&c#d%20";
    case 27: return prefix + "-선수-" + digits;
    case 37: return "player:" + prefix + "." + digits;
    default: return prefix + "-p" + digits;
  }
}

}  // namespace

MarketCrowd::MarketCrowd(const MarketPlan& plan) : chance_(plan.seed), prefix_(plan.prefix) {
  plan_players(plan);
  for (std::size_t i = 0; i < plan.listings; ++i) add_item();
}

void MarketCrowd::plan_players(const MarketPlan& plan) {
  for (std::uint32_t i = 0; i < plan.players; ++i) {
    books_.players.push_back({.id = player_id(prefix_, i)});
    players_[books_.players.back().id] = i;
    purses_.push_back(0);
    agenda_.push_back({.act = Act::deposit, .player = i, .amount = between(5'000, 200'000)});
  }
  std::ranges::shuffle(agenda_, chance_);
}

/// Half of the items are made before they are listed, half with their first listing.
void MarketCrowd::add_item() {
  static constexpr std::array<const char*, 4> families{"sword", "potion", "mount", "스킨"};
  const auto item = static_cast<std::uint32_t>(books_.items.size());
  const std::uint32_t maker = any(books_.players.size());
  books_.items.push_back({.id = prefix_ + "-i" + std::to_string(item),
                          .family = families.at(any(families.size())),
                          .maker = maker});
  things_.push_back({.owner = maker});
  if (happens(0.5)) agenda_.push_back({.act = Act::create_item, .player = maker, .subject = item});
  list_at(item, SteadyTime::min());
}

std::uint32_t MarketCrowd::draft_listing(std::uint32_t item, std::uint32_t seller) {
  const auto index = static_cast<std::uint32_t>(books_.listings.size());
  MarketListing listing{.id = prefix_ + "-l" + std::to_string(index), .item = item, .seller = seller};
  listing.makes_item = !books_.items[item].made;
  listing.start_price = happens(0.1) ? 1 : between(1, 100) * between(1, 40);
  listing.min_increment = std::max<std::int64_t>(1, listing.start_price / between(10, 40));
  if (happens(0.5)) listing.buyout_price = listing.start_price * between(1, 10) + between(0, 50);
  listing.duration = seconds(happens(0.04) ? long_duration.count() : between(1, 5));
  if (listing.duration >= seconds(2) && happens(0.4)) {
    const std::int64_t window = between(1, std::min<std::int64_t>(2, listing.duration.count() / 2));
    listing.anti_snipe = {.window_seconds = window, .extend_seconds = 1, .max_extensions = between(1, 4)};
  }
  if (happens(0.03)) listing.on_close = OnClose::outside;
  books_.listings.push_back(std::move(listing));
  views_.push_back({.worth = books_.listings.back().start_price * between(2, 15)});
  return index;
}

void MarketCrowd::close(SteadyTime now) {
  closing_ = true;
  looks_.clear();
  lists_.clear();
  for (const std::uint32_t listing : live_) {
    if (when(views_[listing].ends_at) <= now + awaited) continue;
    const std::uint32_t seller = books_.listings[listing].seller;
    agenda_.push_back({.act = Act::cancel, .player = seller, .subject = listing});
  }
}

std::optional<MarketCall> MarketCrowd::next(SteadyTime now) {
  if (!agenda_.empty()) {
    const MarketCall call = agenda_.front();
    agenda_.pop_front();
    return call;
  }
  if (closing_) return std::nullopt;
  if (auto call = look_after_items(now)) return call;
  return trade(now);
}

std::optional<MarketCall> MarketCrowd::look_after_items(SteadyTime now) {
  while (!looks_.empty() && looks_.begin()->first <= now) {
    const std::uint32_t listing = looks_.begin()->second;
    looks_.erase(looks_.begin());
    views_[listing].look.reset();
    if (views_[listing].place) return MarketCall{.act = Act::look, .subject = listing};
  }
  while (!lists_.empty() && lists_.begin()->first <= now) {
    const std::uint32_t item = lists_.begin()->second;
    lists_.erase(lists_.begin());
    const Thing& thing = things_[item];
    if (thing.owner && thing.live_listings == 0 && thing.asked == 0) return list(item);
  }
  return std::nullopt;
}

/// Now and then the seller presses the button twice, and by a new form: two listings of one item, of which
/// one may be.
MarketCall MarketCrowd::list(std::uint32_t item) {
  Thing& thing = things_[item];
  const std::uint32_t seller = *thing.owner;
  if (happens(0.04)) {
    agenda_.push_front({.act = Act::list, .player = seller, .subject = draft_listing(item, seller)});
    ++thing.asked;
  }
  ++thing.asked;
  return {.act = Act::list, .player = seller, .subject = draft_listing(item, seller)};
}

std::optional<MarketCall> MarketCrowd::trade(SteadyTime now) {
  if (live_.empty()) return std::nullopt;
  if (happens(0.03)) return pick_quarrel();
  const std::optional<std::uint32_t> listing = pick_listing(now);
  if (!listing) return std::nullopt;
  const std::optional<std::int64_t> buyout = books_.listings[*listing].buyout_price;
  if (buyout && (views_[*listing].min_next_bid >= *buyout || happens(0.01))) {
    const std::uint32_t buyer = pick_player(books_.listings[*listing].seller, *buyout);
    return MarketCall{.act = Act::buy_out, .player = buyer, .subject = *listing, .amount = *buyout};
  }
  return bid_on(*listing);
}

/// What goes wrong, or nearly: a seller who takes back, or bids himself; a price of yesterday; the item, the
/// listing of somebody else.
std::optional<MarketCall> MarketCrowd::pick_quarrel() {
  std::uint32_t listing = live_[any(live_.size())];
  for (int tries = 0; tries < 3 && !views_[listing].bidder.empty(); ++tries) {
    listing = live_[any(live_.size())];
  }
  const MarketListing& asked = books_.listings[listing];
  const std::uint32_t somebody = any(books_.players.size());
  switch (any(8)) {
    case 0:
      return MarketCall{.act = Act::bid,
                        .player = asked.seller,
                        .subject = listing,
                        .amount = std::max<std::int64_t>(1, views_[listing].min_next_bid)};
    case 1:
      return MarketCall{.act = Act::bid,
                        .player = somebody,
                        .subject = listing,
                        .amount = std::max<std::int64_t>(1, views_[listing].min_next_bid - 1)};
    case 2:
      return MarketCall{.act = Act::buy_out,
                        .player = somebody,
                        .subject = listing,
                        .amount = asked.buyout_price.value_or(100) + 1};
    case 3: return MarketCall{.act = Act::cancel, .player = somebody, .subject = listing};
    case 4: {
      const std::uint32_t item = asked.item;  // It is listed, and perhaps not his.
      return MarketCall{.act = Act::list, .player = somebody, .subject = draft_listing(item, somebody)};
    }
    default: return MarketCall{.act = Act::cancel, .player = asked.seller, .subject = listing};
  }
}

MarketCall MarketCrowd::bid_on(std::uint32_t listing) {
  const std::int64_t least = std::max<std::int64_t>(1, views_[listing].min_next_bid);
  std::int64_t amount = least;
  if (happens(0.5)) amount += between(0, least / 10);
  if (happens(0.1)) amount += between(0, least / 3);
  return {.act = Act::bid,
          .player = pick_player(books_.listings[listing].seller, amount),
          .subject = listing,
          .amount = amount};
}

/// Every third wants what ends this moment; the others crowd around a few favourites.
std::optional<std::uint32_t> MarketCrowd::pick_listing(SteadyTime now) {
  const Timestamp store_now{(ours(now) + clock_ahead_).count()};
  if (happens(0.35)) {
    const auto ending = ends_.lower_bound({store_now - too_late, 0});
    if (ending != ends_.end() && ending->first < store_now + snipe_window) return ending->second;
  }
  for (int tries = 0; tries < 8; ++tries) {
    const double share = std::uniform_real_distribution<double>(0, 1)(chance_);
    const auto place = static_cast<std::size_t>(share * share * static_cast<double>(live_.size()));
    const std::uint32_t listing = live_[std::min(place, live_.size() - 1)];
    const View& view = views_[listing];
    if (view.min_next_bid <= view.worth && view.ends_at > store_now - too_late) return listing;
  }
  return std::nullopt;
}

/// Somebody who can pay, mostly.
std::uint32_t MarketCrowd::pick_player(std::uint32_t other_than, std::int64_t amount) {
  std::uint32_t player = any(books_.players.size());
  for (int tries = 0; tries < 4 && (player == other_than || purses_[player] < amount); ++tries) {
    player = any(books_.players.size());
  }
  return player;
}

void MarketCrowd::told(const MarketCall& call, const TradeAnswer& answer, SteadyTime now) {
  note(books_, call, answer);
  if (answer.wallet) purses_[call.player] = answer.wallet->available;
  const bool accepted = answer.what == TradeAnswer::What::accepted;
  if (call.act == Act::list && !accepted) return list_refused(call.subject, answer, now);
  if (accepted && answer.listing) {
    if (call.act == Act::list) return opened(call.subject, *answer.listing, now);
    return seen(call.subject, *answer.listing, now);
  }
  if (answer.code == "listing_closed") return look_at(call.subject, now + settled_soon);
  if (answer.code == "bid_too_low") {
    std::int64_t& least = views_[call.subject].min_next_bid;
    least = std::max(least, answer.min_next_bid);
  }
}

void MarketCrowd::opened(std::uint32_t listing, const SeenListing& shown, SteadyTime now) {
  Thing& thing = things_[books_.listings[listing].item];
  if (thing.asked > 0) --thing.asked;
  ++thing.live_listings;
  thing.owner = books_.listings[listing].seller;
  views_[listing].place = live_.size();
  live_.push_back(listing);
  seen(listing, shown, now);
  if (!happens(0.06) || closing_) return;  // A second thought.
  agenda_.push_front({.act = Act::cancel, .player = books_.listings[listing].seller, .subject = listing});
}

/// An answer may be overtaken by a younger one.
void MarketCrowd::seen(std::uint32_t listing, const SeenListing& shown, SteadyTime now) {
  clock_ahead_ = std::max(clock_ahead_, microseconds(shown.server_time.micros) - ours(now));
  View& view = views_[listing];
  if (!view.place || shown.version < view.version) return;
  if (shown.status != ListingStatus::active) return closed(listing, shown, now);
  const bool outbid = !view.bidder.empty() && view.bidder != shown.bidder;
  if (const auto loser = players_.find(view.bidder); outbid && loser != players_.end()) {
    purses_[loser->second] += view.current_bid;
  }
  view.version = shown.version;
  view.bidder = shown.bidder;
  view.current_bid = shown.current_bid.value_or(0);
  view.min_next_bid = shown.min_next_bid.value_or(0);
  if (view.ends_at != shown.ends_at) {
    ends_.erase({view.ends_at, listing});
    ends_.insert({shown.ends_at, listing});
    view.ends_at = shown.ends_at;
  }
  const bool ended = shown.server_time >= shown.ends_at;
  look_at(listing, ended ? now + settled_soon : when(shown.ends_at) + milliseconds(20));
}

void MarketCrowd::look_at(std::uint32_t listing, SteadyTime at) {
  std::optional<SteadyTime>& planned = views_[listing].look;
  if (planned && *planned <= at) return;
  planned = at;
  looks_.emplace(at, listing);
}

void MarketCrowd::closed(std::uint32_t listing, const SeenListing& shown, SteadyTime now) {
  forget_live(listing);
  const MarketListing& asked = books_.listings[listing];
  Thing& thing = things_[asked.item];
  --thing.live_listings;
  const auto buyer = players_.find(shown.buyer);
  if (buyer != players_.end()) thing.owner = buyer->second;
  if (shown.status == ListingStatus::sold) purses_[asked.seller] += shown.price.value_or(0) * 9 / 10;
  if (asked.on_close == OnClose::outside) {
    thing.owner.reset();
    if (!closing_) add_item();
  } else if (!closing_) {
    list_at(asked.item, now + milliseconds(between(0, 300)));
  }
}

void MarketCrowd::forget_live(std::uint32_t listing) {
  View& view = views_[listing];
  ends_.erase({view.ends_at, listing});
  const std::size_t place = *view.place;
  view.place.reset();
  live_[place] = live_.back();
  if (live_[place] != listing) views_[live_[place]].place = place;
  live_.pop_back();
}

/// Not his item: whoever has it does not tell us, so another takes its place.
void MarketCrowd::list_refused(std::uint32_t listing, const TradeAnswer& answer, SteadyTime now) {
  const MarketListing& asked = books_.listings[listing];
  Thing& thing = things_[asked.item];
  const bool of_owner = thing.owner == asked.seller && thing.asked > 0;
  if (!of_owner) return;
  --thing.asked;
  if (thing.asked > 0 || thing.live_listings > 0 || closing_) return;
  if (answer.code == "insufficient_funds") return list_at(asked.item, now + milliseconds(300));
  thing.owner.reset();
  add_item();
}

SteadyTime MarketCrowd::when(Timestamp store_time) const {
  return SteadyTime(microseconds(store_time.micros) - clock_ahead_);
}

}  // namespace hotrow
