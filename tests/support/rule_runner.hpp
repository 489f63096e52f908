#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/decide.hpp"
#include "tests/support/commands.hpp"

namespace hotrow::test {

/// Decides commands one after the other on rows of its own, without an engine or a store: rules alone.
class RuleRunner {
 public:
  Timestamp now = opening;

  Decision decide(const Command& command) {
    Keys keys;
    keys_needed(command, rows_, keys);
    for (const Key& key : keys) {
      if (!rows_.fetched(key)) rows_.put(key, std::nullopt);
    }
    Decision decision = hotrow::decide(command, rows_, now);
    for (const RowWrite& write : decision.changes) {
      const bool present = rows_.peek(write.key) != nullptr;
      HOTROW_ASSERT(present == (write.how == RowWrite::How::update));
      rows_.put(write.key, write.row);
      if (const auto* event = std::get_if<EventRow>(&write.row)) events.push_back(*event);
      if (const auto* winner = std::get_if<WinnerRow>(&write.row)) winners.push_back(*winner);
    }
    return decision;
  }

  /// "1", "1 winner", "1 already", or the refusal's code: what a person at the desk hears.
  std::string hear(const Command& command) {
    const Answer answer = decide(command).answer;
    if (const auto* refusal = std::get_if<Rejection>(&answer)) return std::string(traits(refusal->code).code);
    const auto* entry = std::get_if<EntryAnswer>(&std::get<Outcome>(answer));
    if (entry == nullptr) return "ok";
    return std::to_string(entry->ordinal) + (entry->winner ? " winner" : "") +
           (entry->already ? " already" : "");
  }

  std::string enter(const std::string& user) { return hear(test::enter("p", user)); }
  std::string put(PromotionSettings settings) { return hear(put_promotion("p", std::move(settings))); }
  std::string change(PromotionAction action) { return hear(change_promotion("p", action)); }

  const PromotionRow& promotion() { return *rows_.find<PromotionRow>(promotion_key("p")); }

  std::vector<EventRow> events;
  std::vector<WinnerRow> winners;

 private:
  RowSet rows_;
};

}  // namespace hotrow::test
