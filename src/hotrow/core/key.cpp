#include "hotrow/core/key.hpp"

#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

const char* name_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::promotion: return "promotion";
    case KeyKind::entry: return "entry";
    case KeyKind::winner: return "winner";
    case KeyKind::event: return "event";
    case KeyKind::answer: return "answer";
  }
  return "unknown";
}

}  // namespace

KindTraits traits(KeyKind kind) {
  switch (kind) {
    case KeyKind::promotion: return {.guarded = false, .names_from = std::nullopt};
    case KeyKind::entry:
    case KeyKind::winner:
    case KeyKind::event:
    case KeyKind::answer: return {.guarded = true, .names_from = std::nullopt};
  }
  HOTROW_ASSERT(!"a kind without traits");
  return {};
}

std::size_t KeyHash::operator()(const Key& key) const noexcept {
  // A zero byte between the parts: ids contain none, so ("ab", "c") and ("a", "bc") differ.
  static constexpr std::string_view separator("\0", 1);
  std::uint64_t hash = frozen_hash(key.first, 14695981039346656037ULL + std::uint64_t(key.kind));
  hash = frozen_hash(key.second, frozen_hash(separator, hash));
  hash = frozen_hash(key.third, frozen_hash(separator, hash));
  return static_cast<std::size_t>(hash ^ (std::uint64_t(key.number) * 0x9E3779B97F4A7C15ULL));
}

std::string describe(const Key& key) {
  std::string text = name_of(key.kind);
  for (const std::string* part : {&key.first, &key.second, &key.third}) {
    if (!part->empty()) text += " '" + *part + "'";
  }
  if (key.number != 0) text += " #" + std::to_string(key.number);
  return text;
}

Key promotion_key(std::string promotion) {
  return {.kind = KeyKind::promotion, .first = std::move(promotion)};
}

Key entry_key(std::string promotion, std::string user) {
  return {.kind = KeyKind::entry, .first = std::move(promotion), .second = std::move(user)};
}

Key winner_key(std::string promotion, std::int64_t ordinal) {
  return {.kind = KeyKind::winner, .first = std::move(promotion), .number = ordinal};
}

}  // namespace hotrow
