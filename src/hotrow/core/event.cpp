#include "hotrow/core/event.hpp"

#include <boost/json/serialize.hpp>

#include "hotrow/base/assert.hpp"

namespace hotrow {

std::string event_id(const std::string& kind, const std::string& id, std::int64_t sequence) {
  return kind + ":" + id + ":" + std::to_string(sequence);
}

RowWrite next_event(const EventSubject& subject, std::string type, const boost::json::object& data,
                    const Envelope& envelope, std::optional<std::string> id) {
  HOTROW_ASSERT(subject.events >= 0 && !type.empty());
  const std::int64_t sequence = ++subject.events;
  EventRow event{.subject_kind = subject.kind,
                 .subject = subject.id,
                 .sequence = sequence,
                 .type = std::move(type),
                 .id = id ? std::move(*id) : event_id(subject.kind, subject.id, sequence),
                 .data = boost::json::serialize(data),
                 .occurred_at = subject.at,
                 .traceparent = envelope.traceparent};
  return {.key = event_key(subject.kind, subject.id, sequence), .row = std::move(event)};
}

}  // namespace hotrow
