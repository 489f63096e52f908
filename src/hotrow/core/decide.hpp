#pragma once

#include <chrono>
#include <optional>

#include "hotrow/base/time.hpp"
#include "hotrow/core/command.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/core/row_set.hpp"
#include "hotrow/core/write_set.hpp"

namespace hotrow {

/// What one command comes to.
///
/// `changes` of a refusal hold at most the stored answer: rules return changes only together with an outcome
/// (see Ruling), so that a refused command changes nothing by type and not by care.
struct Decision {
  Answer answer;
  bool replayed = false;  ///< The answer was stored by an earlier command under the same idempotency key.
  Changes changes = {};
};

/// What a rule says: a refusal, or an outcome with its changes.
struct Acceptance {
  Outcome outcome;
  Changes changes;
};
using Ruling = std::variant<Rejection, Acceptance>;

/// Appends the keys that `command` needs beyond those in `rows`. A pure function of the command and of the
/// rows fetched so far; asked again after every lock step until it names nothing new.
void keys_needed(const Command& command, const RowSet& rows, Keys& out);

/// Judges one command as if it ran alone. No I/O, no clock, no chance: `now` is the store's clock, read once
/// per attempt after the last lock was had.
///
/// Idempotency is settled here, in front of every rule: a stored answer is told again, a key used for another
/// request is refused, and what may be stored is added to the changes.
Decision decide(const Command& command, const RowSet& rows, Timestamp now);

/// Whether the same request under the same idempotency key must be told this again.
bool is_stored(const Answer& answer);

/// Whether early_answer() or gather_time() can ever follow from such a row.
bool is_worth_remembering(const Row& hot_row);

/// The pressure policy in force on a hot row: its own, else a less specific one. `rows` are those of the
/// attempt that saw it.
Pressure pressure_on(const Row& hot_row, const RowSet& rows);

/// How long the command may wait, at most `window`, for others for its row, to be decided in order of
/// gather_rank(); 0: it goes at once. Bids wait, and no window reaches into the last `window` + 50 ms of a
/// listing. `hot_row` and `now` as for early_answer(): an end that has moved since has moved later.
std::chrono::milliseconds gather_time(const Command& command, const Row& hot_row, Timestamp now,
                                      std::chrono::milliseconds window);

/// The answer that decide() would give, where it follows from the hot row alone and cannot be another before
/// `now` + `margin`; nullopt in any doubt. `hot_row` is a committed state of the command's hot key that may
/// be slightly old, `now` an estimate of the store's clock.
std::optional<Answer> early_answer(const Command& command, const Row& hot_row, Timestamp now,
                                   std::chrono::microseconds margin);

}  // namespace hotrow
