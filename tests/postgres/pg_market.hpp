#pragma once

#include <string>

#include "hotrow/core/command.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

WalletId gold_of(const std::string& player);

CommandBody deposit(const std::string& player, std::int64_t amount);
/// From 10 on, for a day; its item is created with it.
CommandBody list(const std::string& listing, const std::string& seller,
                 std::optional<std::int64_t> buyout_price = std::nullopt);
CommandBody bid(const std::string& listing, const std::string& bidder, std::int64_t amount);
CommandBody buyout(const std::string& listing, const std::string& buyer);

/// One command as a batch of its own, as the engine runs it. Throws when it fails or is refused.
Outcome run(Transaction& transaction, CommandBody body);
Outcome run(Store& store, CommandBody body);

/// A transaction that has read or locked these keys. Throws when it cannot.
std::unique_ptr<Transaction> with_lock(Store& store, const Keys& keys);

}  // namespace hotrow
