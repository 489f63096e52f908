#include "hotrow/core/books.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow {

Timestamp minute_of(Timestamp at) {
  constexpr std::int64_t micros_a_minute = 60'000'000;
  return {at.micros - at.micros % micros_a_minute};
}

std::int64_t buyouts_in_minute(const WalletRow& account, Timestamp now) {
  return account.buyout_minute == minute_of(now) ? account.buyouts_in_minute : 0;
}

Books::Open& Books::open(const WalletId& id) {
  const auto [found, is_first] = wallets_.try_emplace(id);
  Open& open = found->second;
  if (!is_first) return open;
  const auto* row = rows_.find<WalletRow>(wallet_key(id));
  open.is_new = row == nullptr;
  open.row = row != nullptr ? *row : WalletRow{.id = id};
  return open;
}

const WalletRow& Books::wallet(const WalletId& id) { return open(id).row; }

void Books::move(const WalletId& id, const Move& move) {
  Open& wallet = open(id);
  wallet.row.available += move.available;
  wallet.row.held += move.held;
  HOTROW_ASSERT(wallet.row.available >= 0 && wallet.row.held >= 0);
  wallet.d_available += move.available;
  wallet.d_held += move.held;
  wallet.reason = move.reason;
  if (!move.note.empty()) wallet.note = move.note;
  wallet.changed = true;
}

void Books::count(const std::string& player, const Count& count) {
  Open& account = open(player_account(player));
  account.row.leading_bids += count.leading_bids;
  account.row.active_listings += count.active_listings;
  HOTROW_ASSERT(account.row.leading_bids >= 0 && account.row.active_listings >= 0);
  account.changed = account.changed || count.leading_bids != 0 || count.active_listings != 0;
}

void Books::count_buyout(const std::string& player, Timestamp now) {
  Open& account = open(player_account(player));
  account.row.buyouts_in_minute = buyouts_in_minute(account.row, now) + 1;
  account.row.buyout_minute = minute_of(now);
  account.changed = true;
}

void Books::move_account(HouseAccount account, const WalletId& beside, std::int64_t amount,
                         LedgerReason reason) {
  if (amount == 0) return;
  accounts_.push_back({.wallet = beside, .account = account, .amount = amount, .reason = reason});
}

Changes Books::take(const std::string& ref, Timestamp at) {
  HOTROW_ASSERT(!ref.empty());
  Changes changes;
  std::int64_t sum = 0;
  for (auto& [id, open] : wallets_) {
    if (!open.changed) continue;
    sum += open.d_available + open.d_held;
    const bool has_line = open.d_available != 0 || open.d_held != 0;
    if (has_line) {
      WalletRow& row = open.row;
      ++row.version;
      changes.push_back({.key = ledger_key(id, row.version),
                         .row = LedgerLineRow{.wallet = id,
                                              .n = row.version,
                                              .d_available = open.d_available,
                                              .d_held = open.d_held,
                                              .available = row.available,
                                              .held = row.held,
                                              .reason = open.reason,
                                              .ref = ref,
                                              .note = open.note,
                                              .at = at}});
    }
    changes.push_back({.key = wallet_key(id),
                       .row = open.row,
                       .how = open.is_new ? RowWrite::How::insert : RowWrite::How::update});
  }
  for (HouseLineRow& line : accounts_) {
    const Open& beside = wallets_.at(line.wallet);
    HOTROW_ASSERT(beside.d_available != 0 || beside.d_held != 0);
    sum += line.amount;
    line.n = beside.row.version;
    line.ref = ref;
    line.at = at;
    changes.push_back({.key = house_key(line.wallet, line.n), .row = std::move(line)});
  }
  HOTROW_ASSERT(sum == 0);
  return changes;
}

}  // namespace hotrow
