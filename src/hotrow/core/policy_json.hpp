#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "hotrow/core/policy_row.hpp"

namespace hotrow {

/// The one JSON form of limits: in the API, in events, in stored answers and in the tables. Absent members
/// are left out.
boost::json::object to_json(const PlayerLimits& limits);
boost::json::object to_json(const Pressure& pressure);

/// All limits of a policy in one object.
boost::json::object limits_json(const PolicyRow& policy);

/// Read back what to_json() wrote; nullopt for anything else.
std::optional<PlayerLimits> player_limits_from(const boost::json::value& value);
std::optional<Pressure> pressure_from(const boost::json::value& value);

}  // namespace hotrow
