#include "hotrow/engine/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/commands.hpp"
#include "tests/support/market_commands.hpp"

namespace hotrow {
namespace {

/// A session that notes the lock steps and says that every row is absent.
class RecordingTransaction final : public Transaction {
 public:
  void begin(const AttemptOptions&) override { ++begins; }
  Result<Locked> lock(std::span<const Key> keys) override {
    std::string step;
    for (const Key& key : keys) step += key.first + " ";
    steps.push_back(step);
    return Locked{.rows = std::vector<std::optional<Row>>(keys.size()), .now = test::opening};
  }
  void apply(std::span<const RowWrite>) override {}
  Result<void> commit() override {
    ++commits;
    return {};
  }
  void rollback() noexcept override { ++rollbacks; }
  Result<Keys> held_by_others(std::span<const Key>) override { return Keys{}; }

  int begins = 0;
  int commits = 0;
  int rollbacks = 0;
  std::vector<std::string> steps;
};

using Names = std::map<std::string, std::vector<std::string>>;

/// The machine under test: EnterPromotion{user} needs promotion row `user`; once row X was fetched, it needs
/// the rows that `names` lists for X. Rows are promotions, so all are of one locked kind that may name its
/// own.
Names names;

Machine naming_machine(Names given) {
  names = std::move(given);
  Machine machine;
  machine.traits = [](KeyKind kind) {
    KindTraits known = traits(kind);
    known.names_from = KeyKind::promotion;
    return known;
  };
  machine.keys_needed = [](const Command& command, const RowSet& rows, Keys& out) {
    out.push_back(promotion_key(std::get<EnterPromotion>(command.body).user));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!rows.fetched(out[i])) continue;
      for (const std::string& name : names[out[i].first]) {
        const Key key = promotion_key(name);
        if (std::find(out.begin(), out.end(), key) == out.end()) out.push_back(key);
      }
    }
  };
  machine.decide = [](const Command&, const RowSet&, Timestamp) {
    return Decision{.answer = Outcome(EntryAnswer{})};
  };
  return machine;
}

Attempt run(RecordingTransaction& transaction, const Machine& machine, std::vector<std::string> users) {
  std::vector<Command> commands;
  for (std::string& user : users) commands.push_back(test::enter("p", std::move(user)));
  std::vector<const Command*> batch;
  for (const Command& command : commands) batch.push_back(&command);
  return Executor(transaction, machine).attempt(batch, {.id = {.server = "s", .number = 1}});
}

TEST(LockLaw, OneStepTakesAllRowsOfTheLowestKindInOrderAndOnce) {
  RecordingTransaction transaction;
  const Attempt attempt = run(transaction, naming_machine({}), {"b", "a", "c", "a"});
  EXPECT_TRUE(attempt.result);
  EXPECT_EQ(transaction.steps, (std::vector<std::string>{"a b c "}));
}

TEST(LockLaw, ARowThatNamesAHigherRowLeadsToAnotherStepWithoutARestart) {
  RecordingTransaction transaction;
  EXPECT_TRUE(run(transaction, naming_machine({{"a", {"m"}}, {"m", {"z"}}}), {"a"}).result);
  EXPECT_EQ(transaction.steps, (std::vector<std::string>{"a ", "m ", "z "}));
  EXPECT_EQ(transaction.begins, 1);
}

TEST(LockLaw, ARowThatNamesALowerRowStartsAgainWithThatRowFirst) {
  RecordingTransaction transaction;
  EXPECT_TRUE(run(transaction, naming_machine({{"m", {"a"}}}), {"m"}).result);
  EXPECT_EQ(transaction.steps, (std::vector<std::string>{"m ", "a m "}));
  EXPECT_EQ(transaction.begins, 2);
}

TEST(LockLaw, LocksOnlyUpwardsWhateverTheRowsName) {
  RecordingTransaction transaction;
  EXPECT_TRUE(
      run(transaction, naming_machine({{"m", {"c", "x"}}, {"x", {"b"}}, {"c", {"d"}}}), {"m"}).result);
  // The last attempt is the one that was decided: its steps, joined, ascend.
  std::string joined;
  for (std::size_t i = transaction.steps.size(); i-- > 0;) {
    joined = transaction.steps[i] + joined;
    if (transaction.steps[i].find('b') != std::string::npos) break;
  }
  std::string sorted = joined;
  std::sort(sorted.begin(), sorted.end());
  std::string letters;
  for (char c : joined) letters += c == ' ' ? "" : std::string(1, c);
  EXPECT_EQ(letters, "bcdmx");
}

