#include "hotrow/http/promotion_streams.hpp"

#include <algorithm>

#include "hotrow/http/query.hpp"
#include "hotrow/http/questions.hpp"

namespace hotrow::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t pipe_bytes_max = 256 * 1024;
constexpr std::size_t events_read_max = 1000;
constexpr auto ask_interval = 90ms;             ///< Just under a tick: every tick may ask.
constexpr auto ask_interval_per_channel = 2ms;  ///< At most 500 questions a second, however many channels.
constexpr auto silence_max = 15s;

/// One event of the stream. Data is JSON on one line.
std::string message(std::string_view event, std::string_view data, std::optional<std::int64_t> id) {
  std::string text;
  if (id) text += "id: " + std::to_string(*id) + "\n";
  text += "event: ";
  text += event;
  text += "\ndata: ";
  text += data;
  text += "\n\n";
  return text;
}

std::string snapshot_message(const PromotionReading& reading, std::optional<std::int64_t> id) {
  std::string data;
  JsonWriter json(data);
  write_promotion(json, reading.view());
  return message("snapshot", data, id);
}

/// Empty for an event that streams do not show.
std::string event_message(const EventRow& event) {
  if (event.type == "promotion.winner_determined") return message("winner", event.data, event.sequence);
  if (event.type == "promotion.closed") return message("closed", event.data, event.sequence);
  return {};
}

}  // namespace

std::optional<Response> PromotionStreams::take(Exchange& exchange) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  std::optional<std::int64_t> last_event_id;
  if (exchange.request.has(Header::last_event_id)) {
    last_event_id = parse_integer(exchange.request.value(Header::last_event_id));
    if (!last_event_id) {
      return problem_response({.code = "invalid_header", .detail = "Last-Event-ID is not one of ours."},
                              exchange.context());
    }
  }
  const bool taken = readers_.submit(
      [self = shared_from_this(), &exchange, promotion = *promotion, last_event_id](Queries& queries) {
        auto response = self->open(queries, exchange, promotion, last_event_id);
        if (!response) exchange.answer(failure_response(response.error(), exchange.context()));
        if (response && *response) exchange.answer(std::move(**response));
      });
  if (taken) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

Result<std::optional<Response>> PromotionStreams::open(Queries& queries, Exchange& exchange,
                                                       const std::string& promotion,
                                                       std::optional<std::int64_t> last_event_id) {
  Result<std::optional<PromotionReading>> reading = read_promotion_state(queries, promotion);
  if (!reading) return failure(std::move(reading.error()));
  if (!*reading) return promotion_not_found_response(exchange, promotion);
  const std::int64_t latest = (*reading)->row.events;
  Listener listener{.pipe = std::make_shared<BodyPipe>(pipe_bytes_max),
                    .after = std::min(last_event_id.value_or(latest), latest),
                    .heard_at = std::chrono::steady_clock::now()};
  // Without an id when events are still to come that it does not show: a client cut off in between would
  // resume behind them.
  const std::optional<std::int64_t> id = last_event_id ? std::nullopt : std::optional(latest);
  Response response{.content_type = media::event_stream,
                    .headers = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n",
                    .pipe = listener.pipe};
  if (!listener.pipe->offer("retry: 2000\n\n" + snapshot_message(**reading, id))) {
    return busy_response("The snapshot is too large to be streamed.", exchange.context());
  }
  if (exchange.request.is_head) {
    listener.pipe->finish();
  } else if (!join(promotion, std::move(listener))) {
    return busy_response("Too many streams are open.", exchange.context());
  }
  return response;
}

bool PromotionStreams::join(const std::string& promotion, Listener listener) {
  const std::lock_guard lock(mutex_);
  if (ended_ || streams_ >= streams_max_) return false;
  ++streams_;
  channels_[promotion].listeners.push_back(std::move(listener));
  return true;
}

