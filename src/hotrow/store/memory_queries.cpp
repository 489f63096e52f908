#include "hotrow/store/memory_queries.hpp"

#include <algorithm>
#include <set>

#include "hotrow/store/memory_market_queries.hpp"
#include "hotrow/store/memory_rows.hpp"

namespace hotrow {
namespace {

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

std::int64_t out_of_time(const PromotionRow& promotion, const std::vector<EntryRow>& entries) {
  const PromotionSettings& settings = *promotion.settings;
  Timestamp before = settings.starts_at;
  std::int64_t count = 0;
  for (const EntryRow& entry : entries) {
    const bool too_early = entry.entered_at < settings.starts_at || entry.entered_at < before;
    const bool too_late = (settings.ends_at && entry.entered_at >= *settings.ends_at) ||
                          (promotion.closing && entry.entered_at > promotion.closing->at);
    if (too_early || too_late) ++count;
    before = entry.entered_at;
  }
  return count;
}

void count_evidence(const MemoryTables& tables, PromotionFacts& facts) {
  EvidenceCounter counter(facts);
  const std::string& promotion = facts.promotion.id;
  const std::vector<EventRow> events = events_of(tables, "promotion", promotion);
  const auto winners =
      collect<WinnerRow>(tables, [&](const WinnerRow& winner) { return winner.promotion == promotion; });
  for (const WinnerRow& winner : winners) {
    WinnerEvidence evidence{.winner = winner};
    if (const auto at = tables.ordinals().find({promotion, winner.ordinal}); at != tables.ordinals().end()) {
      evidence.entry = std::get<EntryRow>(*tables.find(at->second));
    }
    const auto event = std::ranges::find(events, winner.event_id, &EventRow::id);
    if (event != events.end()) evidence.event = *event;
    counter.add(evidence);
  }
  for (const EventRow& event : events) counter.add(event);
}

PromotionFacts facts_of(const MemoryTables& tables, const PromotionRow& promotion) {
  const std::vector<EntryRow> entries = entries_after(tables, promotion.id, 0, SIZE_MAX);
  PromotionFacts facts{.promotion = promotion,
                       .starts_at = promotion.settings->starts_at,
                       .ends_at = promotion.settings->ends_at,
                       .entries = std::int64_t(entries.size())};
  std::set<std::string> users;
  for (const EntryRow& entry : entries) users.insert(entry.user);
  facts.users_distinct = std::int64_t(users.size());
  facts.ordinals_distinct = facts.entries;  // The index on ordinals holds each once.
  if (!entries.empty()) {
    facts.ordinal_min = entries.front().ordinal;
    facts.ordinal_max = entries.back().ordinal;
  }
  facts.entries_out_of_time = out_of_time(promotion, entries);
  count_evidence(tables, facts);
  return facts;
}

class MemoryQueries final : public MemoryMarketQueries {
 public:
  MemoryQueries(std::shared_ptr<const Guarded<MemoryTables>> tables, ClockOverride clock)
      : MemoryMarketQueries(std::move(tables)), clock_(std::move(clock)) {}

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

  Result<std::vector<std::string>> promotion_ids(const std::string& after_id, std::size_t limit) override {
    return promotions({.after_id = after_id, .limit = limit}).map([](const auto& found) {
      std::vector<std::string> ids;
      for (const PromotionRow& promotion : found) ids.push_back(promotion.id);
      return ids;
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
      for (Key& listing : due_listings(tables, now, limit)) keys.push_back(std::move(listing));
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
      const auto events = collect<EventRow>(tables, [&](const EventRow& row) {
        return row.subject_kind == "promotion" && !belongs(row.subject);
      });
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
  ClockOverride clock_;
};

}  // namespace

std::unique_ptr<Queries> make_memory_queries(std::shared_ptr<const Guarded<MemoryTables>> tables,
                                             ClockOverride clock) {
  return std::make_unique<MemoryQueries>(std::move(tables), std::move(clock));
}

}  // namespace hotrow
