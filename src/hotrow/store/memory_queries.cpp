#include "hotrow/store/memory_queries.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <set>

namespace hotrow {
namespace {

/// All rows of type R for which `wanted` says yes, in key order.
template <class R, class F>
std::vector<R> collect(const MemoryTables& tables, F&& wanted) {
  std::vector<R> found;
  for (const auto& [key, row] : tables.rows()) {
    const auto* typed = std::get_if<R>(&row);
    if (typed != nullptr && wanted(*typed)) found.push_back(*typed);
  }
  return found;
}

template <class R>
void cut_to(std::vector<R>& rows, std::size_t limit) {
  if (rows.size() > limit) rows.resize(limit);
}

std::vector<EntryRow> entries_after(const MemoryTables& tables, const std::string& promotion,
                                    std::int64_t after_ordinal, std::size_t limit) {
  std::vector<EntryRow> entries;
  auto at = tables.ordinals().upper_bound({promotion, after_ordinal});
  for (; at != tables.ordinals().end() && at->first.first == promotion && entries.size() < limit; ++at) {
    entries.push_back(std::get<EntryRow>(*tables.find(at->second)));
  }
  return entries;
}

std::vector<EventRow> events_of(const MemoryTables& tables, const std::string& kind,
                                const std::string& subject) {
  return collect<EventRow>(
      tables, [&](const EventRow& event) { return event.subject_kind == kind && event.subject == subject; });
}

bool announces(const EventRow& event, const WinnerRow& winner) {
  if (event.id != winner.event_id || event.type != "promotion.winner_determined") return false;
  boost::system::error_code error;
  const boost::json::value data = boost::json::parse(event.data, error);
  const auto* user = !error && data.is_object() ? data.get_object().if_contains("user_id") : nullptr;
  return user != nullptr && user->is_string() && user->get_string() == winner.user;
}

std::int64_t out_of_time(const PromotionRow& promotion, const std::vector<EntryRow>& entries) {
  const PromotionSettings& settings = *promotion.settings;
  Timestamp latest = settings.starts_at;
  std::int64_t count = 0;
  for (const EntryRow& entry : entries) {
    const bool too_early = entry.entered_at < latest;
    const bool too_late = (settings.ends_at && entry.entered_at >= *settings.ends_at) ||
                          (promotion.closing && entry.entered_at > promotion.closing->at);
    if (too_early || too_late) ++count;
    latest = std::max(latest, entry.entered_at);
  }
  return count;
}

PromotionFacts facts_of(const MemoryTables& tables, const PromotionRow& promotion) {
  const std::vector<EntryRow> entries = entries_after(tables, promotion.id, 0, SIZE_MAX);
  const auto winners =
      collect<WinnerRow>(tables, [&](const WinnerRow& winner) { return winner.promotion == promotion.id; });
  const std::vector<EventRow> events = events_of(tables, "promotion", promotion.id);

  PromotionFacts facts{.promotion = promotion, .entries = std::int64_t(entries.size())};
  std::set<std::string> users;
  for (const EntryRow& entry : entries) users.insert(entry.user);
  facts.users_distinct = std::int64_t(users.size());
  facts.ordinals_distinct = facts.entries;  // The index on ordinals holds each once.
  if (!entries.empty()) {
    facts.ordinal_min = entries.front().ordinal;
    facts.ordinal_max = entries.back().ordinal;
  }
  facts.entries_out_of_time = out_of_time(promotion, entries);
  for (const WinnerRow& winner : winners) {
    facts.winner_ordinals.push_back(winner.ordinal);
    const bool entered = std::any_of(entries.begin(), entries.end(), [&](const EntryRow& entry) {
      return entry.ordinal == winner.ordinal && entry.user == winner.user &&
             entry.entered_at == winner.entered_at;
    });
    const bool announced = std::any_of(events.begin(), events.end(),
                                       [&](const EventRow& event) { return announces(event, winner); });
    if (!entered) ++facts.winners_not_entered;
    if (!announced) ++facts.winners_without_event;
  }
  for (const EventRow& event : events) {
    if (event.type == "promotion.winner_determined") ++facts.winner_events;
    if (event.type == "promotion.closed") ++facts.closed_events;
    facts.event_sequence_max = std::max(facts.event_sequence_max, event.sequence);
  }
  facts.events = std::int64_t(events.size());
  return facts;
}

class MemoryQueries final : public Queries {
 public:
  MemoryQueries(std::shared_ptr<const Guarded<MemoryTables>> tables, ClockOverride clock)
      : tables_(std::move(tables)), clock_(std::move(clock)) {}

  Result<Timestamp> now() override { return clock_(); }

  Result<StoreFacts> facts() override {
    return tables_->with([](const MemoryTables& tables) {
      return StoreFacts{.instance_id = tables.instance_id, .schema_version = 1};
    });
  }

  Result<std::optional<PromotionRow>> promotion(const std::string& id) override {
    return find<PromotionRow>(promotion_key(id));
  }

  Result<std::vector<PromotionRow>> promotions(const PromotionsQuery& query) override {
    return tables_->with([&](const MemoryTables& tables) {
      auto found = collect<PromotionRow>(tables, [&](const PromotionRow& promotion) {
        return promotion.id > query.after_id &&
               (!query.state || state_at(promotion, query.now) == *query.state);
      });
      cut_to(found, query.limit);
      return found;
    });
  }

  Result<std::optional<EntryRow>> entry(const std::string& promotion, const std::string& user) override {
    return find<EntryRow>(entry_key(promotion, user));
  }

  Result<std::vector<EntryRow>> entries(const std::string& promotion, std::int64_t after_ordinal,
                                        std::size_t limit) override {
    return tables_->with(
        [&](const MemoryTables& tables) { return entries_after(tables, promotion, after_ordinal, limit); });
  }

