#pragma once

#include "hotrow/core/decide.hpp"

namespace hotrow {

/// What operators do to the whole market and to one player. Each change adds the subject's next event: the
/// record of who did it and why, and what stops two operators from changing the same state at once.

Ruling decide_restrict_player(const RestrictPlayer& restrict, const Envelope& envelope, const RowSet& rows,
                              Timestamp now);
Ruling decide_change_market(const ChangeMarket& change, const Envelope& envelope, const RowSet& rows,
                            Timestamp now);

}  // namespace hotrow
