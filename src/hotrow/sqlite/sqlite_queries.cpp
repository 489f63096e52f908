#include "hotrow/sqlite/sqlite_queries.hpp"

#include <algorithm>

#include "hotrow/sqlite/sqlite_audit.hpp"
#include "hotrow/sqlite/sqlite_collect.hpp"
#include "hotrow/sqlite/sqlite_market_queries.hpp"
#include "hotrow/sqlite/sqlite_rows.hpp"
#include "hotrow/sqlite/sqlite_schema.hpp"

namespace hotrow::sqlite {
namespace {

// ?1 state, ?2 now, ?3 after, ?4 limit. The CASE is core's state_at().
constexpr std::string_view promotions_in_state = R"sql(
WHERE id > ?3 AND ?1 = CASE
    WHEN phase = 'closed' THEN 'closed'
    WHEN ends_at <= ?2 THEN 'closing'
    WHEN starts_at > ?2 THEN 'scheduled'
    WHEN phase = 'paused' THEN 'paused'
    ELSE 'open' END
ORDER BY id LIMIT ?4)sql";

constexpr std::string_view promotion_ids_sql = "SELECT id FROM promotion WHERE id > ?1 ORDER BY id LIMIT ?2";

constexpr std::string_view due_sql =
    "SELECT id FROM promotion WHERE phase <> 'closed' AND ends_at IS NOT NULL AND ends_at <= ?1 "
    "ORDER BY ends_at, id LIMIT ?2";

/// The place of the last entry before ?2 that was decided at another time than ?3.
constexpr std::string_view place_before_batch_sql =
    "SELECT ordinal FROM entry WHERE promotion = ?1 AND ordinal < ?2 AND entered_at <> ?3 "
    "ORDER BY ordinal DESC LIMIT 1";

// The latest position, and the one before the oldest event that is still there: the feed is complete from
// it on. What was given out and removed again is known from sqlite_sequence.
constexpr std::string_view feed_bounds_sql = R"sql(
WITH given_out (latest) AS (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0))
SELECT latest, coalesce((SELECT min(position) - 1 FROM event), latest) FROM given_out)sql";

constexpr std::string_view instance_sql = "SELECT value FROM meta WHERE name = 'instance_id'";
constexpr std::string_view version_sql = "SELECT max(number) FROM schema_migration";

constexpr std::size_t export_chunk_rows = 1'000;
constexpr std::int64_t neighbours_each_side = 3;

std::string_view name_of(PromotionState state) {
  switch (state) {
    case PromotionState::scheduled: return "scheduled";
    case PromotionState::open: return "open";
    case PromotionState::paused: return "paused";
    case PromotionState::closing: return "closing";
    case PromotionState::closed: return "closed";
  }
  return "";
}

struct Statements {
  Statement promotion, promotions, promotions_in_state, promotion_ids, due;
  Statement entry, entry_at, entries, entries_before, place_before_batch;
  Statement winners, events, timeline, feed_bounds, instance, version;

  Result<void> prepare(Connection& connection);
};

Result<void> Statements::prepare(Connection& connection) {
  return prepare_all(
      connection,
      {
          {promotion, select_promotions, "WHERE id = ?1"},
          {promotions, select_promotions, "WHERE id > ?1 ORDER BY id LIMIT ?2"},
          {promotions_in_state, select_promotions, sqlite::promotions_in_state},
          {promotion_ids, promotion_ids_sql},
          {due, due_sql},
          {entry, select_entries, "WHERE promotion = ?1 AND user_id = ?2"},
          {entry_at, select_entries, "WHERE promotion = ?1 AND ordinal = ?2"},
          {entries, select_entries, "WHERE promotion = ?1 AND ordinal > ?2 ORDER BY ordinal LIMIT ?3"},
          {entries_before, select_entries,
           "WHERE promotion = ?1 AND ordinal < ?2 ORDER BY ordinal DESC LIMIT ?3"},
          {place_before_batch, place_before_batch_sql},
          {winners, select_winners, "WHERE promotion = ?1 AND ordinal > ?2 ORDER BY ordinal LIMIT ?3"},
          {events, select_events, "WHERE position > ?1 ORDER BY position LIMIT ?2"},
          {timeline, select_events,
           "WHERE subject_kind = ?1 AND subject = ?2 AND sequence > ?3 ORDER BY sequence LIMIT ?4"},
          {feed_bounds, feed_bounds_sql},
          {instance, instance_sql},
          {version, version_sql},
      });
}

