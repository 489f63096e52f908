#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/core/listing_row.hpp"
#include "hotrow/core/policy_row.hpp"
#include "hotrow/core/wallet_row.hpp"
#include "hotrow/store/market_invariants.hpp"

namespace hotrow {

enum class ListingSort : std::uint8_t {
  ends_at,       ///< Soonest first.
  start_price,   ///< Cheapest first.
  buyout_price,  ///< Cheapest first; only listings that have one.
  newest,        ///< Latest created_at first.
};

/// One page of listings. The sort covers the whole result; equal values are ordered by id, ascending.
struct ListingsQuery {
  ListingStatus status = ListingStatus::active;
  std::optional<std::string> family;
  std::optional<std::string> seller;
  std::optional<std::int64_t> min_price;  ///< Of the start price.
  std::optional<std::int64_t> max_price;  ///< Of the start price.
  ListingSort sort = ListingSort::ends_at;
  /// Where the page before ended: the sorted column's value (times in microseconds) and the id.
  struct After {
    std::int64_t value = 0;
    std::string id;
  };
  std::optional<After> after;
  std::size_t limit = 50;
};

/// Up to so many active listings in a range of prices are found by their prices and then sorted. Where more
/// are in it, walking along another sort meets a page of them soon.
inline constexpr std::int64_t found_by_price_max = 3'000;

/// A player's bids, the latest first.
struct BidsOfQuery {
  std::string player;
  /// The last bid of the page before.
  struct Before {
    Timestamp placed_at;
    std::string listing;
    std::int64_t n = 0;
  };
  std::optional<Before> before;
  std::size_t limit = 50;
};

/// What the house has earned in one currency.
struct HouseTotal {
  std::string currency;
  std::int64_t cut = 0;
  std::int64_t deposits_kept = 0;
};

/// The auction's part of the read port; everything that Queries says holds here too.
class MarketQueries {
 public:
  virtual ~MarketQueries() = default;

  /// Zeros for a wallet that does not exist.
  virtual Result<WalletRow> wallet(const WalletId& id) = 0;
  /// Lines with n > `after_n`, ascending.
  virtual Result<std::vector<LedgerLineRow>> ledger(const WalletId& id, std::int64_t after_n,
                                                    std::size_t limit) = 0;

  virtual Result<std::optional<ItemRow>> item(const std::string& id) = 0;
  /// Ascending by id, after `after_id` ("" from the beginning).
  virtual Result<std::vector<ItemRow>> items_of(const Owner& owner, const std::string& after_id,
                                                std::size_t limit) = 0;

  virtual Result<std::optional<ListingRow>> listing(const std::string& id) = 0;
  /// Those of the ids that exist, in the order asked.
  virtual Result<std::vector<ListingRow>> listings(const std::vector<std::string>& ids) = 0;
  virtual Result<std::vector<ListingRow>> listings(const ListingsQuery& query) = 0;
  /// A seller's listings whatever their status, ascending by id, after `after_id`.
  virtual Result<std::vector<ListingRow>> listings_of(const std::string& seller, const std::string& after_id,
                                                      std::size_t limit) = 0;

  /// Bids on a listing with n > `after_n`, ascending.
  virtual Result<std::vector<BidRow>> bids(const std::string& listing, std::int64_t after_n,
                                           std::size_t limit) = 0;
  virtual Result<std::vector<BidRow>> bids_of(const BidsOfQuery& query) = 0;

  /// The blank row where there is none.
  virtual Result<MarketRow> market() = 0;
  virtual Result<PlayerRow> player(const std::string& id) = 0;
  /// Those of the policies that were ever set, in any order.
  virtual Result<std::vector<PolicyRow>> policies(const std::vector<PolicyId>& ids) = 0;

  /// Ascending by currency.
  virtual Result<std::vector<HouseTotal>> house() = 0;

  /// How often one of market_invariants() is violated, in one snapshot; the example is one of the subjects.
  virtual Result<InvariantCount> check(const MarketInvariant& invariant) = 0;
};

}  // namespace hotrow
