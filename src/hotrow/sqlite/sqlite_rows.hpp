#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hotrow/base/result.hpp"
#include "hotrow/core/row.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"

namespace hotrow::sqlite {

/// What JSON texts mean, by the text: the same ones are read again and again. Used by one thread at a time.
template <class T>
class TextCache {
 public:
  using Decode = std::optional<T> (*)(std::string_view);

  /// `unreadable` is the error's code for a text that is none that this program wrote.
  TextCache(Decode decoder, std::size_t known_max, const char* unreadable)
      : decode_(decoder), known_max_(known_max), unreadable_(unreadable) {}

  Result<std::shared_ptr<const T>> decode(std::string_view text) {
    std::string key(text);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::optional<T> decoded = decode_(text);
    if (!decoded) return failure(ErrorKind::fatal, unreadable_, "a text that hotrow did not write");
    if (known_.size() >= known_max_) known_.clear();
    auto shared = std::make_shared<const T>(std::move(*decoded));
    known_.emplace(std::move(key), shared);
    return shared;
  }

 private:
  Decode decode_;
  std::size_t known_max_;
  const char* unreadable_;
  std::unordered_map<std::string, std::shared_ptr<const T>> known_;
};

/// A promotion's row is read once a batch and its settings hardly ever change, while reading them means JSON
/// and a regular expression.
struct SettingsCache : TextCache<PromotionSettings> {
  SettingsCache();
};

/// A listing's terms never change. Every listing has its own.
struct TermsCache : TextCache<ListingTerms> {
  TermsCache();
};

/// What the functions below read, in their order; the statement goes on with WHERE.
inline constexpr std::string_view select_promotions =
    "SELECT id, settings, phase, entries, winners, version, events, created_at, decided_at, closed_at, "
    "closed_by, close_reason, queue_max FROM promotion ";
inline constexpr int queue_max_column = 12;
inline constexpr std::string_view select_entries =
    "SELECT promotion, user_id, ordinal, entered_at, request_id, actor FROM entry ";
inline constexpr std::string_view select_winners =
    "SELECT promotion, ordinal, user_id, entered_at, rule, event_id, server FROM winner ";
inline constexpr std::string_view select_events =
    "SELECT subject_kind, subject, sequence, type, id, data, occurred_at, traceparent, position FROM event ";
inline constexpr std::string_view select_answers =
    "SELECT owner, principal, key, fingerprint, answer, decided_at FROM answer ";

Result<PromotionRow> read_promotion(const Statement& statement, SettingsCache& settings);
EntryRow read_entry(const Statement& statement);
WinnerRow read_winner(const Statement& statement);
EventRow read_event(const Statement& statement);
AnswerRow read_answer(const Statement& statement);

}  // namespace hotrow::sqlite
