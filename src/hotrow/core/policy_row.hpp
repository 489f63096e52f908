#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"

namespace hotrow {

/// What an operator limits, and for whom.
enum class PolicyScope : std::uint8_t {
  players,    ///< Every player who has no limit of his own.
  player,     ///< One player.
  family,     ///< Listings of items of one family.
  listing,    ///< One listing.
  promotion,  ///< One promotion.
};

std::string_view to_string(PolicyScope scope);
std::optional<PolicyScope> policy_scope_from_string(std::string_view text);

/// Names a policy. The id of PolicyScope::players is empty.
struct PolicyId {
  PolicyScope scope = PolicyScope::players;
  std::string id = {};
  friend bool operator==(const PolicyId&, const PolicyId&) = default;
};

Key policy_key(const PolicyId& id);

/// "family/swords", "players": the policy as the subject of events.
std::string to_string(const PolicyId& id);

/// How many at once. An absent member limits nothing.
struct PlayerLimits {
  std::optional<std::int64_t> max_leading_bids;
  std::optional<std::int64_t> max_active_listings;
  friend bool operator==(const PlayerLimits&, const PlayerLimits&) = default;
};

/// What takes the heat off a row that is hotter than any code. An absent member leaves it to the next less
/// specific policy, and in the end to nobody.
struct Pressure {
  std::optional<std::int64_t> bid_window_ms;  ///< Bids wait this long for others; see engine/windows.hpp.
  std::optional<std::int64_t> buyouts_per_player_per_minute;
  std::optional<std::int64_t> buyout_quiet_seconds;  ///< After a listing was made nobody can buy it out.
  std::optional<std::int64_t> queue_max;             ///< Requests for the row that wait in one server.
  friend bool operator==(const Pressure&, const Pressure&) = default;
};

inline constexpr std::int64_t bid_window_max_ms = 5'000;

/// Member by member what `specific` says, else what `general` says.
PlayerLimits merged(const PlayerLimits& specific, const PlayerLimits& general);
Pressure merged(const Pressure& specific, const Pressure& general);

/// A policy once it was set; it is never removed, only emptied.
struct PolicyRow {
  PolicyId id;
  PlayerLimits players;  ///< Of scopes players and player.
  Pressure pressure;     ///< Of scopes family, listing and promotion.
  std::string reason;    ///< Of the latest change; may be empty.
  std::int64_t version = 0;
  std::int64_t events = 0;
};

/// The limits as text, for the stores. Names and meaning never change; members may be added.
std::string encode_limits(const PolicyRow& policy);
/// Reads what encode_limits() wrote into the row; false for anything else.
bool decode_limits(std::string_view text, PolicyRow& policy);

}  // namespace hotrow
