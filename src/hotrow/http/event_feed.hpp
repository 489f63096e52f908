#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/engine/readers.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::http {

/// GET /v1/events: the pull feed, with long polls.
///
/// While somebody waits, one shared probe a tick asks whether the feed went on; only then are those who wait
/// asked for anew. Safe from all threads.
class EventFeed : public std::enable_shared_from_this<EventFeed> {
 public:
  EventFeed(Readers& readers, std::string instance, std::size_t long_polls_max)
      : readers_(readers),
        instance_(std::move(instance)),
        cursor_list_("events/" + instance_),
        long_polls_max_(long_polls_max) {}

  std::optional<Response> take(Exchange& exchange);

  /// Probes, and answers those whose time is up. About ten times a second.
  void tick(SteadyTime now);

  /// Answers everybody who waits; from now on nobody waits.
  void end();

 private:
  struct Poll {
    Exchange* exchange;
    EventsQuery query;
    bool has_cursor;  ///< Without one there is nothing that could have expired.
    SteadyTime deadline;
  };

  bool submit(const Poll& poll);
  void read(Queries& queries, Poll poll);
  bool wait(const Poll& poll);
  void probe(std::int64_t after);
  void wake(std::int64_t position);
  Response page_response(const EventsPage& page) const;
  Response expired_response(const Exchange& exchange, std::int64_t oldest, std::string_view why) const;

  Readers& readers_;
  const std::string instance_;
  /// What its cursors are bound to. Not the types: a consumer may ask for further ones and go on where it is.
  const std::string cursor_list_;
  const std::size_t long_polls_max_;
  std::mutex mutex_;
  std::vector<Poll> waiting_;
  bool probing_ = false;
  bool ended_ = false;
};

}  // namespace hotrow::http
