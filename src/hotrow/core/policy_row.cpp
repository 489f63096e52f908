#include "hotrow/core/policy_row.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/base/names.hpp"
#include "hotrow/core/policy_json.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {

namespace json = boost::json;

namespace {

constexpr Names<PolicyScope, 5> scopes({"players", "player", "family", "listing", "promotion"});

using Number = std::optional<std::int64_t>;

void put(json::object& object, std::string_view name, const Number& number) {
  if (number) object[name] = *number;
}

Number number_from(TrustedReader& in, std::string_view name) {
  if (in.find(name) == nullptr) return std::nullopt;
  return in.integer(name);
}

Number first_of(const Number& specific, const Number& general) { return specific ? specific : general; }

}  // namespace

std::string_view to_string(PolicyScope scope) { return scopes.of(scope); }
std::optional<PolicyScope> policy_scope_from_string(std::string_view text) { return scopes.value(text); }

Key policy_key(const PolicyId& id) {
  return {.kind = KeyKind::policy, .first = std::string(to_string(id.scope)), .second = id.id};
}

std::string to_string(const PolicyId& id) {
  std::string text(to_string(id.scope));
  if (!id.id.empty()) text += "/" + id.id;
  return text;
}

PlayerLimits merged(const PlayerLimits& specific, const PlayerLimits& general) {
  return {.max_leading_bids = first_of(specific.max_leading_bids, general.max_leading_bids),
          .max_active_listings = first_of(specific.max_active_listings, general.max_active_listings)};
}

Pressure merged(const Pressure& specific, const Pressure& general) {
  return {.bid_window_ms = first_of(specific.bid_window_ms, general.bid_window_ms),
          .buyouts_per_player_per_minute =
              first_of(specific.buyouts_per_player_per_minute, general.buyouts_per_player_per_minute),
          .buyout_quiet_seconds = first_of(specific.buyout_quiet_seconds, general.buyout_quiet_seconds),
          .queue_max = first_of(specific.queue_max, general.queue_max)};
}

json::object to_json(const PlayerLimits& limits) {
  json::object object;
  put(object, "max_leading_bids", limits.max_leading_bids);
  put(object, "max_active_listings", limits.max_active_listings);
  return object;
}

json::object to_json(const Pressure& pressure) {
  json::object object;
  put(object, "bid_window_ms", pressure.bid_window_ms);
  put(object, "buyouts_per_player_per_minute", pressure.buyouts_per_player_per_minute);
  put(object, "buyout_quiet_seconds", pressure.buyout_quiet_seconds);
  put(object, "queue_max", pressure.queue_max);
  return object;
}

std::optional<PlayerLimits> player_limits_from(const json::value& value) {
  return read_object<PlayerLimits>(value, [](TrustedReader& in) {
    return PlayerLimits{.max_leading_bids = number_from(in, "max_leading_bids"),
                        .max_active_listings = number_from(in, "max_active_listings")};
  });
}

std::optional<Pressure> pressure_from(const json::value& value) {
  return read_object<Pressure>(value, [](TrustedReader& in) {
    return Pressure{.bid_window_ms = number_from(in, "bid_window_ms"),
                    .buyouts_per_player_per_minute = number_from(in, "buyouts_per_player_per_minute"),
                    .buyout_quiet_seconds = number_from(in, "buyout_quiet_seconds"),
                    .queue_max = number_from(in, "queue_max")};
  });
}

json::object limits_json(const PolicyRow& policy) {
  json::object object = to_json(policy.players);
  for (const auto& member : to_json(policy.pressure)) object[member.key()] = member.value();
  return object;
}

std::string encode_limits(const PolicyRow& policy) { return json::serialize(limits_json(policy)); }

bool decode_limits(std::string_view text, PolicyRow& policy) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return false;
  std::optional<PlayerLimits> players = player_limits_from(value);
  std::optional<Pressure> pressure = pressure_from(value);
  if (!players || !pressure) return false;
  policy.players = *players;
  policy.pressure = *pressure;
  return true;
}

}  // namespace hotrow
