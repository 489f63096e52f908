#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hotrow/core/decide.hpp"
#include "tests/core/market_rows.hpp"
#include "tests/support/commands.hpp"

namespace hotrow::test {

/// A listing of a new item of the same id by "S": from 100 on, for an hour, at the default rates (deposit 1,
/// cut 5 %).
CreateListing sword(std::string id = "sword", std::optional<std::int64_t> buyout_price = std::nullopt);

/// The auction's rules over rows in a map: no engine, no store, no thread.
///
/// Commands are taken as the executor takes them: keys_needed() until nothing new comes, each step of locks
/// above the one before, then decide(), then the changes. Every command is watched: locks go upwards, a
/// refusal changes nothing but its stored answer, inserts insert and updates update, what is over never
/// changes again, and afterwards every invariant of money, items and listings holds (market_faults.hpp). Any
/// of these that does not hold fails the test.
class MarketWorld {
 public:
  Timestamp now = opening;
  bool checks = true;  ///< The invariants after each command; off while a hand is in the tables.

  Decision decide(const Command& command);
  /// One batch, decided in order at one time.
  std::vector<Decision> decide(std::span<const Command> batch);

  /// "ok", "set_aside" or the refusal's code.
  std::string hear(const Command& command);
  std::string hear(CommandBody body) { return hear(command_of(std::move(body))); }

  std::string deposit(const std::string& player, std::int64_t amount);
  std::string list(CreateListing create) { return hear(CommandBody(std::move(create))); }
  std::string bid(const std::string& listing, const std::string& bidder, std::int64_t amount);
  std::string buy_out(const std::string& listing, const std::string& buyer);
  std::string cancel(const std::string& listing, const std::string& seller = "S");
  std::string settle(const std::string& listing);
  std::string void_it(const std::string& listing);
  std::string set_aside(const std::string& listing);
  std::string block(const std::string& player, bool blocked = true);
  std::string pause(bool paused = true, bool extend = false);

  /// "available/held" of a player's wallet.
  std::string money(const std::string& player, const std::string& currency = "gold") const;
  /// What the house has taken.
  std::int64_t house(const std::string& currency = "gold") const;
  const ListingRow& listing(const std::string& id) const;
  const ItemRow& item(const std::string& id) const;
  WalletRow wallet(const std::string& player) const;
  /// "inventory of player:S" or "escrow of sword" or "outside of player:B".
  std::string place(const std::string& item) const;
  /// Types of a listing's events in order.
  std::vector<std::string> events(const std::string& listing) const;
  /// Of the listing's latest event of that type.
  std::string event_data(const std::string& listing, const std::string& type) const;

  const RowMap& rows() const { return rows_; }

  /// Somebody's hand in the tables: from now on nothing is checked.
  template <class R>
  R& meddle(const Key& key) {
    checks = false;
    return std::get<R>(rows_.at(key));
  }
  void erase(const Key& key) {
    checks = false;
    rows_.erase(key);
  }

 private:
  RowSet fetch(std::span<const Command> batch, const Keys& carried) const;
  bool decide_all(std::span<const Command> batch, RowSet& rows, Keys& carried,
                  std::vector<Decision>& decisions) const;
  void write(const RowWrite& write);

  RowMap rows_;
};

/// S with 1000 has listed it; B, C and D have 1000 each.
MarketWorld open_market(CreateListing create = sword());

}  // namespace hotrow::test
