#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hotrow/base/result.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/promotion.hpp"
#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/store/market_queries.hpp"

namespace hotrow {

/// One page of promotions, ascending by id.
struct PromotionsQuery {
  std::optional<PromotionState> state;  ///< As state_at(promotion, now).
  Timestamp now;
  std::string after_id;  ///< "" from the beginning.
  std::size_t limit = 50;
};

/// One page of the feed, ascending by position.
struct EventsQuery {
  std::int64_t after_position = 0;
  std::vector<std::string> types;  ///< Empty: all.
  std::size_t limit = 50;
};

struct EventsPage {
  std::vector<EventRow> events;
  /// Read on from here: the position up to which everything is known, also when nothing matched. Never
  /// passes an event that could still commit behind it.
  std::int64_t next_position = 0;
  /// The oldest position from which the feed is complete; a smaller cursor has expired.
  std::int64_t oldest_position = 0;
};

/// An entry with its neighbours in ordinal order, for "why that person?".
struct EntryNeighbourhood {
  EntryRow entry;
  std::vector<EntryRow> before;     ///< Up to 3, ascending.
  std::vector<EntryRow> after;      ///< Up to 3, ascending.
  std::int64_t place_in_batch = 0;  ///< 1 for the first entry decided at the same instant.
};

/// What a store knows of itself.
struct StoreFacts {
  std::string instance_id;  ///< Made by the first migration; the `source` of its events.
  std::int64_t schema_version = 0;
};

/// Code of the error when a promotion is read whose settings are none that hotrow wrote.
inline constexpr const char* settings_unreadable = "settings_unreadable";

/// The read port: typed questions, each answered from one committed state. A session of its own with its own
/// time-outs, used by one thread at a time; never waits for a writer's locks. All errors are held,
/// transient or fatal.
class Queries : public MarketQueries {
 public:
  /// The store's clock.
  virtual Result<Timestamp> now() = 0;
  virtual Result<StoreFacts> facts() = 0;

  virtual Result<std::optional<PromotionRow>> promotion(const std::string& id) = 0;
  virtual Result<std::vector<PromotionRow>> promotions(const PromotionsQuery& query) = 0;

  /// Ids > `after_id`, ascending; also of promotions whose rows cannot be read.
  virtual Result<std::vector<std::string>> promotion_ids(const std::string& after_id, std::size_t limit) = 0;

  virtual Result<std::optional<EntryRow>> entry(const std::string& promotion, const std::string& user) = 0;
  /// Entries with ordinal > `after_ordinal`, ascending.
  virtual Result<std::vector<EntryRow>> entries(const std::string& promotion, std::int64_t after_ordinal,
                                                std::size_t limit) = 0;
  virtual Result<std::optional<EntryNeighbourhood>> neighbourhood(const std::string& promotion,
                                                                  std::int64_t ordinal) = 0;

  /// Winners with ordinal > `after_ordinal`, ascending.
  virtual Result<std::vector<WinnerRow>> winners(const std::string& promotion, std::int64_t after_ordinal,
                                                 std::size_t limit) = 0;

  virtual Result<EventsPage> events(const EventsQuery& query) = 0;
  /// A subject's events with sequence > `after_sequence`, ascending.
  virtual Result<std::vector<EventRow>> timeline(const std::string& subject_kind, const std::string& subject,
                                                 std::int64_t after_sequence, std::size_t limit) = 0;

  /// Subjects whose time has come, each kind oldest first and at most `limit` of it: promotions past their
  /// end and not closed; listings past their end, active and not set aside, none while the market is paused.
  /// What is to be done about one says core's due_command(). Takes no locks: to name one twice is harmless.
  virtual Result<Keys> due(Timestamp now, std::size_t limit) = 0;

  /// Streams all entries of one committed state in ordinal order, in constant memory. `sink` gets the rows
  /// in chunks and returns false to stop early.
  using EntrySink = std::function<bool(std::span<const EntryRow>)>;
  virtual Result<void> export_entries(const std::string& promotion, const EntrySink& sink) = 0;

  /// Counts for core's audit, all from one snapshot; nullopt when there is no such promotion. Settings that
  /// cannot be read are a fact, not an error.
  virtual Result<std::optional<PromotionFacts>> promotion_facts(const std::string& id) = 0;

  /// Rows that belong to no promotion: entries, winners, events of missing subjects.
  virtual Result<std::vector<Violation>> orphans() = 0;
};

}  // namespace hotrow
