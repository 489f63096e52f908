#pragma once

#include <string>
#include <string_view>

#include "tests/http/http_world.hpp"

namespace hotrow::test {

/// A server with an auction house, and words for what players do there.
class MarketWorld : public HttpWorld {
 public:
  explicit MarketWorld(WorldOptions options = {}) : HttpWorld(std::move(options)) {}

  /// Under a key of its own, or under that in `headers`.
  ProbeAnswer post(std::string_view target, std::string_view body, ProbeHeaders headers = {});

  /// Gold for a player.
  ProbeAnswer deposit(std::string_view player, std::int64_t amount);
  /// A sword called `id`.
  ProbeAnswer put_item(std::string_view id, std::string_view owner);
  /// A sword made on the spot, from 100 on for an hour. The seller has the deposit.
  ProbeAnswer list(std::string_view id, std::string_view seller = "seller",
                   std::string_view more_members = R"(,"buyout_price":500)");
  ProbeAnswer bid(std::string_view listing, std::string_view bidder, std::int64_t amount,
                  const ProbeHeaders& headers = {});
  ProbeAnswer buy(std::string_view listing, std::string_view buyer);
  ProbeAnswer cancel(std::string_view listing, std::string_view seller = "seller");

  /// `policy` is what stands behind /v1/policies/ in the path.
  ProbeAnswer put_policy(std::string_view policy, std::string_view body);
  ProbeAnswer get_policy(std::string_view policy);

  /// A player's gold: "available/held".
  std::string gold(std::string_view player);

 private:
  int keys_ = 0;
};

/// The ids in a page of a list, joined by blanks; another member than "id" can be asked for.
std::string ids_of(const ProbeAnswer& page, std::string_view member = "id");

/// Walks a list with pages of `limit`: all ids in the order told, joined by blanks.
std::string walk(HttpWorld& world, const std::string& target, int limit, std::string_view member = "id");

}  // namespace hotrow::test
