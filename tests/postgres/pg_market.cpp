#include "tests/postgres/pg_market.hpp"

#include <array>
#include <stdexcept>

#include "hotrow/engine/executor.hpp"
#include "tests/postgres/pg_rows.hpp"

namespace hotrow {

WalletId gold_of(const std::string& player) { return {.owner = {.kind = OwnerKind::player, .id = player}}; }

CommandBody deposit(const std::string& player, std::int64_t amount) {
  return MoveMoney{.owner = gold_of(player).owner, .amount = amount};
}

CommandBody list(const std::string& listing, const std::string& seller,
                 std::optional<std::int64_t> buyout_price) {
  return CreateListing{.listing = listing,
                       .seller = seller,
                       .item = "item of " + listing,
                       .facts = ItemFacts{.id = "item of " + listing, .family = "sword"},
                       .start_price = 10,
                       .buyout_price = buyout_price,
                       .duration = std::chrono::hours(24)};
}

CommandBody bid(const std::string& listing, const std::string& bidder, std::int64_t amount) {
  return PlaceBid{.listing = listing, .bidder = bidder, .amount = amount};
}

CommandBody buyout(const std::string& listing, const std::string& buyer) {
  return BuyOut{.listing = listing, .buyer = buyer};
}

Outcome run(Transaction& transaction, CommandBody body) {
  const Command command{.envelope = {.actor = "shop", .server = "server-1"}, .body = std::move(body)};
  const std::array commands = {&command};
  Attempt attempt = Executor(transaction).attempt(commands, new_attempt());
  if (!attempt.result) throw std::runtime_error(attempt.result.error().code + attempt.result.error().detail);
  Answer& answer = attempt.replies.at(0).answer;
  if (const auto* refusal = std::get_if<Rejection>(&answer)) throw std::runtime_error(refusal->detail);
  return std::get<Outcome>(std::move(answer));
}

Outcome run(Store& store, CommandBody body) { return run(**store.open_transaction(), std::move(body)); }

std::unique_ptr<Transaction> with_lock(Store& store, const Keys& keys) {
  std::unique_ptr<Transaction> transaction = std::move(*store.open_transaction());
  transaction->begin(new_attempt());
  const Result<Locked> locked = transaction->lock(keys);
  if (!locked) throw std::runtime_error(locked.error().code + ": " + locked.error().detail);
  return transaction;
}

}  // namespace hotrow
