#pragma once

#include "hotrow/core/decide.hpp"

namespace hotrow {

/// The rules of money and items outside of listings. The balance is judged in the locked row, never before.
/// Pure functions, safe from all threads.

Ruling decide_move_money(const MoveMoney& move, const Envelope& envelope, const RowSet& rows, Timestamp now);
Ruling decide_create_item(const CreateItem& create, const Envelope& envelope, const RowSet& rows,
                          Timestamp now);
Ruling decide_withdraw_item(const WithdrawItem& withdraw, const Envelope& envelope, const RowSet& rows,
                            Timestamp now);

void wallet_needs(const MoveMoney& move, const RowSet& rows, Keys& out);
void wallet_needs(const CreateItem& create, const RowSet& rows, Keys& out);
void wallet_needs(const WithdrawItem& withdraw, const RowSet& rows, Keys& out);

}  // namespace hotrow
