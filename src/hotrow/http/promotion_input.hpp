#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <vector>

#include "hotrow/core/row.hpp"
#include "hotrow/http/members.hpp"

// What people send about promotions, checked member by member. Every error is gathered. Pure.
namespace hotrow::http {

inline constexpr std::size_t batch_users_max = 1000;

struct PromotionInput {
  std::shared_ptr<const PromotionSettings> settings;
  std::string reason;  ///< Empty when none was given.
};

Input<PromotionInput> read_promotion(const boost::json::object& body);

/// Why an operator does something.
inline constexpr TextLimits reason_limits{.characters_max = 500, .lines = true};

/// {"reason"} of pause, resume and close.
Input<std::string> read_reason(const boost::json::object& body);

/// {"user_id"}
Input<std::string> read_user(const boost::json::object& body);

/// {"user_ids":[1..1000]}
Input<std::vector<std::string>> read_users(const boost::json::object& body);

}  // namespace hotrow::http
