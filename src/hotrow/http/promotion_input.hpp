#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "hotrow/core/outcome.hpp"
#include "hotrow/core/row.hpp"

// What people send about promotions, checked member by member. Every error is gathered. Pure.
namespace hotrow::http {

inline constexpr std::size_t batch_users_max = 1000;

template <class T>
using Input = tl::expected<T, std::vector<FieldError>>;

struct PromotionInput {
  std::shared_ptr<const PromotionSettings> settings;
  std::string reason;  ///< Empty when none was given.
};

Input<PromotionInput> read_promotion(const boost::json::object& body);

/// {"reason"} of pause, resume and close.
Input<std::string> read_reason(const boost::json::object& body);

/// {"user_id"}
Input<std::string> read_user(const boost::json::object& body);

/// {"user_ids":[1..1000]}
Input<std::vector<std::string>> read_users(const boost::json::object& body);

}  // namespace hotrow::http
