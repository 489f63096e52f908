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
  return failure(ErrorKind::conflict, "lock_restarts", "the rows kept naming rows that sort before them");
}

Attempt Executor::attempt(std::span<const Command* const> commands, const AttemptOptions& options) {
  HOTROW_ASSERT(!commands.empty());
  Attempt attempt{.id = options.id};
  attempt.report.commands = commands.size();

  const SteadyTime lock_start = steady_clock::now();
  Working working{.machine = machine_, .rows = attempt.rows, .locked = attempt.locked};
  attempt.result = lock_rows(commands, options, working);
  sort_and_deduplicate(attempt.locked);
  attempt.now = working.now;
  attempt.report.lock_time = since(lock_start);
  if (!attempt.result) {
    transaction_.rollback();
    return attempt;
  }

  const SteadyTime decide_start = steady_clock::now();
  WriteSet writes;
  attempt.replies.reserve(commands.size());
  for (const Command* command : commands) {
    Decision decision = machine_.decide(*command, working.rows, working.now);
    for (RowWrite& write : decision.changes) {
      working.rows.update_if_fetched(write.key, write.row);
      writes.add(std::move(write));
    }
    attempt.replies.push_back({.answer = std::move(decision.answer), .replayed = decision.replayed});
    attempt.report.weight += weight(*command);
  }
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
