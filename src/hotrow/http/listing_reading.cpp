#include "hotrow/http/listing_reading.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace hotrow::http {
namespace {

PolicyId listing_policy(const ListingRow& listing) {
  return {.scope = PolicyScope::listing, .id = listing.id};
}

PolicyId family_policy(const std::string& family) { return {.scope = PolicyScope::family, .id = family}; }

}  // namespace

ListingView MarketTime::view(const ListingRow& row, const Pressure& pressure) const {
  return {
      .row = row, .extension = extension, .server_time = std::max(now, row.decided_at), .pressure = pressure};
}

Result<MarketTime> read_market_time(Queries& queries) {
  Result<MarketRow> market = queries.market();
  if (!market) return failure(std::move(market.error()));
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  return MarketTime{.extension = market->extension, .now = *now};
}

Result<std::vector<Pressure>> read_pressures(Queries& queries, std::span<const ListingRow> listings) {
  if (listings.empty()) return std::vector<Pressure>();
  std::set<std::string> families;
  for (const ListingRow& listing : listings) families.insert(listing.terms->item.family);
  std::vector<PolicyId> ids;
  ids.reserve(listings.size() + families.size());
  for (const ListingRow& listing : listings) ids.push_back(listing_policy(listing));
  for (const std::string& family : families) ids.push_back(family_policy(family));

  Result<std::vector<PolicyRow>> policies = queries.policies(ids);
  if (!policies) return failure(std::move(policies.error()));
  std::map<Key, Pressure> set;
  for (const PolicyRow& policy : *policies) set.emplace(policy_key(policy.id), policy.pressure);
  const auto said_by = [&set](const PolicyId& id) {
    const auto found = set.find(policy_key(id));
    return found != set.end() ? found->second : Pressure{};
  };
  std::vector<Pressure> pressures;
  pressures.reserve(listings.size());
  for (const ListingRow& listing : listings) {
    pressures.push_back(
        merged(said_by(listing_policy(listing)), said_by(family_policy(listing.terms->item.family))));
  }
  return pressures;
}

Result<std::optional<ListingReading>> read_listing(Queries& queries, const std::string& id) {
  Result<std::optional<ListingRow>> row = queries.listing(id);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return std::nullopt;
  Result<std::vector<Pressure>> pressures = read_pressures(queries, {&**row, 1});
  if (!pressures) return failure(std::move(pressures.error()));
  Result<MarketTime> market = read_market_time(queries);
  if (!market) return failure(std::move(market.error()));
  return ListingReading{.row = std::move(**row), .pressure = pressures->front(), .market = *market};
}

Response listing_not_found_response(const std::string& listing, const AnswerContext& context) {
  return problem_response({.code = "listing_not_found",
                           .detail = "There is no listing with this id.",
                           .figures = {{"listing_id", listing}}},
                          context);
}

}  // namespace hotrow::http