  Result<std::optional<EntryNeighbourhood>> neighbourhood(const std::string& promotion,
                                                          std::int64_t ordinal) override {
    return tables_->with([&](const MemoryTables& tables) -> std::optional<EntryNeighbourhood> {
      const auto at = tables.ordinals().find({promotion, ordinal});
      if (at == tables.ordinals().end()) return std::nullopt;
      EntryNeighbourhood found{.entry = std::get<EntryRow>(*tables.find(at->second))};
      found.after = entries_after(tables, promotion, ordinal, 3);
      for (const EntryRow& entry : entries_after(tables, promotion, 0, std::size_t(ordinal))) {
        if (entry.ordinal < ordinal && entry.ordinal >= ordinal - 3) found.before.push_back(entry);
        if (entry.entered_at == found.entry.entered_at) ++found.place_in_batch;
      }
      return found;
    });
  }

  Result<std::vector<WinnerRow>> winners(const std::string& promotion, std::int64_t after_ordinal,
                                         std::size_t limit) override {
    return tables_->with([&](const MemoryTables& tables) {
      auto found = collect<WinnerRow>(tables, [&](const WinnerRow& winner) {
        return winner.promotion == promotion && winner.ordinal > after_ordinal;
      });
      cut_to(found, limit);
      return found;
    });
  }

  Result<EventsPage> events(const EventsQuery& query) override {
    return tables_->with([&](const MemoryTables& tables) {
      EventsPage page{.next_position = query.after_position};
      for (auto at = tables.feed().upper_bound(query.after_position); at != tables.feed().end(); ++at) {
        if (page.events.size() == query.limit) break;
        const auto& event = std::get<EventRow>(*tables.find(at->second));
        const bool wanted = query.types.empty() || std::find(query.types.begin(), query.types.end(),
                                                             event.type) != query.types.end();
        if (wanted) page.events.push_back(event);
        page.next_position = at->first;
      }
      return page;
    });
  }

  Result<std::vector<EventRow>> timeline(const std::string& subject_kind, const std::string& subject,
                                         std::int64_t after_sequence, std::size_t limit) override {
    return tables_->with([&](const MemoryTables& tables) {
      auto found = events_of(tables, subject_kind, subject);
      std::erase_if(found, [&](const EventRow& event) { return event.sequence <= after_sequence; });
      cut_to(found, limit);
      return found;
    });
  }

  Result<Keys> due(Timestamp now, std::size_t limit) override {
    return tables_->with([&](const MemoryTables& tables) {
      auto ended = collect<PromotionRow>(tables, [&](const PromotionRow& promotion) {
        return state_at(promotion, now) == PromotionState::closing;
      });
      std::stable_sort(ended.begin(), ended.end(), [](const PromotionRow& a, const PromotionRow& b) {
        return *a.settings->ends_at < *b.settings->ends_at;
      });
      cut_to(ended, limit);
      Keys keys;
      for (const PromotionRow& promotion : ended) keys.push_back(promotion_key(promotion.id));
      return keys;
    });
  }

  Result<void> export_entries(const std::string& promotion, const EntrySink& sink) override {
    const std::vector<EntryRow> all = tables_->with(
        [&](const MemoryTables& tables) { return entries_after(tables, promotion, 0, SIZE_MAX); });
    constexpr std::size_t chunk = 1000;
    for (std::size_t begin = 0; begin < all.size(); begin += chunk) {
      const auto rows = std::span(all).subspan(begin, std::min(chunk, all.size() - begin));
      if (!sink(rows)) break;
    }
    return {};
  }

  Result<std::optional<PromotionFacts>> promotion_facts(const std::string& id) override {
    return tables_->with([&](const MemoryTables& tables) -> std::optional<PromotionFacts> {
      const Row* row = tables.find(promotion_key(id));
      if (row == nullptr) return std::nullopt;
      return facts_of(tables, std::get<PromotionRow>(*row));
    });
  }

  Result<std::vector<Violation>> orphans() override {
    return tables_->with([](const MemoryTables& tables) {
      const auto belongs = [&](const std::string& promotion) {
        return tables.find(promotion_key(promotion)) != nullptr;
      };
      const auto entries =
          collect<EntryRow>(tables, [&](const EntryRow& row) { return !belongs(row.promotion); });
      const auto winners =
          collect<WinnerRow>(tables, [&](const WinnerRow& row) { return !belongs(row.promotion); });
      const auto events =
          collect<EventRow>(tables, [&](const EventRow& row) { return !belongs(row.subject); });
      std::vector<Violation> violations;
      const auto report = [&](const char* invariant, std::size_t count) {
        if (count > 0)
          violations.push_back({invariant, "store", std::int64_t(count), "rows of no promotion"});
      };
      report("entries_have_a_promotion", entries.size());
      report("winners_have_a_promotion", winners.size());
      report("events_have_a_subject", events.size());
      return violations;
    });
  }

 private:
  template <class R>
  Result<std::optional<R>> find(const Key& key) {
    return tables_->with([&](const MemoryTables& tables) -> std::optional<R> {
      const Row* row = tables.find(key);
      if (row == nullptr) return std::nullopt;
      return std::get<R>(*row);
    });
  }

  std::shared_ptr<const Guarded<MemoryTables>> tables_;
  ClockOverride clock_;
};

}  // namespace

std::unique_ptr<Queries> make_memory_queries(std::shared_ptr<const Guarded<MemoryTables>> tables,
                                             ClockOverride clock) {
  return std::make_unique<MemoryQueries>(std::move(tables), std::move(clock));
}

}  // namespace hotrow
