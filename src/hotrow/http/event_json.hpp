#pragma once

#include <string_view>

#include "hotrow/core/row.hpp"
#include "hotrow/http/json_text.hpp"

namespace hotrow::http {

/// As a CloudEvent 1.0 in JSON, with `source` "/hotrow/<instance>". Pure.
void write_event(JsonWriter& json, const EventRow& event, std::string_view instance);

}  // namespace hotrow::http
