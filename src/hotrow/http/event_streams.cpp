#include "hotrow/http/event_streams.hpp"

#include <algorithm>

#include "hotrow/http/json_text.hpp"
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

std::string progress_message(const StreamSource::State& state) {
  return message("progress",
                 "{" + state.progress + R"(,"server_time":")" + format_rfc3339(state.server_time) + "\"}",
                 std::nullopt);
}

}  // namespace

std::optional<Response> EventStreams::take(const StreamSource& source, Exchange& exchange) {
  std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  std::optional<std::int64_t> last_event_id;
  if (exchange.request.has(Header::last_event_id)) {
    last_event_id = parse_integer(exchange.request.value(Header::last_event_id));
    if (!last_event_id) {
      return problem_response({.code = "invalid_header", .detail = "Last-Event-ID is not one of ours."},
                              exchange.context());
    }
  }
  const bool taken = readers_.submit([self = shared_from_this(), &exchange,
                                      subject = Subject{.source = &source, .id = std::move(*id)},
                                      last_event_id](Queries& queries) {
    auto response = self->open(queries, exchange, subject, last_event_id);
    if (!response) exchange.answer(failure_response(response.error(), exchange.context()));
    if (response && *response) exchange.answer(std::move(**response));
  });
  if (taken) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

Result<std::optional<Response>> EventStreams::open(Queries& queries, Exchange& exchange,
                                                   const Subject& subject,
                                                   std::optional<std::int64_t> last_event_id) {
  Result<StreamSource::OpeningOrRefusal> found = subject.source->open(queries, exchange, subject.id);
  if (!found) return failure(std::move(found.error()));
  if (!*found) return std::move(found->error());
  const StreamSource::Opening& opening = **found;
  Listener listener{.pipe = std::make_shared<BodyPipe>(pipe_bytes_max),
                    .after = std::min(last_event_id.value_or(opening.latest), opening.latest),
                    .heard_at = std::chrono::steady_clock::now(),
                    .key = exchange.key};
  const bool follows = !opening.is_over || listener.after < opening.latest;
  // Without an id when events are still to come that it does not show: a client cut off in between would
  // resume behind them.
  const std::optional<std::int64_t> id = last_event_id ? std::nullopt : std::optional(opening.latest);
  Response response{.content_type = media::event_stream,
                    .headers = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n",
                    .pipe = listener.pipe};
  if (!listener.pipe->offer("retry: 2000\n\n" + message("snapshot", opening.snapshot, id))) {
    return busy_response("The snapshot is too large to be streamed.", exchange.context());
  }
  if (exchange.request.is_head || !follows) {
    listener.pipe->finish();
  } else if (!join(subject, std::move(listener))) {
    return busy_response("Too many streams are open.", exchange.context());
  }
  return response;
}

bool EventStreams::join(const Subject& subject, Listener listener) {
  const std::lock_guard lock(mutex_);
  if (ended_ || streams_ >= streams_max_) return false;
  ++streams_;
  channels_[subject].listeners.push_back(std::move(listener));
  return true;
}

void EventStreams::tick(SteadyTime now) {
  std::vector<std::pair<Subject, std::int64_t>> due;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(channels_,
                  [](const auto& named) { return named.second.listeners.empty() && !named.second.asking; });
    const auto interval =
        std::max<std::chrono::milliseconds>(ask_interval, channels_.size() * ask_interval_per_channel);
    for (auto& [subject, channel] : channels_) {
      streams_ -= end_revoked(channel);
      streams_ -= keep_alive(channel, now);
      if (channel.asking || now - channel.asked_at < interval || channel.listeners.empty()) continue;
      channel.asking = true;
      channel.asked_at = now;
      due.emplace_back(subject, std::ranges::min_element(channel.listeners, {}, &Listener::after)->after);
    }
  }
  for (const auto& [subject, after] : due) ask(subject, after);
}

