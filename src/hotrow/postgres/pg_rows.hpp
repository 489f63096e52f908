#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hotrow/core/json.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/listing_codec.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/postgres/pg_connection.hpp"

namespace hotrow {

/// Values as they were read last, by the id of their row: a hot row is read with every batch and its long
/// text needs to be parsed once. Used by one thread.
template <class T, std::optional<T> (*Decode)(std::string_view)>
class ParsedTexts {
 public:
  /// nullptr for a text that cannot be decoded.
  std::shared_ptr<const T> parse(const std::string& id, std::string_view text) {
    const auto found = parsed_.find(id);
    if (found != parsed_.end() && found->second.text == text) return found->second.value;
    std::optional<T> value = Decode(text);
    if (!value) return nullptr;
    bytes_ += text.size() + id.size() + row_bytes;
    if (bytes_ > bytes_max) {
      parsed_.clear();
      bytes_ = text.size() + id.size() + row_bytes;
    }
    Parsed& parsed = parsed_[id];
    parsed = {std::string(text), std::make_shared<const T>(std::move(*value))};
    return parsed.value;
  }

  /// Whether the table has just this value for the row, as far as was read last.
  bool is_current(const std::string& id, const std::shared_ptr<const T>& value) const {
    const auto found = parsed_.find(id);
    return found != parsed_.end() && found->second.value == value;
  }

 private:
  struct Parsed {
    std::string text;
    std::shared_ptr<const T> value;
  };
  static constexpr std::size_t bytes_max = std::size_t(16) << 20;
  static constexpr std::size_t row_bytes = 500;  ///< About what a value takes beside its text.
  std::unordered_map<std::string, Parsed> parsed_;
  std::size_t bytes_ = 0;
};

using SettingsCache = ParsedTexts<PromotionSettings, decode_settings>;
using TermsCache = ParsedTexts<ListingTerms, decode_terms>;

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