TEST(LockLaw, GivesUpAfterItsRestarts) {
  // Each row names the one before it: z, y, x, ... need one restart each.
  RecordingTransaction transaction;
  const Machine machine =
      naming_machine({{"z", {"y"}}, {"y", {"x"}}, {"x", {"w"}}, {"w", {"v"}}, {"v", {"u"}}, {"u", {"t"}}});
  const Attempt attempt = run(transaction, machine, {"z"});
  ASSERT_FALSE(attempt.result);
  EXPECT_EQ(attempt.result.error().code, "lock_restarts");
  EXPECT_EQ(transaction.begins, Executor::lock_restarts_max + 1);
  EXPECT_EQ(transaction.commits, 0);
}

TEST(LockLaw, KindsThatNameNothingGoInTheSameStepAsTheirGuard) {
  RecordingTransaction transaction;
  EXPECT_TRUE(run(transaction, Machine{}, {"u1", "u2"}).result);
  EXPECT_EQ(transaction.steps, (std::vector<std::string>{"p p p "}));
}

TEST(Executor, ABatchThatChangesNothingIsRolledBackAndNotCommitted) {
  RecordingTransaction transaction;
  const Attempt attempt = run(transaction, Machine{}, {"u1"});
  ASSERT_TRUE(attempt.result);
  EXPECT_EQ(test::code_of(attempt.replies[0].answer), RejectionCode::promotion_not_found);
  EXPECT_EQ(transaction.commits, 0);
  EXPECT_EQ(transaction.rollbacks, 1);
}

TEST(Executor, LaterCommandsOfABatchSeeWhatEarlierOnesChanged) {
  const auto store = open_memory_store([] { return test::opening; });
  const auto transaction = std::move(*store->open_transaction());
  const std::vector<Command> commands = {test::put_promotion("p", test::nth_settings({2})),
                                         test::enter("p", "a"), test::enter("p", "a"), test::enter("p", "b")};
  std::vector<const Command*> batch;
  for (const Command& command : commands) batch.push_back(&command);
  const Attempt attempt = Executor(*transaction).attempt(batch, {.id = {.server = "s", .number = 1}});
  ASSERT_TRUE(attempt.result);
  EXPECT_EQ(test::entry_of(attempt.replies[1].answer).ordinal, 1);
  EXPECT_TRUE(test::entry_of(attempt.replies[2].answer).already);
  EXPECT_TRUE(test::entry_of(attempt.replies[3].answer).winner);
}

Attempt attempt_all(Transaction& transaction, const std::vector<Command>& commands, std::int64_t number) {
  std::vector<const Command*> batch;
  for (const Command& command : commands) batch.push_back(&command);
  return Executor(transaction).attempt(batch, {.id = {.server = "s", .number = number}});
}

TEST(Executor, TheRowsThatACreatedRowNamesAreLockedBeforeItsBatchIsDecided) {
  const auto store = open_memory_store([] { return test::opening; });
  const auto transaction = std::move(*store->open_transaction());
  ASSERT_TRUE(attempt_all(*transaction, {test::deposit("anna", 100), test::deposit("ben", 500)}, 1).result);
  const std::vector<Command> commands = {
      test::bid("a", "anna", 10), test::create_listing("a", "seller", 10, 500),
      test::bid("a", "anna", 10), test::create_listing("b", "seller", 10),
      test::bid("b", "anna", 20), test::bid("b", "ben", 30),
      test::buy_out("a", "ben"),  test::bid("a", "ben", 40)};
  const Attempt attempt = attempt_all(*transaction, commands, 2);
  ASSERT_TRUE(attempt.result);
  std::string told;
  for (const Reply& reply : attempt.replies) told += std::string(answer_result(reply.answer)) + " ";
  EXPECT_EQ(told,
            "listing_not_found accepted accepted accepted accepted accepted insufficient_funds accepted ");
  EXPECT_TRUE(std::is_sorted(attempt.locked.begin(), attempt.locked.end()));
}

}  // namespace
}  // namespace hotrow
