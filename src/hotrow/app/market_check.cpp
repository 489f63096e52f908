#include "hotrow/app/market_check.hpp"

#include <algorithm>
#include <unordered_map>

namespace hotrow {
namespace {

using Found = std::vector<std::string>;

std::string figure(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "nothing";
}

/// One listing's course against all that was told of it.
class CourseCheck {
 public:
  CourseCheck(const MarketBooks& books, const MarketListing& told, const FoundListing& found, Found& out)
      : books_(books), told_(told), listing_(found.listing), bids_(found.bids), out_(out) {}

  void check() {
    check_terms();
    check_bids();
    check_told_bids();
    check_end();
    check_told_end();
  }

 private:
  void differ(const std::string& what) { out_.push_back("listing " + told_.id + " " + what); }
  const std::string& player(std::uint32_t index) const { return books_.players[index].id; }

  void check_terms() {
    if (!told_.made) return differ("was never told to be made, and is there");
    if (listing_.seller != player(told_.seller)) differ("is sold by " + listing_.seller);
    if (listing_.item != books_.items[told_.item].id) differ("sells " + listing_.item);
    if (listing_.deposit != told_.deposit) {
      differ("has a deposit of " + std::to_string(listing_.deposit) + ", told was " +
             std::to_string(told_.deposit));
    }
    if (listing_.version < told_.version) {
      differ("is at version " + std::to_string(listing_.version) + ", and was at " +
             std::to_string(told_.version));
    }
    if (!listing_.set_aside.empty()) differ("is set aside: " + listing_.set_aside);
  }

  /// The bids by themselves: 1..n, each at least the increment above the one before, in time.
  void check_bids() {
    std::int64_t expected = 0;
    std::int64_t least = told_.start_price;
    Timestamp before;
    for (const SeenBid& bid : bids_) {
      const std::string name = "bid " + std::to_string(bid.n);
      if (bid.n != ++expected) differ("has " + name + " where bid " + std::to_string(expected) + " is due");
      expected = bid.n;
      if (bid.amount < least) {
        differ(name + " is " + std::to_string(bid.amount) + ", below the least of " + std::to_string(least));
      }
      if (told_.buyout_price && bid.amount >= *told_.buyout_price) differ(name + " reaches the buyout price");
      if (bid.placed_at < before) differ(name + " was placed before the one before it");
      if (bid.placed_at >= listing_.ends_at) differ(name + " was placed at or after the end");
      if (listing_.closed_at && bid.placed_at > *listing_.closed_at)
        differ(name + " was placed after the close");
      if (bid.bidder == listing_.seller) differ(name + " is the seller's own");
      least = bid.amount + told_.min_increment;
      before = bid.placed_at;
    }
    if (listing_.bid_count != expected) {
      differ("counts " + std::to_string(listing_.bid_count) + " bids and lists " + std::to_string(expected));
    }
  }

  /// Every accepted bid is there, and every bid there was told to somebody.
  void check_told_bids() {
    std::vector<bool> told(bids_.size(), false);
    for (const MarketBid& bid : told_.bids) {
      const std::string name = player(bid.player) + "'s bid " + std::to_string(bid.n);
      const auto found = std::ranges::find(bids_, bid.n, &SeenBid::n);
      if (found == bids_.end()) {
        differ("lost " + name + " of " + std::to_string(bid.amount));
        continue;
      }
      const auto place = static_cast<std::size_t>(found - bids_.begin());
      if (told[place]) differ("told bid " + std::to_string(bid.n) + " to two calls");
      told[place] = true;
      if (found->bidder != player(bid.player)) differ("has " + name + " as that of " + found->bidder);
      if (found->amount != bid.amount) {
        differ("has " + name + " as " + std::to_string(found->amount) + ", told was " +
               std::to_string(bid.amount));
      }
      if (found->placed_at != bid.placed_at) differ("has another time for " + name);
    }
    for (std::size_t i = 0; i < bids_.size(); ++i) {
      if (!told[i])
        differ("has a bid " + std::to_string(bids_[i].n) + " of " + bids_[i].bidder +
               " that nobody was told of");
    }
  }

