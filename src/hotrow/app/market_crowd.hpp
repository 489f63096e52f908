#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotrow/app/market_books.hpp"
#include "hotrow/base/time.hpp"

namespace hotrow {

struct MarketPlan {
  std::size_t players = 1'000;
  std::size_t listings = 500;  ///< Kept going at a time.
  std::uint64_t seed = 0;
  std::string prefix;  ///< Of all ids. Another one for each run: players of an earlier run have a history.
};

/// The players of a market: who trades what next, by what they were told before. Everybody has a deposit;
/// everything is listed, bid for, bought, won and listed again. Some snipe, some bid too low or on their own
/// listing, some list one item twice at once.
///
/// No I/O and no clock: times come in as arguments, chance from the seed. Used by one thread.
class MarketCrowd {
 public:
  explicit MarketCrowd(const MarketPlan& plan);

  const MarketBooks& books() const { return books_; }

  /// What somebody does now; nullopt when nobody has anything to do just now.
  std::optional<MarketCall> next(SteadyTime now);

  /// What a call was told for good.
  void told(const MarketCall& call, const TradeAnswer& answer, SteadyTime now);

  /// From now on only what brings the market to its end: sellers take back what would last longer.
  void close(SteadyTime now);

  /// Listings that are known to be going on.
  std::size_t live() const { return live_.size(); }

  void contradict(std::string what) { books_.contradictions.push_back(std::move(what)); }

 private:
  /// How a listing looks to everybody.
  struct View {
    std::int64_t version = 0;
    std::int64_t min_next_bid = 0;
    std::int64_t worth = 0;  ///< Nobody pays more.
    std::string bidder;
    std::int64_t current_bid = 0;
    Timestamp ends_at;
    std::optional<std::size_t> place;  ///< In live_.
    std::optional<SteadyTime> look;    ///< When it will be looked at next.
  };
  struct Thing {
    std::optional<std::uint32_t> owner;  ///< nullopt: out of the game.
    std::uint32_t live_listings = 0;
    std::uint32_t asked = 0;  ///< Listings asked for and not answered.
  };

  void plan_players(const MarketPlan& plan);
  void add_item();
  std::uint32_t draft_listing(std::uint32_t item, std::uint32_t seller);

  std::optional<MarketCall> look_after_items(SteadyTime now);
  MarketCall list(std::uint32_t item);
  std::optional<MarketCall> trade(SteadyTime now);
  std::optional<MarketCall> pick_quarrel();
  MarketCall bid_on(std::uint32_t listing);
  std::optional<std::uint32_t> pick_listing(SteadyTime now);
  std::uint32_t pick_player(std::uint32_t other_than, std::int64_t amount);

  void opened(std::uint32_t listing, const SeenListing& shown, SteadyTime now);
  void seen(std::uint32_t listing, const SeenListing& shown, SteadyTime now);
  void closed(std::uint32_t listing, const SeenListing& shown, SteadyTime now);
  void list_refused(std::uint32_t listing, const TradeAnswer& answer, SteadyTime now);
  void look_at(std::uint32_t listing, SteadyTime at);
  void list_at(std::uint32_t item, SteadyTime at) { lists_.emplace(at, item); }
  void forget_live(std::uint32_t listing);

  bool happens(double share) { return std::uniform_real_distribution<double>(0, 1)(chance_) < share; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(chance_);
  }
  std::uint32_t any(std::size_t size) { return static_cast<std::uint32_t>(chance_() % size); }
  SteadyTime when(Timestamp store_time) const;

  std::mt19937_64 chance_;
  std::string prefix_;
  MarketBooks books_;
  std::deque<MarketCall> agenda_;     ///< Done first, in order.
  std::vector<View> views_;           ///< Of books_.listings.
  std::vector<Thing> things_;         ///< Of books_.items.
  std::vector<std::int64_t> purses_;  ///< What each player probably has available.
  std::unordered_map<std::string, std::uint32_t> players_;
  std::vector<std::uint32_t> live_;
  std::set<std::pair<Timestamp, std::uint32_t>> ends_;
  std::multimap<SteadyTime, std::uint32_t> looks_;                           ///< Listings to be looked at.
  std::multimap<SteadyTime, std::uint32_t> lists_;                           ///< Items to be listed.
  std::chrono::microseconds clock_ahead_{std::chrono::microseconds::min()};  ///< Store's clock less ours.
  bool closing_ = false;
};

}  // namespace hotrow
