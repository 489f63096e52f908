#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/core/promotion.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// An attempt that no other test has.
AttemptOptions new_attempt(std::chrono::milliseconds lock_budget = std::chrono::seconds(20));

/// A promotion that is open, its 3rd entry winning.
PromotionRow open_promotion(const std::string& id);

RowWrite insertion(PromotionRow row);
RowWrite insertion(EntryRow row);
RowWrite insertion(EventRow row);
RowWrite insertion(AnswerRow row);

EntryRow entry_of(const std::string& promotion, const std::string& user, std::int64_t ordinal);
EventRow event_of(const std::string& promotion, std::int64_t sequence);

/// Creates the promotion. Throws when that fails.
void create(Store& store, const std::string& promotion);

/// An attempt up to its commit: the promotion is locked, the entry and the counter are applied.
class Entering {
 public:
  /// Throws when the promotion cannot be locked.
  Entering(Transaction& transaction, const std::string& promotion, const std::string& user);
  Result<void> commit() { return transaction_.commit(); }
  const AttemptOptions& attempt() const { return attempt_; }

 private:
  Transaction& transaction_;
  AttemptOptions attempt_;
  std::vector<RowWrite> writes_;
};

/// Whether the user has a place. Throws when that cannot be found out.
bool has_entered(Store& store, const std::string& promotion, const std::string& user);

}  // namespace hotrow