  /// How it ended follows from the bids and the clock.
  void check_end() {
    const bool sold = listing_.status == ListingStatus::sold;
    const bool active = listing_.status == ListingStatus::active;
    if (active == listing_.closed_at.has_value()) differ("is closed in one way and open in another");
    const std::string last = bids_.empty() ? std::string() : bids_.back().bidder;
    if (active) {
      if (listing_.bidder != last) differ("is led by " + listing_.bidder + ", the last bid is of " + last);
      if (listing_.server_time >= listing_.ends_at) differ("has ended and was not settled");
      return;
    }
    if (!listing_.bidder.empty()) differ("is over and still led by " + listing_.bidder);
    const bool by_schedule = listing_.closed_by == "schedule";
    if (by_schedule && listing_.closed_at < listing_.ends_at) differ("was settled before its end");
    if (by_schedule && sold != !bids_.empty()) differ("ended otherwise than its bids say");
    if (sold && by_schedule && !bids_.empty()) {
      if (listing_.buyer != last) differ("went to " + listing_.buyer + ", the last bid is of " + last);
      if (listing_.price != bids_.back().amount) {
        differ("was sold for " + figure(listing_.price) + ", the last bid is " +
               std::to_string(bids_.back().amount));
      }
    }
    if (listing_.status == ListingStatus::cancelled && !bids_.empty()) differ("was cancelled with bids");
    if (listing_.status == ListingStatus::voided) differ("was voided, and not by this run");
  }

  void check_told_end() {
    if (told_.buyers.size() > 1) differ("was told as bought to " + std::to_string(told_.buyers.size()));
    const bool bought = listing_.closed_by == "buyout";
    for (const std::uint32_t buyer : told_.buyers) {
      if (!bought || listing_.buyer != player(buyer)) {
        differ("was told as bought to " + player(buyer) + ", it is " +
               std::string(to_string(listing_.status)) + " to " +
               (listing_.buyer.empty() ? "nobody" : listing_.buyer));
      }
    }
    if (bought && told_.buyers.empty()) differ("was bought by " + listing_.buyer + ", who was not told");
    if (bought && listing_.price != told_.buyout_price) {
      differ("was bought for " + figure(listing_.price) + ", the buyout price is " +
             figure(told_.buyout_price));
    }
    const bool cancelled = listing_.status == ListingStatus::cancelled;
    if (cancelled != told_.cancelled) {
      differ(cancelled ? "is cancelled, and nobody was told so" : "was told as cancelled and is not");
    }
  }

