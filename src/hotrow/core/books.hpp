#pragma once

#include <map>
#include <string>

#include "hotrow/core/row_set.hpp"
#include "hotrow/core/write_set.hpp"

namespace hotrow {

/// The whole minute of the store's clock that `at` is in.
Timestamp minute_of(Timestamp at);

/// How many buyouts the player has made in the minute that `now` is in. `account` is his player_account().
std::int64_t buyouts_in_minute(const WalletRow& account, Timestamp now);

/// The money that one command moves: changes wallets as the transaction has them locked and writes one ledger
/// line for each. What the wallets gain and lose, the house and the outside included, is zero: take() asserts
/// it. Judges nothing: the rule looks at a wallet first.
class Books {
 public:
  explicit Books(const RowSet& rows) : rows_(rows) {}

  /// The wallet as it stands by now; zeros when it does not exist yet. Its key must have been fetched.
  const WalletRow& wallet(const WalletId& id);

  /// Several moves of one wallet are one line, with the last reason.
  struct Move {
    std::int64_t available = 0;
    std::int64_t held = 0;
    LedgerReason reason;
    std::string note = {};
  };
  void move(const WalletId& id, const Move& move);

  /// What a player's counters gain; they stand in player_account(), whose key must have been fetched.
  struct Count {
    std::int64_t leading_bids = 0;
    std::int64_t active_listings = 0;
  };
  void count(const std::string& player, const Count& count);

  /// One more buyout of the player in the minute that `now` is in.
  void count_buyout(const std::string& player, Timestamp now);

  /// What an account without a wallet gains; the line stands beside `beside`'s, which must move too.
  void move_account(HouseAccount account, const WalletId& beside, std::int64_t amount, LedgerReason reason);

  /// The next ledger line's n of a wallet that has not been moved yet.
  std::int64_t next_n(const WalletId& id) { return wallet(id).version + 1; }

  /// The changes, with lines that name `ref` (see LedgerLineRow). Ends the use of these books.
  Changes take(const std::string& ref, Timestamp at);

 private:
  struct Open {
    WalletRow row;
    bool is_new = false;
    std::int64_t d_available = 0;
    std::int64_t d_held = 0;
    LedgerReason reason = LedgerReason::deposit;
    std::string note;
    bool changed = false;
  };
  Open& open(const WalletId& id);

  const RowSet& rows_;
  std::map<WalletId, Open> wallets_;
  std::vector<HouseLineRow> accounts_;
};

}  // namespace hotrow
