#include <algorithm>

#include "hotrow/base/hash.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/http/event_json.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "hotrow/http/query.hpp"
#include "hotrow/http/questions.hpp"

// "Why that person?": everything that the rows say about one winner.
namespace hotrow::http {
namespace {

constexpr std::size_t timeline_page = 1000;
constexpr std::size_t timeline_pages_max = 100;
constexpr std::size_t actions_max = 1000;

struct WinnerStory {
  PromotionRow promotion;
  EntryNeighbourhood entries;
  WinnerRow winner;
  std::optional<EventRow> event;
  std::vector<EventRow> actions;  ///< What operators and the schedule did to the promotion.
  Timestamp now;
};

/// Walks the promotion's timeline for the winner's event and for what was done to the promotion.
Result<void> read_timeline(Queries& queries, WinnerStory& story) {
  std::int64_t after = 0;
  for (std::size_t page = 0; page < timeline_pages_max; ++page) {
    Result<std::vector<EventRow>> events =
        queries.timeline("promotion", story.promotion.id, after, timeline_page);
    if (!events) return failure(std::move(events.error()));
    for (EventRow& event : *events) {
      after = event.sequence;
      if (event.id == story.winner.event_id) {
        story.event = std::move(event);
      } else if (event.type != "promotion.winner_determined" && story.actions.size() < actions_max) {
        story.actions.push_back(std::move(event));
      }
    }
    if (events->size() < timeline_page) break;
  }
  return {};
}

Result<std::optional<WinnerStory>> read_story(Queries& queries, PromotionRow promotion,
                                              std::int64_t ordinal) {
  Result<std::vector<WinnerRow>> winners = queries.winners(promotion.id, ordinal - 1, 1);
  if (!winners) return failure(std::move(winners.error()));
  if (winners->empty() || winners->front().ordinal != ordinal) return std::nullopt;
  Result<std::optional<EntryNeighbourhood>> entries = queries.neighbourhood(promotion.id, ordinal);
  if (!entries) return failure(std::move(entries.error()));
  if (!*entries) return std::nullopt;
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  WinnerStory story{.promotion = std::move(promotion),
                    .entries = std::move(**entries),
                    .winner = std::move(winners->front()),
                    .now = *now};
  if (Result<void> read = read_timeline(queries, story); !read) return failure(std::move(read.error()));
  return story;
}

void write_items(JsonWriter& json, const std::vector<EntryRow>& entries, const Rule& rule) {
  json.begin_array();
  for (const EntryRow& entry : entries) write_entry_item(json, entry, rule);
  json.end_array();
}

void write_story(JsonWriter& json, const WinnerStory& story, std::string_view instance) {
  const PromotionSettings& settings = *story.promotion.settings;
  const EntryRow& entry = story.entries.entry;
  json.begin_object();
  json.key("promotion_id").text(entry.promotion);
  json.key("ordinal").integer(entry.ordinal);
  write_entry_item(json.key("entry"), entry, settings.rule);
  json.key("neighbours").begin_object();
  write_items(json.key("before"), story.entries.before, settings.rule);
  write_items(json.key("after"), story.entries.after, settings.rule);
  json.end_object();
  json.key("rule").raw(story.winner.rule);
  json.key("terms_sha256");
  settings.terms ? json.text(to_hex(sha256(*settings.terms))) : json.null();
  json.key("request_id").text(entry.request_id);
  json.key("api_key").text(entry.actor);
  json.key("server").text(story.winner.server);
  json.key("place_in_batch").integer(story.entries.place_in_batch);
  json.key("event");
  story.event ? write_event(json, *story.event, instance) : void(json.null());
  json.key("deliveries").begin_array().end_array();
  json.key("operator_actions").begin_array();
  for (const EventRow& action : story.actions) write_event(json, action, instance);
  json.end_array();
  json.key("server_time").time(std::max(story.now, story.promotion.decided_at));
  json.end_object();
}

Result<Response> explanation(Queries& queries, const Exchange& exchange, const std::string& promotion,
                             std::int64_t ordinal, const std::string& instance) {
  Result<std::optional<PromotionRow>> row = queries.promotion(promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, promotion);
  Result<std::optional<WinnerStory>> story = read_story(queries, std::move(**row), ordinal);
  if (!story) return failure(std::move(story.error()));
  if (!*story) {
    return problem_response({.code = "winner_not_found", .detail = "No winner was determined at this place."},
                            exchange.context());
  }
  Response response;
  JsonWriter json(response.body);
  write_story(json, **story, instance);
  return response;
}

}  // namespace

std::optional<Response> explain_winner(Readers& readers, Exchange& exchange, const std::string& instance) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  const std::optional<std::int64_t> ordinal = parse_integer(exchange.match.captures[1]);
  if (!promotion || !ordinal || *ordinal < 1 || *ordinal > integer_max) {
    return invalid_path_response(exchange);
  }
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange,
             [&exchange, promotion = *promotion, ordinal = *ordinal, instance](Queries& queries) {
               return explanation(queries, exchange, promotion, ordinal, instance);
             });
}

}  // namespace hotrow::http
