#include "hotrow/http/event_feed.hpp"

#include <algorithm>

#include "hotrow/http/cursor.hpp"
#include "hotrow/http/event_json.hpp"
#include "hotrow/http/event_types.hpp"
#include "hotrow/http/query.hpp"

namespace hotrow::http {
namespace {

std::vector<std::string> read_types(Query& query) {
  std::vector<std::string> types;
  const std::optional<std::string> given = query.text("types");
  if (!given) return types;
  std::string_view rest = *given;
  while (!rest.empty()) {
    const std::string_view type = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), type.size() + 1));
    if (find_event_type(type) == nullptr) query.error("types", "names an unknown type");
    types.emplace_back(type);
  }
  if (types.empty()) query.error("types", "must name types, with commas between them");
  return types;
}

/// Whether a cursor's position was never given out by this store. A cursor is the position of an event, or of
/// none below the oldest; `page`, what was read behind it, is empty and went no further.
Result<bool> is_beyond_end(Queries& queries, std::int64_t position, const EventsPage& page) {
  if (!page.events.empty() || page.next_position != position) return false;
  if (position <= page.oldest_position) return false;
  Result<EventsPage> own = queries.events({.after_position = position - 1, .limit = 1});
  if (!own) return failure(std::move(own.error()));
  return own->events.empty() || own->events.front().position != position;
}

}  // namespace

std::optional<Response> EventFeed::take(Exchange& exchange) {
  Query query(exchange.query);
  Poll poll{.exchange = &exchange, .query = {.limit = query.limit()}};
  poll.query.types = read_types(query);
  const std::optional<std::string> after = query.text("after");
  poll.has_cursor = after.has_value();
  poll.deadline = exchange.taken_at + std::chrono::seconds(query.wait_seconds());
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  if (after) {
    const std::optional<std::int64_t> position = decode_number_cursor(cursor_list_, *after);
    if (!position) {
      return problem_response({.code = "invalid_cursor", .detail = "`after` is no cursor of this feed."},
                              exchange.context());
    }
    poll.query.after_position = *position;
  }
  if (submit(poll)) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

bool EventFeed::submit(const Poll& poll) {
  return readers_.submit([self = shared_from_this(), poll](Queries& queries) { self->read(queries, poll); });
}

void EventFeed::read(Queries& queries, Poll poll) {
  const AnswerContext context = poll.exchange->context();
  const Result<EventsPage> page = queries.events(poll.query);
  if (!page) return poll.exchange->answer(failure_response(page.error(), context));
  if (poll.has_cursor && poll.query.after_position < page->oldest_position) {
    return poll.exchange->answer(
        expired_response(*poll.exchange, page->oldest_position, "Events behind this cursor are gone."));
  }
  if (poll.has_cursor) {
    const Result<bool> beyond = is_beyond_end(queries, poll.query.after_position, *page);
    if (!beyond) return poll.exchange->answer(failure_response(beyond.error(), context));
    if (*beyond) {
      return poll.exchange->answer(
          expired_response(*poll.exchange, page->oldest_position,
                           "This cursor lies beyond the end of the feed: the store was restored from a "
                           "backup that is older."));
    }
  }
  if (page->events.empty()) {
    poll.query.after_position = page->next_position;
    if (wait(poll)) return;
  }
  poll.exchange->answer(page_response(*page));
}

/// False when it is not to wait: its time is up, too many wait already, or the server is about to stop.
bool EventFeed::wait(const Poll& poll) {
  if (std::chrono::steady_clock::now() >= poll.deadline) return false;
  const std::lock_guard lock(mutex_);
  if (ended_ || waiting_.size() >= long_polls_max_) return false;
  waiting_.push_back(poll);
  return true;
}

void EventFeed::tick(SteadyTime now) {
  std::vector<Poll> late;
  std::optional<std::int64_t> oldest;
  {
    const std::lock_guard lock(mutex_);
    const auto in_time = [now](const Poll& poll) { return poll.deadline > now; };
    const auto first_late = std::stable_partition(waiting_.begin(), waiting_.end(), in_time);
    late.assign(first_late, waiting_.end());
    waiting_.erase(first_late, waiting_.end());
    if (!waiting_.empty() && !probing_) {
      const auto by_position = [](const Poll& poll) { return poll.query.after_position; };
      oldest = std::ranges::min_element(waiting_, {}, by_position)->query.after_position;
      probing_ = true;
    }
  }
  for (const Poll& poll : late) {
    poll.exchange->answer(page_response({.next_position = poll.query.after_position}));
  }
  if (oldest) probe(*oldest);
}

void EventFeed::probe(std::int64_t after) {
  const bool taken = readers_.submit([self = shared_from_this(), after](Queries& queries) {
    const Result<EventsPage> page = queries.events({.after_position = after, .limit = 1});
    self->wake(page ? page->next_position : after);
  });
  if (!taken) wake(after);
}

/// The feed has come to `position`: those who wait before it may have something.
void EventFeed::wake(std::int64_t position) {
  std::vector<Poll> due;
  {
    const std::lock_guard lock(mutex_);
    probing_ = false;
    const auto waits_on = [position](const Poll& poll) { return poll.query.after_position >= position; };
    const auto first_due = std::stable_partition(waiting_.begin(), waiting_.end(), waits_on);
    due.assign(first_due, waiting_.end());
    waiting_.erase(first_due, waiting_.end());
  }
  for (const Poll& poll : due) {
    if (submit(poll) || wait(poll)) continue;
    poll.exchange->answer(page_response({.next_position = poll.query.after_position}));
  }
}

void EventFeed::end() {
  std::vector<Poll> all;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    all.swap(waiting_);
  }
  for (const Poll& poll : all) {
    poll.exchange->answer(page_response({.next_position = poll.query.after_position}));
  }
}

Response EventFeed::expired_response(const Exchange& exchange, std::int64_t oldest,
                                     std::string_view why) const {
  return problem_response({.code = "cursor_expired",
                           .detail = std::string(why),
                           .figures = {{"oldest_cursor", encode_cursor(cursor_list_, oldest)}}},
                          exchange.context());
}

Response EventFeed::page_response(const EventsPage& page) const {
  Response response;
  JsonWriter json(response.body);
  write_page(json, encode_cursor(cursor_list_, page.next_position), [&] {
    for (const EventRow& event : page.events) write_event(json, event, instance_);
  });
  return response;
}

}  // namespace hotrow::http
