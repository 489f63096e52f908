#include "hotrow/core/wallet.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/base/checked.hpp"
#include "hotrow/core/auction_steps.hpp"
#include "hotrow/core/books.hpp"

namespace hotrow {
namespace {

std::string receiver(const MoveMoney& move) { return move.to ? to_string(*move.to) : std::string(); }

/// The same external id was used before: told again when it was for the same, else refused.
Ruling repeat(const MoveMoney& move, const ExternalIdRow& used, const RowSet& rows) {
  const bool is_same = used.kind == move.kind && used.currency == move.currency &&
                       used.amount == move.amount && used.to == receiver(move);
  if (!is_same) {
    return Rejection{.code = RejectionCode::external_id_used,
                     .detail = "This external_id was used for another movement.",
                     .figures = {{"external_id", used.external_id}, {"amount", used.amount}}};
  }
  Books books(rows);
  MoneyAnswer answer{.kind = move.kind, .n = used.n, .already = true};
  answer.wallet = books.wallet({.owner = move.owner, .currency = move.currency});
  if (move.to) answer.to = books.wallet({.owner = *move.to, .currency = move.currency});
  return Acceptance{.outcome = std::move(answer)};
}

/// Whether a player takes money out, which an operator can block.
bool is_players_withdrawal(const MoveMoney& move) {
  return move.kind == LedgerReason::withdrawal && move.owner.kind == OwnerKind::player;
}

/// If-Match: a wallet that does not exist yet has no version that anybody could have seen.
std::optional<Rejection> version_refusal(const WalletRow& wallet, const VersionMatch& expected) {
  if (!expected || (expected.admits(wallet.version) && wallet.version > 0)) return std::nullopt;
  return Rejection{.code = RejectionCode::precondition_failed,
                   .detail = "The wallet has changed since that version.",
                   .figures = {{"version", wallet.version}},
                   .current = std::make_shared<const PresentState>(PresentState{.state = wallet})};
}

/// Whether `amount` more would make a wallet larger than a caller's number can say.
std::optional<Rejection> limit_refusal(const WalletRow& wallet, std::int64_t amount) {
  const std::int64_t total = wallet.available + wallet.held;
  if (total <= integer_max - amount) return std::nullopt;
  return Rejection{.code = RejectionCode::balance_limit,
                   .detail = "The wallet would hold more than 2^53 - 1.",
                   .figures = {{"available", wallet.available}, {"held", wallet.held}}};
}

}  // namespace

void wallet_needs(const MoveMoney& move, const RowSet&, Keys& out) {
  out.push_back(wallet_key({.owner = move.owner, .currency = move.currency}));
  if (move.to) out.push_back(wallet_key({.owner = *move.to, .currency = move.currency}));
  if (is_players_withdrawal(move)) out.push_back(player_key(move.owner.id));
  if (!move.external_id.empty()) out.push_back(external_id_key(move.owner, move.external_id));
}

void wallet_needs(const CreateItem& create, const RowSet&, Keys& out) {
  out.push_back(item_key(create.facts.id));
}

void wallet_needs(const WithdrawItem& withdraw, const RowSet&, Keys& out) {
  out.push_back(item_key(withdraw.item));
  if (withdraw.owner.kind == OwnerKind::player) out.push_back(player_key(withdraw.owner.id));
}

Ruling decide_move_money(const MoveMoney& move, const Envelope&, const RowSet& rows, Timestamp now) {
  HOTROW_ASSERT(move.amount > 0 && move.kind <= LedgerReason::transfer);
  HOTROW_ASSERT(move.to.has_value() == (move.kind == LedgerReason::transfer));
  if (is_players_withdrawal(move)) {
    if (auto refusal = block_refusal(rows, move.owner.id)) return std::move(*refusal);
  }
  const Key external_key = external_id_key(move.owner, move.external_id);
  if (!move.external_id.empty()) {
    if (const auto* used = rows.find<ExternalIdRow>(external_key)) return repeat(move, *used, rows);
  }
  const WalletId from{.owner = move.owner, .currency = move.currency};
  Books books(rows);
  if (auto refusal = version_refusal(books.wallet(from), move.if_version)) return std::move(*refusal);
  const bool comes_in = move.kind == LedgerReason::deposit;
  const std::int64_t available = books.wallet(from).available;
  if (comes_in || move.to) {
    const WalletId grows = move.to ? WalletId{.owner = *move.to, .currency = move.currency} : from;
    if (auto refusal = limit_refusal(books.wallet(grows), move.amount)) return std::move(*refusal);
  }
  if (!comes_in && available < move.amount) return insufficient_funds(available, move.amount);

  const std::int64_t n = books.next_n(from);
  books.move(from,
             {.available = comes_in ? move.amount : -move.amount, .reason = move.kind, .note = move.note});
  MoneyAnswer answer{.kind = move.kind, .n = n};
  if (move.to) {
    const WalletId to{.owner = *move.to, .currency = move.currency};
    HOTROW_ASSERT(to != from);
    books.move(to, {.available = move.amount, .reason = move.kind, .note = move.note});
  } else {
    const std::int64_t outside = comes_in ? -move.amount : move.amount;
    books.move_account(HouseAccount::outside, from, outside, move.kind);
  }
  Changes changes = books.take(entry_id(from, n), now);
  answer.wallet = books.wallet(from);
  if (move.to) answer.to = books.wallet({.owner = *move.to, .currency = move.currency});
  if (!move.external_id.empty()) {
    changes.push_back({.key = external_key,
                       .row = ExternalIdRow{.owner = move.owner,
                                            .external_id = move.external_id,
                                            .kind = move.kind,
                                            .currency = move.currency,
                                            .amount = move.amount,
                                            .to = receiver(move),
                                            .n = n}});
  }
  return Acceptance{.outcome = std::move(answer), .changes = std::move(changes)};
}

Ruling decide_create_item(const CreateItem& create, const Envelope&, const RowSet& rows, Timestamp now) {
  const Key key = item_key(create.facts.id);
  if (const auto* item = rows.find<ItemRow>(key)) {
    if (create.only_create) {
      return Rejection{.code = RejectionCode::precondition_failed, .detail = "The item exists already."};
    }
    if (item->facts == create.facts && item->created_for == create.owner) {
      return Acceptance{.outcome = ItemAnswer{.item = *item}};
    }
    return Rejection{.code = RejectionCode::item_exists, .detail = "An item with this id exists already."};
  }
  ItemRow item{.facts = create.facts, .owner = create.owner, .created_at = now, .created_for = create.owner};
  Acceptance acceptance{.outcome = ItemAnswer{.item = item, .created = true}};
  acceptance.changes.push_back({.key = key, .row = std::move(item)});
  return acceptance;
}

Ruling decide_withdraw_item(const WithdrawItem& withdraw, const Envelope& envelope, const RowSet& rows,
                            Timestamp now) {
  if (withdraw.owner.kind == OwnerKind::player) {
    if (auto refusal = block_refusal(rows, withdraw.owner.id)) return std::move(*refusal);
  }
  const Key key = item_key(withdraw.item);
  const auto* found = rows.find<ItemRow>(key);
  if (found == nullptr) {
    return Rejection{.code = RejectionCode::item_not_found, .detail = "There is no item with this id."};
  }
  if (found->owner != withdraw.owner) {
    return Rejection{.code = RejectionCode::not_item_owner, .detail = "The item belongs to somebody else."};
  }
  if (auto refusal = location_refusal(*found)) return std::move(*refusal);
  ItemRow item = *found;
  Acceptance acceptance;
  leave_for_outside(item, envelope, now, acceptance.changes);
  acceptance.outcome = ItemAnswer{.item = item, .created = true};
  acceptance.changes.push_back({.key = key, .row = std::move(item), .how = RowWrite::How::update});
  return acceptance;
}

}  // namespace hotrow