class SqliteQueries final : public SqliteMarketQueries {
 public:
  SqliteQueries(Connection connection, std::shared_ptr<StoreClock> clock)
      : SqliteMarketQueries(std::move(connection), std::move(clock)) {}

  Result<void> prepare() {
    return prepare_market().and_then([this] { return statements_.prepare(connection_); });
  }

  Result<Timestamp> now() override { return clock_->now(); }

  Result<StoreFacts> facts() override {
    const auto text = [](Statement& row) { return Columns(row).text(); };
    const auto number = [](Statement& row) { return row.integer(0); };
    const Result<std::optional<std::string>> instance = find_one<std::string>(statements_.instance, text);
    if (!instance) return failure(instance.error());
    const Result<std::optional<std::int64_t>> version = find_one<std::int64_t>(statements_.version, number);
    if (!version) return failure(version.error());
    return StoreFacts{.instance_id = instance->value_or(""), .schema_version = version->value_or(0)};
  }

  Result<std::optional<PromotionRow>> promotion(const std::string& id) override {
    Statement& find = statements_.promotion.bind(id);
    const Result<bool> found = find.step();
    if (!found) return failure(found.error());
    if (!*found) return std::nullopt;
    Result<PromotionRow> row = read_promotion(find, settings_);
    find.reset();
    if (!row) return failure(row.error());
    return std::move(*row);
  }

  Result<std::vector<PromotionRow>> promotions(const PromotionsQuery& query) override {
    if (!query.state)
      return read_promotions(statements_.promotions.bind(query.after_id, to_limit(query.limit)));
    return read_promotions(statements_.promotions_in_state.bind(name_of(*query.state), query.now,
                                                                query.after_id, to_limit(query.limit)));
  }

  Result<std::vector<std::string>> promotion_ids(const std::string& after_id, std::size_t limit) override {
    return collect<std::string>(statements_.promotion_ids.bind(after_id, to_limit(limit)),
                                [](Statement& row) { return Columns(row).text(); });
  }

  Result<std::optional<EntryRow>> entry(const std::string& promotion, const std::string& user) override {
    return find_one<EntryRow>(statements_.entry.bind(promotion, user), read_entry);
  }

  Result<std::vector<EntryRow>> entries(const std::string& promotion, std::int64_t after_ordinal,
                                        std::size_t limit) override {
    return collect<EntryRow>(statements_.entries.bind(promotion, after_ordinal, to_limit(limit)), read_entry);
  }

  Result<std::optional<EntryNeighbourhood>> neighbourhood(const std::string& promotion,
                                                          std::int64_t ordinal) override {
    Result<Scope> scope = Scope::begin(connection_);
    if (!scope) return failure(scope.error());
    auto entry = find_one<EntryRow>(statements_.entry_at.bind(promotion, ordinal), read_entry);
    if (!entry) return failure(entry.error());
    if (!*entry) return std::nullopt;
    auto before = collect<EntryRow>(statements_.entries_before.bind(promotion, ordinal, neighbours_each_side),
                                    read_entry);
    if (!before) return failure(before.error());
    auto after =
        collect<EntryRow>(statements_.entries.bind(promotion, ordinal, neighbours_each_side), read_entry);
    if (!after) return failure(after.error());
    const auto batch =
        find_one<std::int64_t>(statements_.place_before_batch.bind(promotion, ordinal, (*entry)->entered_at),
                               [](Statement& row) { return row.integer(0); });
    if (!batch) return failure(batch.error());
    std::reverse(before->begin(), before->end());
    return EntryNeighbourhood{.entry = std::move(**entry),
                              .before = std::move(*before),
                              .after = std::move(*after),
                              .place_in_batch = ordinal - batch->value_or(0)};
  }

  Result<std::vector<WinnerRow>> winners(const std::string& promotion, std::int64_t after_ordinal,
                                         std::size_t limit) override {
    return collect<WinnerRow>(statements_.winners.bind(promotion, after_ordinal, to_limit(limit)),
                              read_winner);
  }

