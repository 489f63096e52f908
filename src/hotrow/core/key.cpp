#include "hotrow/core/key.hpp"

#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

const char* name_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::promotion: return "promotion";
    case KeyKind::listing: return "listing";
    case KeyKind::item: return "item";
    case KeyKind::wallet: return "wallet";
    case KeyKind::entry: return "entry";
    case KeyKind::winner: return "winner";
    case KeyKind::bid: return "bid";
    case KeyKind::ledger_line: return "ledger line";
    case KeyKind::house_line: return "house line";
    case KeyKind::external_id: return "external id";
    case KeyKind::player: return "player";
    case KeyKind::market: return "market";
    case KeyKind::policy: return "policy";
    case KeyKind::event: return "event";
    case KeyKind::answer: return "answer";
  }
  return "unknown";
}

/// The length of each part is part of its hash, so ("ab", "c") and ("a", "bc") differ.
std::uint64_t hash_of(const Key& key, std::uint64_t seed) {
  std::uint64_t hash = frozen_hash(key.first, seed + std::uint64_t(key.kind) + std::uint64_t(key.number));
  if (!key.second.empty()) hash = frozen_hash(key.second, hash);
  if (!key.third.empty()) hash = frozen_hash(key.third, hash + 1);
  return hash;
}

}  // namespace

KindTraits traits(KeyKind kind) {
  switch (kind) {
    case KeyKind::promotion:
    case KeyKind::item:
    case KeyKind::wallet: return {.guarded = false, .names_from = std::nullopt};
    case KeyKind::listing: return {.guarded = false, .names_from = KeyKind::item};
    case KeyKind::entry:
    case KeyKind::winner:
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::external_id:
    case KeyKind::player:
    case KeyKind::market:
    case KeyKind::policy:
    case KeyKind::event:
    case KeyKind::answer: return {.guarded = true, .names_from = std::nullopt};
  }
  HOTROW_ASSERT(!"a kind without traits");
  return {};
}

std::size_t KeyHash::operator()(const Key& key) const noexcept {
  // Users choose their ids. Without the seed nobody can choose a crowd that meets in one slot of a table.
  static const std::uint64_t process_seed = random_seed();
  return static_cast<std::size_t>(hash_of(key, process_seed));
}

std::uint64_t routing_hash(const Key& key) { return hash_of(key, 0); }

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

Key listing_key(std::string listing) { return {.kind = KeyKind::listing, .first = std::move(listing)}; }

Key bid_key(std::string listing, std::int64_t n) {
  return {.kind = KeyKind::bid, .first = std::move(listing), .number = n};
}

Key item_key(std::string item) { return {.kind = KeyKind::item, .first = std::move(item)}; }

Key player_key(std::string player) { return {.kind = KeyKind::player, .first = std::move(player)}; }

Key market_key() { return {.kind = KeyKind::market, .first = {}}; }

Key event_key(std::string subject_kind, std::string subject, std::int64_t sequence) {
  return {.kind = KeyKind::event,
          .first = std::move(subject_kind),
          .second = std::move(subject),
          .number = sequence};
}

}  // namespace hotrow