  const MarketBooks& books_;
  const MarketListing& told_;
  const SeenListing& listing_;
  const std::vector<SeenBid>& bids_;
  Found& out_;
};

/// min(price, max(cut_min, floor(price x cut_bps / 10000))): the contract's words, and no code of the
/// server's.
std::int64_t cut_of(const SeenListing& listing) {
  __extension__ using Wide = __int128;
  const std::int64_t price = listing.price.value_or(0);
  const auto part = static_cast<std::int64_t>(Wide(price) * listing.cut_bps / 10'000);
  return std::min(price, std::max(listing.cut_min, part));
}

/// What wallets and items must be after the courses of all listings.
class Reckoning {
 public:
  Reckoning(const MarketBooks& books, const MarketState& state, Found& out)
      : books_(books), state_(state), out_(out), purses_(books.players.size()) {
    for (std::size_t i = 0; i < books.players.size(); ++i) {
      players_[books.players[i].id] = i;
      purses_[i].available = books.players[i].deposited;
    }
  }

  void check() {
    std::vector<Courses> courses(books_.items.size());
    for (std::size_t i = 0; i < books_.listings.size(); ++i) {
      if (!state_.listings[i]) continue;
      const SeenListing& listing = state_.listings[i]->listing;
      pay(listing);
      courses[books_.listings[i].item].push_back({&books_.listings[i], &listing});
    }
    for (std::size_t i = 0; i < purses_.size(); ++i) check_wallet(i);
    for (std::size_t i = 0; i < courses.size(); ++i) check_item(i, std::move(courses[i]));
  }

 private:
  struct Course {
    const MarketListing* told;
    const SeenListing* found;
  };
  using Courses = std::vector<Course>;

  /// nullptr, and a difference, for somebody who does not belong to this run.
  SeenWallet* purse(const std::string& player, const SeenListing& listing) {
    const auto found = players_.find(player);
    if (found != players_.end()) return &purses_[found->second];
    out_.push_back("listing " + listing.id + " has to do with a stranger: " + player);
    return nullptr;
  }

  void pay(const SeenListing& listing) {
    SeenWallet* seller = purse(listing.seller, listing);
    const bool open = listing.status == ListingStatus::active;
    const bool sold = listing.status == ListingStatus::sold;
    if (seller != nullptr) {
      const bool gets_back = sold || listing.status == ListingStatus::voided;
      if (!gets_back) seller->available -= listing.deposit;
      if (open) seller->held += listing.deposit;
      if (sold) seller->available += listing.price.value_or(0) - cut_of(listing);
    }
    const std::string& payer = open ? listing.bidder : listing.buyer;
    if (payer.empty()) return;
    SeenWallet* purse_of_payer = purse(payer, listing);
    if (purse_of_payer == nullptr) return;
    const std::int64_t amount = (open ? listing.current_bid : listing.price).value_or(0);
    purse_of_payer->available -= amount;
    if (open) purse_of_payer->held += amount;
  }

  void check_wallet(std::size_t player) {
    const SeenWallet& expected = purses_[player];
    const SeenWallet& found = state_.wallets[player];
    if (expected.available == found.available && expected.held == found.held) return;
    out_.push_back("wallet of " + books_.players[player].id + " has " + std::to_string(found.available) +
                   " available and " + std::to_string(found.held) + " held, the books say " +
                   std::to_string(expected.available) + " and " + std::to_string(expected.held));
  }

  void check_item(std::size_t index, Courses courses) {
    const MarketItem& item = books_.items[index];
    const std::optional<SeenItem>& found = state_.items[index];
    if (item.made != found.has_value()) {
      out_.push_back("item " + item.id +
                     (found ? " is there, and nobody was told so" : " was told to be there and is not"));
      return;
    }
    if (!found) return;
    std::ranges::sort(courses, {}, [](const Course& course) {
      return std::pair(course.found->created_at, course.found->closed_at.value_or(course.found->server_time));
    });
    check_place(index, courses, *found);
  }

  void check_place(std::size_t index, const Courses& courses, const SeenItem& found) {
    const MarketItem& item = books_.items[index];
    std::string owner = books_.players[item.maker].id;
    std::string place = "inventory";
    for (const auto& [told, listing] : courses) {
      if (place != "inventory" || listing->seller != owner) {
        out_.push_back("item " + item.id + " was listed by " + listing->seller + " as " + listing->id +
                       " while in the " + place + " of " + owner);
      }
      owner = listing->status == ListingStatus::sold ? listing->buyer : listing->seller;
      place = told->on_close == OnClose::outside ? "outside" : "inventory";
      if (listing->status == ListingStatus::active) place = "escrow";
    }
    if (found.owner == "player:" + owner && found.location == place) return;
    out_.push_back("item " + item.id + " is in the " + found.location + " of " + found.owner +
                   ", the books say in the " + place + " of player:" + owner);
  }

  const MarketBooks& books_;
  const MarketState& state_;
  Found& out_;
  std::vector<SeenWallet> purses_;
  std::unordered_map<std::string, std::size_t> players_;
};

}  // namespace

std::vector<std::string> differences(const MarketBooks& books, const MarketState& state) {
  Found found = books.contradictions;
  for (std::size_t i = 0; i < books.listings.size(); ++i) {
    const MarketListing& told = books.listings[i];
    if (state.listings[i]) {
      CourseCheck(books, told, *state.listings[i], found).check();
    } else if (told.made) {
      found.push_back("listing " + told.id + " was told to be made and is not there");
    }
  }
  Reckoning(books, state, found).check();
  return found;
}

}  // namespace hotrow