  Result<EventsPage> events(const EventsQuery& query) override {
    Result<Scope> scope = Scope::begin(connection_);
    if (!scope) return failure(scope.error());
    Result<std::vector<EventRow>> events = read_events(query);
    if (!events) return failure(events.error());
    Statement& bounds = statements_.feed_bounds;
    const Result<bool> found = bounds.step();
    if (!found) return failure(found.error());
    EventsPage page{.events = std::move(*events), .oldest_position = bounds.integer(1)};
    const std::int64_t latest = std::max(query.after_position, bounds.integer(0));
    bounds.reset();
    const bool full = page.events.size() == query.limit && query.limit > 0;
    page.next_position = full ? page.events.back().position : latest;
    return page;
  }

  Result<std::vector<EventRow>> timeline(const std::string& subject_kind, const std::string& subject,
                                         std::int64_t after_sequence, std::size_t limit) override {
    return collect<EventRow>(
        statements_.timeline.bind(subject_kind, subject, after_sequence, to_limit(limit)), read_event);
  }

  Result<Keys> due(Timestamp now, std::size_t limit) override {
    Result<Keys> keys = collect<Key>(statements_.due.bind(now, to_limit(limit)),
                                     [](Statement& row) { return promotion_key(Columns(row).text()); });
    Result<Keys> listings = due_listings(now, limit);
    if (!keys || !listings) return keys ? listings : keys;
    keys->insert(keys->end(), listings->begin(), listings->end());
    return keys;
  }

  Result<void> export_entries(const std::string& promotion, const EntrySink& sink) override {
    Statement& statement = statements_.entries.bind(promotion, std::int64_t{0}, std::int64_t{-1});
    std::vector<EntryRow> chunk;
    for (bool more = true; more;) {
      const Result<bool> found = statement.step();
      if (!found) return failure(found.error());
      more = *found;
      if (more) chunk.push_back(read_entry(statement));
      if (chunk.size() < export_chunk_rows && (more || chunk.empty())) continue;
      more = sink(chunk) && more;
      chunk.clear();
    }
    statement.reset();
    return {};
  }

  Result<std::optional<PromotionFacts>> promotion_facts(const std::string& id) override {
    Result<Scope> scope = Scope::begin(connection_);
    if (!scope) return failure(scope.error());
    Result<std::optional<PromotionRow>> row = promotion(id);
    if (!row && row.error().code == settings_unreadable) return PromotionFacts{.promotion = {.id = id}};
    if (!row) return failure(row.error());
    if (!*row) return std::nullopt;
    Result<PromotionFacts> facts = count_facts(connection_, std::move(**row));
    if (!facts) return failure(facts.error());
    return std::move(*facts);
  }

  Result<std::vector<Violation>> orphans() override {
    Result<Scope> scope = Scope::begin(connection_);
    if (!scope) return failure(scope.error());
    return find_orphans(connection_);
  }

 private:
  Result<std::vector<PromotionRow>> read_promotions(Statement& statement) {
    std::vector<PromotionRow> rows;
    for (;;) {
      const Result<bool> more = statement.step();
      if (!more) return failure(more.error());
      if (!*more) return rows;
      Result<PromotionRow> row = read_promotion(statement, settings_);
      if (!row) {
        statement.reset();
        return failure(row.error());
      }
      rows.push_back(std::move(*row));
    }
  }

  Result<std::vector<EventRow>> read_events(const EventsQuery& query) {
    if (query.types.empty()) {
      return collect<EventRow>(statements_.events.bind(query.after_position, to_limit(query.limit)),
                               read_event);
    }
    std::string rest = "WHERE position > ?1 AND type IN (";
    for (std::size_t i = 0; i < query.types.size(); ++i) rest += "?" + std::to_string(i + 3) + ",";
    rest.back() = ')';
    Result<Statement> statement = connection_.prepare(select_events, rest + " ORDER BY position LIMIT ?2");
    if (!statement) return failure(statement.error());
    statement->bind(query.after_position, to_limit(query.limit));
    statement->bind_more(3, query.types);
    return collect<EventRow>(*statement, read_event);
  }

  Statements statements_;
  SettingsCache settings_;
};

}  // namespace

Result<std::unique_ptr<Queries>> open_queries(const std::string& path, std::shared_ptr<StoreClock> clock) {
  Result<Connection> connection = Connection::open_for_reading(path);
  if (!connection) return failure(connection.error());
  auto queries = std::make_unique<SqliteQueries>(std::move(*connection), std::move(clock));
  if (Result<void> prepared = queries->prepare(); !prepared) return failure(prepared.error());
  return queries;
}

}  // namespace hotrow::sqlite