void EventStreams::ask(const Subject& subject, std::int64_t after) {
  const bool taken = readers_.submit([self = shared_from_this(), subject, after](Queries& queries) {
    self->tell(subject, read_news(queries, subject, after));
  });
  if (!taken) tell(subject, failure(ErrorKind::overloaded, "READERS", "the readers' queue is full"));
}

Result<EventStreams::News> EventStreams::read_news(Queries& queries, const Subject& subject,
                                                   std::int64_t after) {
  Result<StreamSource::State> state = subject.source->state(queries, subject.id);
  if (!state) return failure(std::move(state.error()));
  News news{.state = std::move(*state), .after = after};
  if (news.state.latest <= after) return news;
  const std::string kind(subject.source->subject_kind());
  Result<std::vector<EventRow>> events = queries.timeline(kind, subject.id, after, events_read_max);
  if (!events) return failure(std::move(events.error()));
  news.events = std::move(*events);
  return news;
}

/// After a failure everybody stays as they were, and the next tick asks again.
void EventStreams::tell(const Subject& subject, const Result<News>& news) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(subject);
  if (found == channels_.end()) return;
  Channel& channel = found->second;
  channel.asking = false;
  const std::size_t before = channel.listeners.size();
  if (news) tell_listeners(*subject.source, channel, *news);
  std::erase_if(channel.listeners, [](const Listener& listener) { return listener.pipe == nullptr; });
  streams_ -= before - channel.listeners.size();
}

/// A listener that cannot be told any more, or has been told everything, loses its pipe.
void EventStreams::tell_listeners(const StreamSource& source, Channel& channel, const News& news) {
  std::vector<std::pair<std::int64_t, std::string>> messages;
  for (const EventRow& event : news.events) {
    const std::string_view name = source.name_of(event);
    messages.emplace_back(event.sequence, name.empty() ? "" : message(name, event.data, event.sequence));
  }
  std::string progress;
  if (channel.told != news.state.progress) {
    channel.told = news.state.progress;
    progress = progress_message(news.state);
  }
  for (Listener& listener : channel.listeners) {
    std::string text;
    for (const auto& [sequence, one] : messages) {
      // Who joined after the question was asked may miss events before its first.
      if (sequence <= listener.after || listener.after < news.after) continue;
      text += one;
      listener.after = sequence;
    }
    text += progress;
    if (!text.empty()) listener.heard_at = channel.asked_at;
    const bool is_told = text.empty() || listener.pipe->offer(text);
    const bool is_over = news.state.is_over && listener.after >= news.state.latest;
    if (is_told && is_over) listener.pipe->finish();
    if (!is_told || is_over) listener.pipe = nullptr;
  }
}

/// Streams are for readers.
bool EventStreams::is_admitted(const Listener& listener) const {
  const bool is_of_dev = listener.key->sha256 == Sha256{};  // Which no file can take away.
  return is_of_dev || keys_.admits(*listener.key, Role::reader);
}

/// Returns how many listeners' keys were taken away.
std::size_t EventStreams::end_revoked(Channel& channel) const {
  return std::erase_if(channel.listeners, [this](const Listener& listener) {
    if (is_admitted(listener)) return false;
    if (listener.pipe->offer(": the API key is not valid any more\n\n")) listener.pipe->finish_and_close();
    return true;
  });
}

/// Returns how many listeners turned out to have left.
std::size_t EventStreams::keep_alive(Channel& channel, SteadyTime now) {
  return std::erase_if(channel.listeners, [now](Listener& listener) {
    if (now - listener.heard_at < silence_max) return false;
    listener.heard_at = now;
    return !listener.pipe->offer(": still here\n\n");
  });
}

void EventStreams::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (auto& [subject, channel] : channels_) {
    for (Listener& listener : channel.listeners) listener.pipe->finish();
  }
  channels_.clear();
  streams_ = 0;
}

}  // namespace hotrow::http
