#include "hotrow/http/event_json.hpp"

#include <string>

namespace hotrow::http {
namespace {

std::string padded(std::int64_t sequence) {
  const std::string digits = std::to_string(sequence);
  return std::string(20 - digits.size(), '0') + digits;
}

}  // namespace

void write_event(JsonWriter& json, const EventRow& event, std::string_view instance) {
  json.begin_object();
  json.key("specversion").text("1.0");
  json.key("id").text(event.id);
  json.key("source").text("/hotrow/" + std::string(instance));
  json.key("type").text(event.type);
  json.key("subject").text(event.subject_kind + "/" + event.subject);
  json.key("sequence").text(padded(event.sequence));
  json.key("time").time(event.occurred_at);
  json.key("datacontenttype").text("application/json");
  json.key("dataschema").text("/schemas/" + event.type + "/1");
  if (!event.traceparent.empty()) json.key("traceparent").text(event.traceparent);
  json.key("data").raw(event.data);
  json.end_object();
}

}  // namespace hotrow::http
