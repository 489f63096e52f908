#include "tests/postgres/pg_rows.hpp"

#include <atomic>
#include <stdexcept>

#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().code + ": " + result.error().detail);
  return std::move(*result);
}

}  // namespace

AttemptOptions new_attempt(std::chrono::milliseconds lock_budget) {
  static const std::string server = random_hex(8);
  static std::atomic<std::int64_t> number = 0;
  return {.id = {.server = server, .number = ++number}, .lock_budget = lock_budget};
}

PromotionRow open_promotion(const std::string& id) {
  return {.id = id,
          .settings = std::make_shared<const PromotionSettings>(
              PromotionSettings{.title = "Third", .rule = NthRule{.targets = {3}}, .starts_at = {1}}),
          .version = 1};
}

RowWrite insertion(PromotionRow row) { return {.key = promotion_key(row.id), .row = row}; }
RowWrite insertion(EntryRow row) { return {.key = entry_key(row.promotion, row.user), .row = row}; }
RowWrite insertion(EventRow row) {
  return {.key = {.kind = KeyKind::event,
                  .first = row.subject_kind,
                  .second = row.subject,
                  .number = row.sequence},
          .row = row};
}
RowWrite insertion(AnswerRow row) {
  return {.key = {.kind = KeyKind::answer, .first = row.owner, .second = row.principal, .third = row.key},
          .row = row};
}

EntryRow entry_of(const std::string& promotion, const std::string& user, std::int64_t ordinal) {
  return {.promotion = promotion,
          .user = user,
          .ordinal = ordinal,
          .entered_at = {ordinal},
          .request_id = "r",
          .actor = "shop"};
}

EventRow event_of(const std::string& promotion, std::int64_t sequence) {
  return {.subject_kind = "promotion",
          .subject = promotion,
          .sequence = sequence,
          .type = "promotion.changed",
          .id = "promotion:" + promotion + ":" + std::to_string(sequence),
          .data = "{}"};
}

void create(Store& store, const std::string& promotion) {
  const auto transaction = value_of(store.open_transaction());
  const Keys keys = {promotion_key(promotion)};
  const std::vector<RowWrite> writes = {insertion(open_promotion(promotion))};
  transaction->begin(new_attempt());
  value_of(transaction->lock(keys));
  transaction->apply(writes);
  if (const Result<void> done = transaction->commit(); !done) throw std::runtime_error(done.error().detail);
}

Entering::Entering(Transaction& transaction, const std::string& promotion, const std::string& user)
    : transaction_(transaction), attempt_(new_attempt()) {
  const Keys keys = {promotion_key(promotion), entry_key(promotion, user)};
  transaction.begin(attempt_);
  const Locked locked = value_of(transaction.lock(keys));
  PromotionRow row = std::get<PromotionRow>(locked.rows.at(0).value());
  ++row.entries;
  writes_ = {{.key = keys[0], .row = row, .how = RowWrite::How::update},
             insertion(entry_of(promotion, user, row.entries))};
  transaction.apply(writes_);
}

bool has_entered(Store& store, const std::string& promotion, const std::string& user) {
  return value_of(value_of(store.open_queries())->entry(promotion, user)).has_value();
}

}  // namespace hotrow
