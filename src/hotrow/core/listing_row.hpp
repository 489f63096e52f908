#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/base/time.hpp"
#include "hotrow/core/wallet_row.hpp"

namespace hotrow {

enum class ItemLocation : std::uint8_t {
  inventory,  ///< With its owner.
  escrow,     ///< In exactly one active listing.
  outside,    ///< Left for the game, for ever.
};

std::string_view to_string(ItemLocation location);
std::optional<ItemLocation> item_location_from_string(std::string_view text);

/// What an item is. Immutable.
struct ItemFacts {
  std::string id;
  std::string family;
  std::string attributes = "{}";  ///< A JSON object in canonical form.
  friend bool operator==(const ItemFacts&, const ItemFacts&) = default;
};

/// One thing, in one place at a time. Created once; its id is burnt for ever.
struct ItemRow {
  ItemFacts facts;
  Owner owner;
  ItemLocation location = ItemLocation::inventory;
  std::string listing;      ///< Whose escrow; empty elsewhere.
  std::int64_t events = 0;  ///< Sequence of the subject's latest event.
  Timestamp created_at;
  Owner created_for;  ///< The first owner: by him the same creation is recognised.
};

/// What the house takes, fixed on the listing when it is made. Basis points are hundredths of a percent.
struct Rates {
  std::int64_t deposit_bps = 100;
  std::int64_t deposit_min = 1;
  std::int64_t cut_bps = 500;
  std::int64_t cut_min = 1;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// A bid that changes the leader within the last `window_seconds` moves the end to at least `extend_seconds`
/// from now, and never past the first end by more than `max_extensions` times that.
struct AntiSnipe {
  std::int64_t window_seconds = 0;
  std::int64_t extend_seconds = 0;
  std::int64_t max_extensions = 0;
  friend bool operator==(const AntiSnipe&, const AntiSnipe&) = default;
};

/// Where the item goes when the listing ends, whoever gets it.
enum class OnClose : std::uint8_t { inventory, outside };

std::string_view to_string(OnClose place);
std::optional<OnClose> on_close_from_string(std::string_view text);

/// What a seller sets. Never changes; shared because a batch copies the row once per bid.
struct ListingTerms {
  std::string seller;  ///< A player.
  ItemFacts item;
  std::string currency{default_currency};
  std::int64_t start_price = 0;
  std::optional<std::int64_t> buyout_price;
  std::int64_t min_increment = 1;
  std::optional<AntiSnipe> anti_snipe;
  OnClose on_close = OnClose::inventory;
  Rates rates;
  std::int64_t deposit = 0;
  Timestamp first_ends_at;  ///< In market time, like ListingRow::ends_at.
  Timestamp created_at;
  friend bool operator==(const ListingTerms&, const ListingTerms&) = default;
};

enum class ListingStatus : std::uint8_t { active, sold, expired, cancelled, voided };

std::string_view to_string(ListingStatus status);
std::optional<ListingStatus> listing_status_from_string(std::string_view text);

/// The best bid so far, whose money is held.
struct Lead {
  std::string bidder;  ///< A player.
  std::int64_t amount = 0;
  std::int64_t n = 0;  ///< Of the bid.
  Timestamp placed_at;
  friend bool operator==(const Lead&, const Lead&) = default;
};

struct ListingClosing {
  Timestamp at;
  std::string by;  ///< "schedule", "buyout", "seller" or "operator:<key name>".
  std::string buyer;
  std::int64_t price = 0;  ///< 0 when it was not sold.
  std::string reason;      ///< An operator's.
  friend bool operator==(const ListingClosing&, const ListingClosing&) = default;
};

/// The row that a whole server bids on.
///
/// Ends are in *market time*: the store's clock less the pauses that an operator gave back with `extend`
/// (MarketRow::extension). One row moves every active end, the order of ends never changes, and no index has
/// to be written. What people see is shown_end().
struct ListingRow {
  std::string id;
  std::shared_ptr<const ListingTerms> terms;
  ListingStatus status = ListingStatus::active;
  std::optional<Lead> lead;
  std::int64_t bids = 0;  ///< n of the latest bid, raises included.
  std::int64_t extensions = 0;
  Timestamp ends_at;         ///< Half-open: a bid at exactly ends_at is too late.
  std::int64_t version = 0;  ///< Every change.
  std::int64_t events = 0;   ///< Sequence of the subject's latest event.
  Timestamp decided_at;  ///< The latest time a change was decided at: the listing's clock never goes back.
  std::optional<ListingClosing> closing;
  std::string set_aside;  ///< Why nobody may go on with it until an operator has looked; empty: nothing.
};

/// One bid, a raise included. Immutable.
struct BidRow {
  std::string listing;
  std::int64_t n = 0;
  std::string bidder;
  std::int64_t amount = 0;
  Timestamp placed_at;
};

/// "<listing>:<n>"
std::string bid_id(const std::string& listing, std::int64_t n);

/// What an operator allows a player. Absent: everything.
struct PlayerRow {
  std::string id;
  bool trade_blocked = false;
  std::string reason;
  std::int64_t version = 0;
  std::int64_t events = 0;
};

/// Whether trading goes on. Absent: it does, and no pause was ever given back.
struct MarketRow {
  bool paused = false;
  Timestamp paused_at;
  std::string reason;
  std::chrono::microseconds extension{0};  ///< All pauses given back so far.
  std::int64_t version = 0;
  std::int64_t events = 0;
};

}  // namespace hotrow
