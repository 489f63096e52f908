#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotrow/engine/readers.hpp"
#include "hotrow/http/api_keys.hpp"
#include "hotrow/http/body_pipe.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::http {

/// What streams of one kind of subject tell. Without state, safe from all threads.
class StreamSource {
 public:
  virtual ~StreamSource() = default;

  /// EventRow::subject_kind.
  virtual std::string_view subject_kind() const = 0;

  /// How a stream begins.
  struct Opening {
    std::string snapshot;     ///< JSON.
    std::int64_t latest = 0;  ///< Sequence of the last event that the snapshot knows.
    bool is_over = false;     ///< No event follows any more.
  };
  /// Or the answer when there is no such subject.
  using OpeningOrRefusal = tl::expected<Opening, Response>;
  virtual Result<OpeningOrRefusal> open(Queries& queries, const Exchange& exchange,
                                        const std::string& id) const = 0;

  /// How the subject stands.
  struct State {
    std::int64_t latest = 0;  ///< Sequence of its last event.
    bool is_over = false;     ///< No event follows any more.
    std::string progress;     ///< Members of a JSON object, told when they have changed; empty: never.
    Timestamp server_time;
  };
  virtual Result<State> state(Queries& queries, const std::string& id) const = 0;

  /// The event's name in the stream; empty for one that is not shown.
  virtual std::string_view name_of(const EventRow& event) const = 0;
};

const StreamSource& promotion_stream();
const StreamSource& listing_stream();

/// GET .../stream: Server-Sent Events.
///
/// A listener first gets `snapshot`, then the subject's events, whose ids are their sequence in its timeline
/// (with Last-Event-ID, from the one behind that), and `progress` when the source's has changed, at most ten
/// a second. All listeners of a subject share one question to the store a tick, asked only while somebody
/// listens. Safe from all threads.
class EventStreams : public std::enable_shared_from_this<EventStreams> {
 public:
  /// `keys` are those in force: a stream ends when its own is not one any more.
  EventStreams(Readers& readers, const ApiKeys& keys, std::size_t streams_max)
      : readers_(readers), keys_(keys), streams_max_(streams_max) {}

  std::optional<Response> take(const StreamSource& source, Exchange& exchange);

  /// About ten times a second.
  void tick(SteadyTime now);

  /// Ends all streams; new ones are refused.
  void end();

 private:
  /// Whom a stream is about.
  struct Subject {
    const StreamSource* source;
    std::string id;
    friend auto operator<=>(const Subject&, const Subject&) = default;
  };

  struct Listener {
    std::shared_ptr<BodyPipe> pipe;
    std::int64_t after = 0;  ///< Sequence of the last event it has seen.
    SteadyTime heard_at;
    std::shared_ptr<const ApiKey> key;
  };

  struct Channel {
    std::vector<Listener> listeners;
    std::string told;  ///< The latest progress.
    SteadyTime asked_at;
    bool asking = false;
  };

  /// What one question to the store has found.
  struct News {
    StreamSource::State state;
    std::int64_t after = 0;        ///< What was asked for: events behind this sequence.
    std::vector<EventRow> events;  ///< Ascending and without a gap.
  };

  Result<std::optional<Response>> open(Queries& queries, Exchange& exchange, const Subject& subject,
                                       std::optional<std::int64_t> last_event_id);
  bool join(const Subject& subject, Listener listener);
  void ask(const Subject& subject, std::int64_t after);
  static Result<News> read_news(Queries& queries, const Subject& subject, std::int64_t after);
  void tell(const Subject& subject, const Result<News>& news);
  static void tell_listeners(const StreamSource& source, Channel& channel, const News& news);
  bool is_admitted(const Listener& listener) const;
  std::size_t end_revoked(Channel& channel) const;
  static std::size_t keep_alive(Channel& channel, SteadyTime now);

  Readers& readers_;
  const ApiKeys& keys_;
  const std::size_t streams_max_;
  std::mutex mutex_;
  std::map<Subject, Channel> channels_;
  std::size_t streams_ = 0;
  bool ended_ = false;
};

}  // namespace hotrow::http