void PromotionStreams::tick(SteadyTime now) {
  std::vector<std::pair<std::string, std::int64_t>> due;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(channels_,
                  [](const auto& named) { return named.second.listeners.empty() && !named.second.asking; });
    const auto interval =
        std::max<std::chrono::milliseconds>(ask_interval, channels_.size() * ask_interval_per_channel);
    for (auto& [promotion, channel] : channels_) {
      streams_ -= keep_alive(channel, now);
      if (channel.asking || now - channel.asked_at < interval || channel.listeners.empty()) continue;
      channel.asking = true;
      channel.asked_at = now;
      due.emplace_back(promotion, std::ranges::min_element(channel.listeners, {}, &Listener::after)->after);
    }
  }
  for (const auto& [promotion, after] : due) ask(promotion, after);
}

void PromotionStreams::ask(const std::string& promotion, std::int64_t after) {
  const bool taken = readers_.submit([self = shared_from_this(), promotion, after](Queries& queries) {
    self->tell(promotion, read_news(queries, promotion, after));
  });
  if (!taken) tell(promotion, failure(ErrorKind::overloaded, "READERS", "the readers' queue is full"));
}

Result<PromotionStreams::News> PromotionStreams::read_news(Queries& queries, const std::string& promotion,
                                                           std::int64_t after) {
  Result<std::optional<PromotionRow>> row = queries.promotion(promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return failure(ErrorKind::fatal, "PROMOTION_GONE", promotion);
  News news{.row = std::move(**row), .after = after};
  if (news.row.events > after) {
    Result<std::vector<EventRow>> events = queries.timeline("promotion", promotion, after, events_read_max);
    if (!events) return failure(std::move(events.error()));
    news.events = std::move(*events);
  }
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  news.now = std::max(*now, news.row.decided_at);
  return news;
}

/// After a failure everybody stays as they were, and the next tick asks again.
void PromotionStreams::tell(const std::string& promotion, const Result<News>& news) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(promotion);
  if (found == channels_.end()) return;
  Channel& channel = found->second;
  channel.asking = false;
  const std::size_t before = channel.listeners.size();
  if (news) tell_listeners(channel, *news);
  std::erase_if(channel.listeners, [](const Listener& listener) { return listener.pipe == nullptr; });
  streams_ -= before - channel.listeners.size();
}

/// A listener that cannot be told any more loses its pipe.
void PromotionStreams::tell_listeners(Channel& channel, const News& news) {
  std::vector<std::pair<std::int64_t, std::string>> messages;
  for (const EventRow& event : news.events) messages.emplace_back(event.sequence, event_message(event));
  const Progress progress{
      .entries = news.row.entries, .winners = news.row.winners, .state = state_at(news.row, news.now)};
  std::string progress_message;
  if (channel.told != progress) {
    channel.told = progress;
    std::string data;
    JsonWriter json(data);
    json.begin_object().key("entries").integer(progress.entries);
    json.key("winner_count").integer(progress.winners).key("state").text(to_string(progress.state));
    json.key("server_time").time(news.now).end_object();
    progress_message = message("progress", data, std::nullopt);
  }
  for (Listener& listener : channel.listeners) {
    std::string text;
    for (const auto& [sequence, one] : messages) {
      // Who joined after the question was asked may miss events before its first.
      if (sequence <= listener.after || listener.after < news.after) continue;
      text += one;
      listener.after = sequence;
    }
    text += progress_message;
    if (text.empty()) continue;
    listener.heard_at = channel.asked_at;
    if (!listener.pipe->offer(text)) listener.pipe = nullptr;
  }
}

/// Returns how many listeners turned out to have left.
std::size_t PromotionStreams::keep_alive(Channel& channel, SteadyTime now) {
  return std::erase_if(channel.listeners, [now](Listener& listener) {
    if (now - listener.heard_at < silence_max) return false;
    listener.heard_at = now;
    return !listener.pipe->offer(": still here\n\n");
  });
}

void PromotionStreams::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (auto& [promotion, channel] : channels_) {
    for (Listener& listener : channel.listeners) listener.pipe->finish();
  }
  channels_.clear();
  streams_ = 0;
}

}  // namespace hotrow::http
