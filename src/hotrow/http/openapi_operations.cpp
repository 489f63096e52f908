#include "hotrow/http/openapi_operations.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/http/response.hpp"

namespace hotrow::http {
namespace {

using parameter::cursor;
using parameter::if_match;
using parameter::if_none_match;
using parameter::last_event_id;
using parameter::limit;
using parameter::only_create;

constexpr OperationParameter wait_s{"wait_s", "query",
                                    R"({"type":"integer","minimum":0,"maximum":30,"default":0})",
                                    "Seconds to wait for something to tell."};
OperationText put_promotion() {
  return {.description =
              "From starts_at or the first entry on, everything but the title is frozen; ends_at may "
              "still move later, with If-Match and a reason. Ids are never used again.",
          .body = "PromotionInput",
          .parameters = {if_match, only_create},
          .successes = {{200, media::json, "Promotion", "Changed, or as it was."},
                        {201, media::json, "Promotion", "Created."}},
          .problems = {"promotion_frozen", "promotion_closed", "precondition_failed", "target_unreachable",
                       "precondition_required"}};
}

OperationText change_promotion(std::string_view description) {
  return {.description = description,
          .body = "ReasonInput",
          .parameters = {if_match},
          .successes = {{200, media::json, "Promotion", "Done, or it was so already."}},
          .problems = {"promotion_not_found", "promotion_closed", "precondition_failed"}};
}

OperationText enter_promotion() {
  return {.description =
              "A refusal consumes no number. Whoever entered before is told his place again, whatever "
              "has happened since.",
          .body = "EntryInput",
          .successes = {{201, media::json, "Entry", "A new place."},
                        {200, media::json, "Entry", "The place that this user has already."}},
          .problems = {"promotion_not_found", "promotion_not_started", "promotion_paused", "promotion_closed",
                       "sold_out"}};
}

OperationText enter_promotion_batch() {
  return {.description =
              "One command and one stored answer; places in the order given. Each user is answered "
              "for himself.",
          .body = "EntriesInput",
          .successes = {{200, media::json, "EntryResults", "An answer for each, in the order given."}},
          .problems = {"promotion_not_found"}};
}

OperationText list_promotions() {
  return {.parameters = {limit,
                         cursor,
                         {"state", "query", R"({"$ref":"#/components/schemas/PromotionState"})",
                          "Only those in this state now."}},
          .successes = {{200, media::json, "PromotionList", "A page."}},
          .problems = {"invalid_cursor"}};
}

OperationText list_below_promotion(std::string_view schema) {
  return {.parameters = {limit, cursor},
          .successes = {{200, media::json, schema, "A page."}},
          .problems = {"promotion_not_found", "invalid_cursor"}};
}

OperationText export_entries() {
  return {
      .description =
          "Ordinal, user_id, winner, entered_at, request_id and api_key of every entry. An answer "
          "without its last chunk is not whole. One at a time.",
      .parameters = {{"format", "query", R"({"type":"string","enum":["ndjson","csv"],"default":"ndjson"})",
                      "NDJSON, or CSV as of RFC 4180."}},
      .successes = {{200, media::ndjson, "", "One entry a line."},
                    {200, media::csv, "", "One entry a line, with a head line."}},
      .problems = {"promotion_not_found"}};
}

OperationText stream_promotion() {
  return {.description =
              "First a `snapshot` (a Promotion). Then `winner` and `closed` (the data of their events; "
              "the id is the event's sequence) and, at most ten times a second, `progress` "
              "(`entries`, `winner_count`, `state`, `server_time`). A comment every 15 s of silence. Ends "
              "when the "
              "API key is taken away.",
          .parameters = {last_event_id},
          .successes = {{200, media::event_stream, "", "Until the client leaves or the server stops."}},
          .problems = {"promotion_not_found", "invalid_header"}};
}

OperationText list_events() {
  return {
      .description =
          "In an order that never skips an event that commits late. Dedupe by the event's id. Cursors are "
          "bound to the store that made them.",
      .parameters = {{"after", "query", R"({"type":"string"})", "next_cursor of the page before."},
                     {"types", "query", R"({"type":"string"})", "Only these types, with commas between."},
                     limit,
                     wait_s},
      .successes = {{200, media::json, "EventList", "A page; empty when nothing came in time."}},
      .problems = {"invalid_cursor", "cursor_expired"}};
}

OperationText reading(std::string_view schema, std::vector<std::string_view> problems) {
  return {.successes = {{200, media::json, schema, "As it is now."}}, .problems = std::move(problems)};
}

OperationText get_promotion() {
  OperationText text = reading("Promotion", {"promotion_not_found"});
  text.description = "The ETag is the version: counters, winners and the time change without it.";
  text.parameters = {if_none_match};
  return text;
}

OperationText plain(std::string_view media_type, std::string_view schema) {
  return {.successes = {{200, media_type, schema, "As it is now."}}};
}

OperationText operations_text(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::healthz: return plain(media::json, "Status");
    case Endpoint::readyz:
      return {.successes = {{200, media::json, "Status", "Send requests here."},
                            {503, media::json, "Status", "Send them elsewhere."}}};
    case Endpoint::metrics: return plain(media::prometheus, "");
    case Endpoint::openapi: return {.successes = {{200, media::json, "", "OpenAPI 3.1."}}};
    case Endpoint::problem_page:
      return {.successes = {{200, media::json, "ProblemDescription", "For programs."},
                            {200, media::html, "", "For browsers."}},
              .problems = {"not_found"}};
    case Endpoint::event_schema:
      return {.successes = {{200, media::schema, "", "JSON Schema 2020-12."}}, .problems = {"not_found"}};
    case Endpoint::root: return plain(media::html, "");
    default: HOTROW_ASSERT(false);
  }
}

}  // namespace

OperationText operation_text(Endpoint endpoint) {
  if (std::optional<OperationText> text = market_operation_text(endpoint)) return std::move(*text);
  switch (endpoint) {
    case Endpoint::put_promotion: return put_promotion();
    case Endpoint::pause_promotion: return change_promotion("Harmless to repeat.");
    case Endpoint::resume_promotion: return change_promotion("Harmless to repeat.");
    case Endpoint::close_promotion: return change_promotion("Closed is terminal. Harmless to repeat.");
    case Endpoint::enter_promotion: return enter_promotion();
    case Endpoint::enter_promotion_batch: return enter_promotion_batch();
    case Endpoint::get_promotion: return get_promotion();
    case Endpoint::list_promotions: return list_promotions();
    case Endpoint::get_entry: {
      OperationText text = reading("Entry", {"promotion_not_found", "entry_not_found"});
      text.parameters = {wait_s};
      return text;
    }
    case Endpoint::list_entries: return list_below_promotion("EntryList");
    case Endpoint::list_winners: return list_below_promotion("WinnerList");
    case Endpoint::explain_winner: return reading("WinnerStory", {"promotion_not_found", "winner_not_found"});
    case Endpoint::audit_promotion: return reading("Audit", {"promotion_not_found"});
    case Endpoint::export_entries: return export_entries();
    case Endpoint::stream_promotion: return stream_promotion();
    case Endpoint::list_events: return list_events();
    default: return operations_text(endpoint);
  }
}

}  // namespace hotrow::http
