#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/engine/readers.hpp"
#include "hotrow/http/body_pipe.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/promotion_reading.hpp"

namespace hotrow::http {

/// GET .../stream: Server-Sent Events.
///
/// A listener first gets `snapshot`, then `winner` and `closed` events, whose ids are their sequence in the
/// promotion's timeline (with Last-Event-ID, from the one behind that), and `progress` when counters or state
/// have changed, at most ten a second. All listeners of a promotion share one question to the store a tick,
/// asked only while somebody listens. Safe from all threads.
class PromotionStreams : public std::enable_shared_from_this<PromotionStreams> {
 public:
  PromotionStreams(Readers& readers, std::size_t streams_max)
      : readers_(readers), streams_max_(streams_max) {}

  std::optional<Response> take(Exchange& exchange);

  /// About ten times a second.
  void tick(SteadyTime now);

  /// Ends all streams; new ones are refused.
  void end();

 private:
  struct Listener {
    std::shared_ptr<BodyPipe> pipe;
    std::int64_t after = 0;  ///< Sequence of the last event it has seen.
    SteadyTime heard_at;
  };

  struct Progress {
    std::int64_t entries = 0;
    std::int64_t winners = 0;
    PromotionState state = PromotionState::scheduled;
    friend bool operator==(const Progress&, const Progress&) = default;
  };

  struct Channel {
    std::vector<Listener> listeners;
    std::optional<Progress> told;
    SteadyTime asked_at;
    bool asking = false;
  };

  /// What one question to the store has found.
  struct News {
    PromotionRow row;
    std::int64_t after = 0;  ///< What was asked for: events behind this sequence.
    Timestamp now;
    std::vector<EventRow> events;  ///< Ascending and without a gap.
  };

  Result<std::optional<Response>> open(Queries& queries, Exchange& exchange, const std::string& promotion,
                                       std::optional<std::int64_t> last_event_id);
  bool join(const std::string& promotion, Listener listener);
  void ask(const std::string& promotion, std::int64_t after);
  static Result<News> read_news(Queries& queries, const std::string& promotion, std::int64_t after);
  void tell(const std::string& promotion, const Result<News>& news);
  static void tell_listeners(Channel& channel, const News& news);
  static std::size_t keep_alive(Channel& channel, SteadyTime now);

  Readers& readers_;
  const std::size_t streams_max_;
  std::mutex mutex_;
  std::map<std::string, Channel> channels_;
  std::size_t streams_ = 0;
  bool ended_ = false;
};

}  // namespace hotrow::http
