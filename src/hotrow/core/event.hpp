#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "hotrow/core/command.hpp"
#include "hotrow/core/write_set.hpp"

namespace hotrow {

/// Who an event tells of, and since when its next one counts.
struct EventSubject {
  std::string kind;  ///< "promotion", "listing", "item", "player", "market", "policy".
  std::string id;
  std::int64_t& events;  ///< The row's counter; goes up by one.
  Timestamp at;
};

/// "<kind>:<id>:<sequence>": the id of an event that has no better name.
std::string event_id(const std::string& kind, const std::string& id, std::int64_t sequence);

/// The subject's next event, to be written in the command's own transaction.
RowWrite next_event(const EventSubject& subject, std::string type, const boost::json::object& data,
                    const Envelope& envelope, std::optional<std::string> id = std::nullopt);

}  // namespace hotrow
