#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hotrow {

/// The kinds of rows, in lock order: a transaction locks kinds from top to bottom, so two of them can never
/// wait for each other in a circle. Guarded kinds come last: they are read once every lock was had.
enum class KeyKind : std::uint8_t {
  promotion,    ///< (promotion)                       locked
  listing,      ///< (listing)                         locked, names items and wallets
  item,         ///< (item)                            locked
  wallet,       ///< (owner kind, owner, currency)     locked
  entry,        ///< (promotion, user)                 guarded by promotion
  winner,       ///< (promotion; ordinal)              guarded by promotion, only written
  bid,          ///< (listing; n)                      guarded by listing, only written
  ledger_line,  ///< (owner kind, owner, currency; n)  guarded by wallet, only written
  house_line,   ///< (owner kind, owner, currency; n)  guarded by wallet, only written
  external_id,  ///< (owner kind, owner, external id)  guarded by its unique key
  player,       ///< (player)                          guarded by its event, see below
  market,       ///< ()                                guarded by its event, see below
  policy,       ///< (scope, id)                       guarded by its event, see below
  event,        ///< (subject kind, subject; sequence) guarded by its subject, only written
  answer,       ///< (API key owner, principal, idempotency key)  guarded by its unique key
};

// Restrictions of a player, the pause of the market and what operators limit are read by every trade and
// changed once a week: a lock would make the trades queue up for it. Each change adds the subject's next
// event, whose unique key stops a second change that saw the same state. A trade under way when a change
// commits may still be decided by the state before.

/// What the engine has to know of a kind. It knows kinds by this table alone, never by name.
struct KindTraits {
  /// Read, never locked: another row, locked earlier in the same transaction, or a unique key guards it.
  bool guarded;
  /// The lowest kind that rows of this kind may name in keys_needed(); nullopt when they name none.
  /// Kinds below it can be locked in the same round trip.
  std::optional<KeyKind> names_from;
};

KindTraits traits(KeyKind kind);

/// Names one row. The order of keys is the lock order: kind first, then the parts byte by byte.
/// Parts that a kind does not use are empty or 0. Parts are never joined into one string: ids may contain
/// any separator one could choose.
struct Key {
  KeyKind kind;
  std::string first;
  std::string second = {};
  std::string third = {};
  std::int64_t number = 0;

  friend bool operator==(const Key&, const Key&) = default;
  friend std::strong_ordering operator<=>(const Key&, const Key&) = default;
};

/// For tables within this process; differs from run to run.
struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept;
};

/// For routing: the same in every build and every process.
std::uint64_t routing_hash(const Key& key);

/// For logs and messages to operators.
std::string describe(const Key& key);

using Keys = std::vector<Key>;

Key promotion_key(std::string promotion);
Key entry_key(std::string promotion, std::string user);
Key winner_key(std::string promotion, std::int64_t ordinal);
Key listing_key(std::string listing);
Key bid_key(std::string listing, std::int64_t n);
Key item_key(std::string item);
Key player_key(std::string player);
Key market_key();
Key event_key(std::string subject_kind, std::string subject, std::int64_t sequence);

}  // namespace hotrow
