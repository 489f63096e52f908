#pragma once

#include <span>
#include <string_view>

namespace hotrow::http {

/// A type of event in the feed, with the JSON Schema (2020-12) of its data.
struct EventType {
  std::string_view type;
  std::string_view data_schema;
};

std::span<const EventType> event_types();

/// nullptr for a type that is not in the table.
const EventType* find_event_type(std::string_view type);

}  // namespace hotrow::http
