#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "hotrow/app/http_client.hpp"
#include "hotrow/app/market_check.hpp"

namespace hotrow {

/// Reads what became of a run, from whichever of its servers answers. Used by one thread; blocks.
class MarketReader {
 public:
  struct Options {
    std::vector<HttpUrl> urls;
    std::string api_key;
    std::chrono::seconds patience{60};  ///< For one answer, and for a listing to be settled after its end.
    std::function<void(std::size_t done, std::size_t of)> progress;  ///< May be empty.
  };

  explicit MarketReader(Options options);

  /// Waits until every listing that ends soon is closed. Errors: transient (no server answers), invalid (an
  /// answer that cannot be read).
  Result<MarketState> read(const MarketBooks& books);

 private:
  Result<HttpAnswer> get(const std::string& target);
  Result<std::optional<SeenListing>> read_closed(const MarketListing& listing);
  Result<std::optional<SeenListing>> read_listing(const MarketListing& listing);
  Result<std::vector<SeenBid>> read_bids(const MarketListing& listing);
  Result<void> read_listings(const MarketBooks& books, MarketState& state);
  Result<void> read_players(const MarketBooks& books, MarketState& state);
  Result<void> read_items(const MarketBooks& books, MarketState& state);
  void tell(std::size_t done);

  Options options_;
  std::vector<HttpClient> clients_;
  std::size_t turn_ = 0;  ///< The client that answered last.
  std::size_t questions_ = 0;
};

}  // namespace hotrow
