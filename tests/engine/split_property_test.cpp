#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hotrow/engine/executor.hpp"
#include "hotrow/store/memory_store.hpp"
#include "tests/support/commands.hpp"

// The property on which combining rests: how a list of commands is cut into batches changes neither an answer
// nor a row. Made ids and places count commands, never batches.
namespace hotrow {
namespace {

/// What a run leaves behind, as text.
struct Aftermath {
  std::vector<std::string> answers;
  std::vector<std::string> rows;
  friend bool operator==(const Aftermath&, const Aftermath&) = default;
};

std::ostream& operator<<(std::ostream& out, const Aftermath& aftermath) {
  for (const std::string& answer : aftermath.answers) out << answer << '\n';
  for (const std::string& row : aftermath.rows) out << row << '\n';
  return out;
}

const std::vector<std::string> promotions = {"p", "q|r"};

Aftermath look(Store& store, std::vector<std::string> answers) {
  Aftermath aftermath{.answers = std::move(answers)};
  std::unique_ptr<Queries> queries = std::move(*store.open_queries());
  for (const std::string& id : promotions) {
    if (const auto row = *queries->promotion(id)) {
      aftermath.rows.push_back(test::text_of(Outcome(PromotionAnswer{.promotion = *row})));
      EXPECT_TRUE(audit(**queries->promotion_facts(id)).ok());
    }
    const std::vector<EntryRow> entries = *queries->entries(id, 0, 10'000);
    for (const EntryRow& entry : entries) {
      aftermath.rows.push_back(entry.user + " " + std::to_string(entry.ordinal) + " " +
                               format_rfc3339(entry.entered_at));
    }
    const std::vector<WinnerRow> winners = *queries->winners(id, 0, 10'000);
    for (const WinnerRow& winner : winners) {
      aftermath.rows.push_back(winner.user + " wins " + std::to_string(winner.ordinal) + " " +
                               winner.event_id);
    }
    const std::vector<EventRow> events = *queries->timeline("promotion", id, 0, 10'000);
    for (const EventRow& event : events) {
      aftermath.rows.push_back(event.id + " " + std::to_string(event.sequence) + " " + event.data);
    }
  }
  return aftermath;
}

/// Runs the commands in order, cut after each index in `cuts`. Time goes on by one second a command, so that
/// it does not depend on the cuts either.
Aftermath run(const std::vector<Command>& commands, const std::vector<std::size_t>& cuts) {
  const std::unique_ptr<Store> store = open_memory_store([] { return test::opening; });
  const std::unique_ptr<Transaction> transaction = std::move(*store->open_transaction());
  Executor executor(*transaction);
  std::vector<std::string> answers;
  std::size_t begin = 0;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const bool cut = i + 1 == commands.size() || std::find(cuts.begin(), cuts.end(), i) != cuts.end();
    if (!cut) continue;
    std::vector<const Command*> batch;
    for (; begin <= i; ++begin) batch.push_back(&commands[begin]);
    const Attempt attempt = executor.attempt(batch, {.id = {.server = "s", .number = ++number}});
    EXPECT_TRUE(attempt.result.has_value());
    for (const Reply& reply : attempt.replies) {
      answers.push_back(test::text_of(reply.answer) + (reply.replayed ? " again" : ""));
    }
  }
  return look(*store, std::move(answers));
}

rc::Gen<PromotionSettings> settings() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(1, 6), rc::gen::inRange(0, 8),
                                     rc::gen::arbitrary<bool>()),
                      [](const auto& picked) {
                        const auto& [kind, number, limit, closes] = picked;
                        PromotionSettings made = test::nth_settings({number, number + 3});
                        if (kind == 1) made.rule = EveryRule{.interval = number, .winners = 3};
                        if (kind == 2) made.rule = FirstRule{.count = number};
                        if (limit > 0) made.max_entries = limit * 3;
                        made.close_on_last_winner = closes;
                        return made;
                      });
}

rc::Gen<Command> body() {
  const auto promotion = rc::gen::elementOf(promotions);
  const auto user = rc::gen::map(rc::gen::inRange(0, 12), [](int n) { return "user|" + std::to_string(n); });
  return rc::gen::weightedOneOf<Command>(
      {{20, rc::gen::apply(test::enter, promotion, user)},
       {3, rc::gen::apply(test::enter_batch, promotion, rc::gen::container<std::vector<std::string>>(user))},
       {3, rc::gen::apply(test::put_promotion, promotion, settings())},
       {2, rc::gen::apply(test::change_promotion, promotion,
                          rc::gen::element(PromotionAction::pause, PromotionAction::resume,
                                           PromotionAction::resume, PromotionAction::close_when_ended))},
       {1, rc::gen::apply(test::change_promotion, promotion, rc::gen::just(PromotionAction::close))}});
}

/// One in three carries an idempotency key out of a few, with one of two payloads.
rc::Gen<Command> any_command() {
  return rc::gen::apply(
      [](Command command, int key, int payload) {
        if (key >= 4) return command;
        return test::with_key(std::move(command), "key" + std::to_string(key), std::to_string(payload));
      },
      body(), rc::gen::inRange(0, 12), rc::gen::inRange(0, 2));
}

RC_GTEST_PROP(Splitting, ABatchChangesNeitherAnswersNorRows, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  const auto commands = *rc::gen::container<std::vector<Command>>(count, any_command());
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, count));
  std::vector<std::size_t> every(count);
  for (std::size_t i = 0; i < count; ++i) every[i] = i;

  const Aftermath one_by_one = run(commands, every);
  RC_ASSERT(run(commands, {}) == one_by_one);
  RC_ASSERT(run(commands, cuts) == one_by_one);
}

}  // namespace

// RapidCheck prints a counterexample with these.
void showValue(const Command& command, std::ostream& out) { out << command_kind(command); }

}  // namespace hotrow
