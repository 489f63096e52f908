#include "hotrow/core/wallet_row.hpp"

#include "hotrow/base/names.hpp"

namespace hotrow {
namespace {

constexpr Names<OwnerKind, 2> owner_kinds({"player", "guild"});
constexpr Names<HouseAccount, 2> house_accounts({"house", "outside"});
constexpr Names<LedgerReason, 10> ledger_reasons({"deposit", "withdrawal", "transfer", "bid_hold",
                                                  "bid_refund", "listing_deposit", "deposit_release",
                                                  "deposit_capture", "purchase", "sale"});

Key key_of(KeyKind kind, const WalletId& wallet, std::int64_t n) {
  return {.kind = kind,
          .first = std::string(to_string(wallet.owner.kind)),
          .second = wallet.owner.id,
          .third = wallet.currency,
          .number = n};
}

}  // namespace

std::string_view to_string(OwnerKind kind) { return owner_kinds.of(kind); }
std::optional<OwnerKind> owner_kind_from_string(std::string_view text) { return owner_kinds.value(text); }

std::string to_string(const Owner& owner) {
  std::string text(to_string(owner.kind));
  text += ':';
  text += owner.id;
  return text;
}

std::optional<Owner> owner_from_string(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<OwnerKind> kind = owner_kind_from_string(text.substr(0, colon));
  if (!kind) return std::nullopt;
  return Owner{.kind = *kind, .id = std::string(text.substr(colon + 1))};
}

std::string_view to_string(LedgerReason reason) { return ledger_reasons.of(reason); }
std::optional<LedgerReason> ledger_reason_from_string(std::string_view text) {
  return ledger_reasons.value(text);
}

std::string_view to_string(HouseAccount account) { return house_accounts.of(account); }
std::optional<HouseAccount> house_account_from_string(std::string_view text) {
  return house_accounts.value(text);
}

std::string entry_id(const WalletId& wallet, std::int64_t n) {
  return to_string(wallet.owner) + ":" + wallet.currency + ":" + std::to_string(n);
}

WalletId player_account(const std::string& player) {
  return {.owner = {.kind = OwnerKind::player, .id = player}};
}

Key wallet_key(const WalletId& id) { return key_of(KeyKind::wallet, id, 0); }
Key ledger_key(const WalletId& wallet, std::int64_t n) { return key_of(KeyKind::ledger_line, wallet, n); }
Key house_key(const WalletId& wallet, std::int64_t n) { return key_of(KeyKind::house_line, wallet, n); }

Key external_id_key(const Owner& owner, std::string external_id) {
  return {.kind = KeyKind::external_id,
          .first = std::string(to_string(owner.kind)),
          .second = owner.id,
          .third = std::move(external_id)};
}

}  // namespace hotrow
