#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"

namespace hotrow {

/// Who can own money and items.
enum class OwnerKind : std::uint8_t { player, guild };

std::string_view to_string(OwnerKind kind);
std::optional<OwnerKind> owner_kind_from_string(std::string_view text);

struct Owner {
  OwnerKind kind = OwnerKind::player;
  std::string id;
  friend bool operator==(const Owner&, const Owner&) = default;
  friend std::strong_ordering operator<=>(const Owner&, const Owner&) = default;
};

/// "player:anna": the form of members named `owner`, `from` and `to`. The kind stands before the first colon,
/// the rest is the id, whatever it holds.
std::string to_string(const Owner& owner);
std::optional<Owner> owner_from_string(std::string_view text);

inline constexpr std::string_view default_currency = "gold";

/// Names a wallet.
struct WalletId {
  Owner owner;
  std::string currency{default_currency};
  friend bool operator==(const WalletId&, const WalletId&) = default;
  friend std::strong_ordering operator<=>(const WalletId&, const WalletId&) = default;
};

Key wallet_key(const WalletId& id);

/// Money of one owner in one currency, in minor units. A wallet comes to be with the first command that moves
/// money in it; one that does not exist reads as zeros.
struct WalletRow {
  WalletId id;
  std::int64_t available = 0;  ///< Never negative.
  std::int64_t held = 0;       ///< Never negative: leads and listing deposits.
  std::int64_t version = 0;    ///< n of the latest ledger line.
  std::int64_t leading_bids = 0;
  std::int64_t active_listings = 0;
  Timestamp buyout_minute;             ///< The minute of the store's clock in which `buyouts` are counted.
  std::int64_t buyouts_in_minute = 0;  ///< Only the latest minute's.
};

/// The wallet whose row has a player's counters, whatever currencies he trades in: limits are a player's and
/// not a wallet's, and one row makes two trades of his wait for each other.
WalletId player_account(const std::string& player);

/// Why money moved.
enum class LedgerReason : std::uint8_t {
  deposit,          ///< From outside.
  withdrawal,       ///< To outside.
  transfer,         ///< Between two owners.
  bid_hold,         ///< A lead, or what a raise adds to it.
  bid_refund,       ///< Outbid, bought out or voided.
  listing_deposit,  ///< Held from the seller when he lists.
  deposit_release,  ///< Back to the seller.
  deposit_capture,  ///< Kept by the house: expired or cancelled.
  purchase,         ///< Paid by the buyer.
  sale,             ///< Paid to the seller, with his deposit released.
};

std::string_view to_string(LedgerReason reason);
std::optional<LedgerReason> ledger_reason_from_string(std::string_view text);

/// One wallet's part of one command. Immutable; dense by n within its wallet, whose feed it is.
///
/// `ref` groups the lines of one command: the id of the event that tells of it, or, where there is none, the
/// entry id of the command's first line. Together with the house lines of the same ref they sum to zero.
struct LedgerLineRow {
  WalletId wallet;
  std::int64_t n = 0;
  std::int64_t d_available = 0;
  std::int64_t d_held = 0;
  std::int64_t available = 0;  ///< After it.
  std::int64_t held = 0;       ///< After it.
  LedgerReason reason = LedgerReason::deposit;
  std::string ref;
  std::string note;  ///< As the caller gave it; may be empty.
  Timestamp at;
};

/// "player:anna:gold:7": a ledger line's name.
std::string entry_id(const WalletId& wallet, std::int64_t n);

/// The accounts on the other side of the wallets. They have lines and no row: one balance for all sales would
/// serialise every sale.
enum class HouseAccount : std::uint8_t {
  house,    ///< Cuts and kept deposits.
  outside,  ///< What came in by deposits, negative, and went out by withdrawals.
};

std::string_view to_string(HouseAccount account);
std::optional<HouseAccount> house_account_from_string(std::string_view text);

/// The part of a command that no wallet has: the counterpart of the wallet's line with the same n. Immutable.
struct HouseLineRow {
  WalletId wallet;
  std::int64_t n = 0;
  HouseAccount account = HouseAccount::house;
  std::int64_t amount = 0;  ///< What the account gained.
  LedgerReason reason = LedgerReason::deposit;
  std::string ref;
  Timestamp at;
};

/// A caller's own name for a movement of money: the same one never moves twice. Kept for ever.
struct ExternalIdRow {
  Owner owner;  ///< Whose wallet; of a transfer, who pays.
  std::string external_id;
  LedgerReason kind = LedgerReason::deposit;  ///< deposit, withdrawal or transfer.
  std::string currency;
  std::int64_t amount = 0;
  std::string to;      ///< Of a transfer: who is paid, as to_string(Owner). Empty otherwise.
  std::int64_t n = 0;  ///< Of the owner's ledger line.
};

Key ledger_key(const WalletId& wallet, std::int64_t n);
Key house_key(const WalletId& wallet, std::int64_t n);
Key external_id_key(const Owner& owner, std::string external_id);

}  // namespace hotrow
