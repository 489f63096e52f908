#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/core/row.hpp"

namespace hotrow {

/// The one JSON form of a rule and of settings: in the API, in events, in stored answers and in the tables.
boost::json::object to_json(const Rule& rule);
boost::json::object to_json(const PromotionSettings& settings);
boost::json::object to_json(const Prize& prize);

/// Read back what to_json() wrote; nullopt when the text is anything else. For people's input see http.
std::optional<Rule> rule_from_json(const boost::json::value& value);
std::optional<PromotionSettings> settings_from_json(const boost::json::value& value);

/// As text, for the stores.
std::string encode_rule(const Rule& rule);
std::string encode_settings(const PromotionSettings& settings);
std::optional<PromotionSettings> decode_settings(std::string_view text);

std::string_view to_string(PromotionPhase phase);
std::optional<PromotionPhase> phase_from_string(std::string_view text);

}  // namespace hotrow
