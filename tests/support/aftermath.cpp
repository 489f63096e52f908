#include "tests/support/aftermath.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "hotrow/base/hash.hpp"
#include "hotrow/engine/executor.hpp"
#include "tests/support/commands.hpp"

namespace hotrow::test {
namespace {

void append_rows(Queries& queries, const std::string& promotion, std::vector<std::string>& rows) {
  const std::optional<PromotionRow> row = *queries.promotion(promotion);
  if (!row) return;
  rows.push_back(text_of(Outcome(PromotionAnswer{.promotion = *row})));
  for (const Violation& violation : audit(**queries.promotion_facts(promotion)).violations) {
    ADD_FAILURE() << violation.invariant << " " << violation.detail;
  }
  constexpr std::size_t all = 10'000;
  const std::vector<EntryRow> entries = *queries.entries(promotion, 0, all);
  for (const EntryRow& entry : entries) {
    rows.push_back(entry.user + " " + std::to_string(entry.ordinal) + " " + format_rfc3339(entry.entered_at));
  }
  const std::vector<WinnerRow> winners = *queries.winners(promotion, 0, all);
  for (const WinnerRow& winner : winners) {
    rows.push_back(winner.user + " wins " + std::to_string(winner.ordinal) + " " + winner.event_id);
  }
  const std::vector<EventRow> events = *queries.timeline("promotion", promotion, 0, all);
  for (const EventRow& event : events) {
    rows.push_back(event.id + " " + std::to_string(event.sequence) + " " + event.data);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Aftermath& aftermath) {
  for (const std::string& answer : aftermath.answers) out << answer << '\n';
  for (const std::string& row : aftermath.rows) out << row << '\n';
  return out;
}

Aftermath run_in_pieces(Store& store, const std::vector<Command>& commands,
                        const std::vector<std::size_t>& cuts, const std::vector<std::string>& promotions) {
  static const std::string server = random_hex(8);
  static std::atomic<std::int64_t> number = 0;
  const std::unique_ptr<Transaction> transaction = std::move(*store.open_transaction());
  Executor executor(*transaction);
  Aftermath aftermath;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const bool cut = i + 1 == commands.size() || std::find(cuts.begin(), cuts.end(), i) != cuts.end();
    if (!cut) continue;
    std::vector<const Command*> piece;
    for (; begin <= i; ++begin) piece.push_back(&commands[begin]);
    const Attempt attempt = executor.attempt(piece, {.id = {.server = server, .number = ++number}});
    EXPECT_TRUE(attempt.result) << attempt.result.error().code << " " << attempt.result.error().detail;
    for (const Reply& reply : attempt.replies) {
      aftermath.answers.push_back(text_of(reply.answer) + (reply.replayed ? " again" : ""));
    }
  }
  const std::unique_ptr<Queries> queries = std::move(*store.open_queries());
  for (const std::string& promotion : promotions) append_rows(*queries, promotion, aftermath.rows);
  return aftermath;
}

std::vector<std::size_t> every_cut(const std::vector<Command>& commands) {
  std::vector<std::size_t> cuts(commands.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
  return cuts;
}

}  // namespace hotrow::test
