#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/postgres/pg_connection.hpp"

namespace hotrow {

/// Settings as they were read last, by promotion: a hot promotion is read with every batch and its settings
/// need to be parsed once. Used by one thread.
class SettingsCache {
 public:
  /// nullptr for a text that is not of encode_settings().
  std::shared_ptr<const PromotionSettings> parse(const std::string& promotion, std::string_view text);
  /// Whether the table has just these settings for the promotion, as far as was read last.
  bool is_current(const std::string& promotion,
                  const std::shared_ptr<const PromotionSettings>& settings) const;

 private:
  struct Parsed {
    std::string text;
    std::shared_ptr<const PromotionSettings> settings;
  };
  static constexpr std::size_t promotions_max = 1'000;
  std::map<std::string, Parsed> parsed_;
};

/// Columns as in lock_promotions, from `id` in column 1 on. Fatal ("unreadable") when a text is not ours.
Result<PromotionRow> decode_promotion(const PgResult& rows, int row, SettingsCache& cache);

/// Columns (ordinal, entered_at, request_id, actor) from `column` on.
EntryRow decode_entry(const PgResult& rows, int row, int column, std::string promotion, std::string user);

/// The answers of one bucket of 7 days stand in one table of the ring.
struct AnswerBucket {
  std::int64_t number;
  std::size_t slot() const;
  Timestamp ends_at() const;
  static AnswerBucket of(Timestamp at);
};

/// The table of the ring that holds commit marks made at that time, by the server's clock.
std::size_t mark_slot(Timestamp at);
/// The table that held the marks of the day before and that nobody writes to around that time.
std::size_t idle_mark_slot(Timestamp at);

/// Queues the statements that write these rows, a kind at a time in lock order.
void queue_writes(PgConnection& connection, std::span<const RowWrite> writes, const SettingsCache& cache);

}  // namespace hotrow
