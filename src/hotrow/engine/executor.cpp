#include "hotrow/engine/executor.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::steady_clock;

microseconds since(SteadyTime start) { return duration_cast<microseconds>(steady_clock::now() - start); }

void sort_and_deduplicate(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Result<void> no_order() {
  return failure(ErrorKind::conflict, "lock_restarts", "the rows kept naming rows that sort before them");
}

}  // namespace

/// What one attempt knows while it locks.
struct Executor::Working {
  const Machine& machine;
  RowSet& rows;
  Keys& locked;
  Keys carried;                ///< Wanted from the first round on, because a later round met them too late.
  std::optional<Key> highest;  ///< Of the keys of locked kinds asked for so far.
  bool rows_can_name_more = true;  ///< Whether asking keys_needed() again could name anything new.
  Timestamp now;

  Keys wanted(std::span<const Command* const> commands) const {
    Keys keys = carried;
    for (const Command* command : commands) machine.keys_needed(*command, rows, keys);
    std::erase_if(keys, [this](const Key& key) { return rows.fetched(key); });
    sort_and_deduplicate(keys);
    return keys;
  }

  /// Whether the command needs rows that nobody has asked for. They are wanted from the first round on now.
  bool carry_unfetched(const Command& command) {
    Keys keys;
    machine.keys_needed(command, rows, keys);
    std::erase_if(keys, [this](const Key& key) { return rows.fetched(key); });
    carried.insert(carried.end(), keys.begin(), keys.end());
    return !keys.empty();
  }

  /// The wanted keys that come too late to be locked upwards.
  Keys too_low(const Keys& keys) const {
    Keys low;
    if (!highest) return low;
    for (const Key& key : keys) {
      if (!machine.traits(key.kind).guarded && key <= *highest) low.push_back(key);
    }
    return low;
  }
};

std::span<const Key> next_lock_step(const Machine& machine, std::span<const Key> wanted) {
  std::optional<KeyKind> bound;  // Kinds from here on may still be added to.
  std::size_t end = 0;
  while (end < wanted.size()) {
    const KeyKind kind = wanted[end].kind;
    if (bound && kind >= *bound) break;
    const std::optional<KeyKind> names_from = machine.traits(kind).names_from;
    if (names_from && (!bound || *names_from < *bound)) bound = names_from;
    while (end < wanted.size() && wanted[end].kind == kind) ++end;
  }
  return wanted.first(end);
}

/// One round of locking. True when every wanted row is there; false to go on; an error ends the attempt.
/// The error code "too_low" asks for a restart with what was carried.
Result<bool> Executor::lock_round(std::span<const Command* const> commands, Working& working) {
  const Keys wanted = working.wanted(commands);
  if (wanted.empty()) return true;
  const Keys low = working.too_low(wanted);
  if (!low.empty()) {
    working.carried.insert(working.carried.end(), low.begin(), low.end());
    return failure(ErrorKind::conflict, "too_low", describe(low.front()));
  }

  const std::span<const Key> step = next_lock_step(machine_, wanted);
  HOTROW_ASSERT(!step.empty());
  working.rows_can_name_more = step.size() < wanted.size();
  for (const Key& key : step) {
    const KindTraits kind = machine_.traits(key.kind);
    if (kind.names_from) working.rows_can_name_more = true;
    if (kind.guarded) continue;
    HOTROW_ASSERT(!working.highest || *working.highest < key);
    working.highest = key;
    working.locked.push_back(key);
  }
  Result<Locked> locked = transaction_.lock(step);
  if (!locked) return failure(std::move(locked.error()));
  HOTROW_ASSERT(locked->rows.size() == step.size());
  for (std::size_t i = 0; i < step.size(); ++i) working.rows.put(step[i], std::move(locked->rows[i]));
  working.now = locked->now;
  return !working.rows_can_name_more;
}

Result<void> Executor::lock_rows(std::span<const Command* const> commands, const AttemptOptions& options,
                                 Working& working) {
  for (int restarts = 0; restarts <= lock_restarts_max; ++restarts) {
    transaction_.begin(options);
    working.rows = RowSet();
    working.rows.reserve(commands.size() * 2);
    working.highest.reset();
    Result<bool> complete = false;
    while (complete && !*complete) complete = lock_round(commands, working);
    if (complete) return {};
    if (complete.error().code != "too_low") return failure(std::move(complete.error()));
  }
  return no_order();
}

/// Decides the commands in order. False when one meets a row that a command before it has created in this
/// batch and that names rows nobody has asked for: those are carried into the next try, and nothing that was
/// decided here counts.
bool Executor::decide_all(std::span<const Command* const> commands, Working& working, Attempt& attempt,
                          WriteSet& writes) {
  bool complete = true;
  bool has_new_names = false;
  for (const Command* command : commands) {
    if (has_new_names && working.carry_unfetched(*command)) {
      complete = false;
      continue;
    }
    Decision decision = machine_.decide(*command, working.rows, working.now);
    const bool changed = !decision.changes.empty();
    for (RowWrite& write : decision.changes) {
      const KindTraits kind = machine_.traits(write.key.kind);
      HOTROW_ASSERT(kind.guarded || working.rows.fetched(write.key));
      has_new_names = has_new_names || (kind.names_from && write.how == RowWrite::How::insert);
      working.rows.update_if_fetched(write.key, write.row);
      writes.add(std::move(write));
    }
    attempt.replies.push_back(
        {.answer = std::move(decision.answer), .replayed = decision.replayed, .changed = changed});
    attempt.report.weight += weight(*command);
  }
  HOTROW_ASSERT(!complete || attempt.replies.size() == commands.size());
  return complete;
}

Attempt Executor::attempt(std::span<const Command* const> commands, const AttemptOptions& options) {
  HOTROW_ASSERT(!commands.empty());
  Attempt attempt{.id = options.id};
  attempt.report.commands = commands.size();

  const SteadyTime lock_start = steady_clock::now();
  SteadyTime decide_start = lock_start;
  Working working{.machine = machine_, .rows = attempt.rows, .locked = attempt.locked};
  WriteSet writes;
  bool decided = false;
  for (int tries = 0; !decided; ++tries) {
    attempt.result = tries <= lock_restarts_max ? lock_rows(commands, options, working) : no_order();
    attempt.now = working.now;
    decide_start = steady_clock::now();
    attempt.report.lock_time = duration_cast<microseconds>(decide_start - lock_start);
    if (!attempt.result) {
      sort_and_deduplicate(attempt.locked);
      transaction_.rollback();
      return attempt;
    }
    writes = WriteSet();
    attempt.replies.clear();
    attempt.replies.reserve(commands.size());
    attempt.report.weight = 0;
    decided = decide_all(commands, working, attempt, writes);
  }
  sort_and_deduplicate(attempt.locked);
  const std::span<const RowWrite> sorted = writes.sorted();
  attempt.report.writes = sorted.size();
  attempt.report.decide_time = since(decide_start);

  if (sorted.empty()) {
    transaction_.rollback();
    return attempt;
  }
  const SteadyTime commit_start = steady_clock::now();
  transaction_.apply(sorted);
  attempt.result = transaction_.commit();
  attempt.report.commit_time = since(commit_start);
  return attempt;
}

}  // namespace hotrow
