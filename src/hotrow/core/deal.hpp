#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotrow/core/books.hpp"
#include "hotrow/core/decide.hpp"
#include "hotrow/core/event.hpp"
#include "hotrow/core/listing.hpp"

namespace hotrow {

/// The market's state as a trade sees it.
struct MarketView {
  bool paused = false;
  std::chrono::microseconds extension{0};
};
MarketView market_view(const RowSet& rows);

/// `player_blocked`, when an operator has blocked the player's trade. The player's row must have been
/// fetched.
std::optional<Rejection> block_refusal(const RowSet& rows, const std::string& player);

/// `market_paused` or `player_blocked`, which come before everything else that a trade can be told.
std::optional<Rejection> trade_refusal(const RowSet& rows, const std::string& player);

/// One listing while one command changes it, with the money, the item and the events that go with it.
///
/// Steps that move things return false when the rows are not what they must be: then nothing of this deal may
/// be used but set_aside().
class Deal {
 public:
  /// `listing` must stay where it is. The deal's clock never goes back behind the listing's.
  Deal(const ListingRow& listing, const Envelope& envelope, const RowSet& rows, Timestamp now);

  ListingRow& listing() { return listing_; }
  Books& books() { return books_; }
  Timestamp now() const { return now_; }
  Timestamp market_now() const { return now_ - market_.extension; }
  std::chrono::microseconds extension() const { return market_.extension; }
  const ListingTerms& terms() const { return *listing_.terms; }
  /// In force on the listing; empty where it was not looked up.
  Pressure pressure() const;

  /// The lead's money becomes its owner's again. True without a lead.
  bool refund_lead();
  /// The lead's money is taken out of what is held, to be paid to the seller.
  bool capture_lead();
  /// The seller gets the price less the cut, and his deposit.
  bool pay_seller(std::int64_t price);
  /// The deposit goes back to the seller, or to the house.
  enum class Deposit : std::uint8_t { release, capture };
  bool settle_deposit(Deposit what);
  /// The item leaves the escrow for its new owner.
  bool hand_over(const std::string& player);

  void add(RowWrite write) { changes_.push_back(std::move(write)); }
  void add_event(std::string type, const boost::json::object& data);
  /// Ends the listing.
  void close(ListingStatus status, ListingClosing closing);

  /// Everything that changes. The ledger lines name the event that was added at `main_event` (0: the first).
  Changes take(std::size_t main_event = 0);

  ListingAnswer answer() const;

 private:
  ListingRow listing_;
  const Envelope& envelope_;
  const RowSet& rows_;
  MarketView market_;
  Timestamp now_;
  Books books_;
  std::vector<std::string> event_ids_;
  Changes changes_;
};

/// What is done instead of the command when a listing's rows are not what they must be.
Acceptance set_aside(const ListingRow& listing, const Envelope& envelope, const RowSet& rows, Timestamp now,
                     const std::string& reason);

/// An item's way out into the game, with the event that tells the game.
void leave_for_outside(ItemRow& item, const Envelope& envelope, Timestamp now, Changes& changes);

}  // namespace hotrow
