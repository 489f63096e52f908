#include "tests/core/market_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hotrow/core/listing.hpp"
#include "hotrow/engine/executor.hpp"
#include "tests/core/market_faults.hpp"

namespace hotrow::test {
namespace {

bool is_immutable(KeyKind kind) {
  switch (kind) {
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::external_id:
    case KeyKind::event:
    case KeyKind::answer: return true;
    default: return false;
  }
}

bool is_over(const Row& row) {
  if (const auto* listing = std::get_if<ListingRow>(&row)) return listing->status != ListingStatus::active;
  if (const auto* item = std::get_if<ItemRow>(&row)) return item->location == ItemLocation::outside;
  return false;
}

/// A refusal may leave its stored answer and nothing else; a listing that is set aside itself and its event.
void expect_changes_fit(const Command& command, const Decision& decision) {
  const bool has_key = !command.envelope.idempotency_key.empty();
  const auto* outcome = std::get_if<Outcome>(&decision.answer);
  const bool sets_aside = outcome != nullptr && std::holds_alternative<SetAsideAnswer>(*outcome);
  std::size_t answers = 0;
  for (const RowWrite& write : decision.changes) {
    const KeyKind kind = write.key.kind;
    if (kind == KeyKind::answer) ++answers;
    const bool is_told = kind == KeyKind::listing || kind == KeyKind::event;
    EXPECT_TRUE(outcome != nullptr || kind == KeyKind::answer) << describe(write.key);
    EXPECT_TRUE(!sets_aside || is_told) << describe(write.key);
  }
  const bool stores = has_key && !decision.replayed && is_stored(decision.answer);
  EXPECT_EQ(answers, stores ? 1u : 0u) << command_kind(command);
  EXPECT_TRUE(!decision.replayed || decision.changes.empty());
}

/// The same rows are decided in the same way again.
void expect_repeatable(const Command& command, const RowSet& rows, Timestamp now, const Decision& decision) {
  const Decision again = decide(command, rows, now);
  EXPECT_EQ(text_of(again.answer), text_of(decision.answer));
  ASSERT_EQ(again.changes.size(), decision.changes.size());
  for (std::size_t i = 0; i < again.changes.size(); ++i) {
    EXPECT_EQ(again.changes[i].key, decision.changes[i].key);
    EXPECT_EQ(row_text(again.changes[i].row), row_text(decision.changes[i].row));
  }
}

std::string heard(const Answer& answer) {
  if (const auto* refusal = std::get_if<Rejection>(&answer)) return std::string(traits(refusal->code).code);
  return std::holds_alternative<SetAsideAnswer>(std::get<Outcome>(answer)) ? "set_aside" : "ok";
}

Key gold(const std::string& player) { return wallet_key(player_wallet(player, "gold")); }

}  // namespace

CreateListing sword(std::string id, std::optional<std::int64_t> buyout_price) {
  ItemFacts facts{.id = id, .family = "swords"};
  return {.listing = std::move(id),
          .seller = "S",
          .item = facts.id,
          .facts = facts,
          .start_price = 100,
          .buyout_price = buyout_price,
          .duration = std::chrono::hours(1)};
}

MarketWorld open_market(CreateListing create) {
  MarketWorld world;
  for (const char* player : {"S", "B", "C", "D"}) world.deposit(player, 1000);
  EXPECT_EQ(world.list(std::move(create)), "ok");
  return world;
}

RowSet MarketWorld::fetch(std::span<const Command> batch, const Keys& carried) const {
  const Machine machine;
  RowSet rows;
  Keys locked;
  while (true) {
    Keys wanted = carried;
    for (const Command& command : batch) keys_needed(command, rows, wanted);
    std::erase_if(wanted, [&rows](const Key& key) { return rows.fetched(key); });
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    if (wanted.empty()) return rows;
    for (const Key& key : next_lock_step(machine, wanted)) {
      if (!traits(key.kind).guarded) {
        EXPECT_TRUE(locked.empty() || locked.back() < key) << describe(key) << " is locked too late";
        locked.push_back(key);
      }
      const auto found = rows_.find(key);
      rows.put(key, found != rows_.end() ? std::optional<Row>(found->second) : std::nullopt);
    }
  }
}

/// False when a command met a row that an earlier one of the batch has made and that names rows nobody has
/// fetched.
bool MarketWorld::decide_all(std::span<const Command> batch, RowSet& rows, Keys& carried,
                             std::vector<Decision>& decisions) const {
  bool complete = true;
  for (const Command& command : batch) {
    Keys needed;
    keys_needed(command, rows, needed);
    std::erase_if(needed, [&rows](const Key& key) { return rows.fetched(key); });
    carried.insert(carried.end(), needed.begin(), needed.end());
    complete = complete && needed.empty();
    if (!needed.empty()) continue;
    Decision decision = hotrow::decide(command, rows, now);
    expect_changes_fit(command, decision);
    expect_repeatable(command, rows, now, decision);
    for (const RowWrite& write : decision.changes) {
      EXPECT_TRUE(traits(write.key.kind).guarded || rows.fetched(write.key)) << describe(write.key);
      rows.update_if_fetched(write.key, write.row);
    }
    decisions.push_back(std::move(decision));
  }
  return complete;
}

void MarketWorld::write(const RowWrite& write) {
  const auto found = rows_.find(write.key);
  const bool present = found != rows_.end();
  EXPECT_EQ(present, write.how == RowWrite::How::update) << describe(write.key);
  EXPECT_EQ(key_of(write.row), write.key);
  if (present) {
    EXPECT_FALSE(is_immutable(write.key.kind)) << describe(write.key) << " changed";
    EXPECT_FALSE(is_over(found->second)) << describe(write.key) << " was over and changed";
  }
  rows_.insert_or_assign(write.key, write.row);
}

std::vector<Decision> MarketWorld::decide(std::span<const Command> batch) {
  std::vector<Decision> decisions;
  Keys carried;
  bool complete = false;
  for (int tries = 0; !complete && tries < 5; ++tries) {
    decisions.clear();
    RowSet rows = fetch(batch, carried);
    complete = decide_all(batch, rows, carried, decisions);
  }
  EXPECT_TRUE(complete) << "the batch found no end of rows to lock";
  WriteSet writes;
  for (const Decision& decision : decisions) {
    for (const RowWrite& change : decision.changes) writes.add(change);
  }
  for (const RowWrite& change : writes.sorted()) write(change);
  if (!checks) return decisions;
  for (const std::string& fault : market_faults(rows_)) ADD_FAILURE() << fault;
  return decisions;
}

Decision MarketWorld::decide(const Command& command) { return std::move(decide({&command, 1}).front()); }

std::string MarketWorld::hear(const Command& command) { return heard(decide(command).answer); }

std::string MarketWorld::deposit(const std::string& player, std::int64_t amount) {
  const Owner owner{.kind = OwnerKind::player, .id = player};
  return hear(MoveMoney{.kind = LedgerReason::deposit, .owner = owner, .amount = amount});
}

std::string MarketWorld::bid(const std::string& listing, const std::string& bidder, std::int64_t amount) {
  return hear(PlaceBid{.listing = listing, .bidder = bidder, .amount = amount});
}

std::string MarketWorld::buy_out(const std::string& listing, const std::string& buyer) {
  return hear(BuyOut{.listing = listing, .buyer = buyer});
}

std::string MarketWorld::cancel(const std::string& listing, const std::string& seller) {
  return hear(ChangeListing{.listing = listing, .action = ListingAction::cancel, .seller = seller});
}

std::string MarketWorld::settle(const std::string& listing) {
  return hear(ChangeListing{.listing = listing, .action = ListingAction::settle});
}

std::string MarketWorld::void_it(const std::string& listing) {
  return hear(ChangeListing{.listing = listing, .action = ListingAction::void_it, .reason = "a fraud"});
}

std::string MarketWorld::set_aside(const std::string& listing) {
  return hear(ChangeListing{.listing = listing, .action = ListingAction::set_aside, .reason = "it fails"});
}

std::string MarketWorld::block(const std::string& player, bool blocked) {
  return hear(RestrictPlayer{.player = player, .trade_blocked = blocked, .reason = "a bot"});
}

std::string MarketWorld::pause(bool paused, bool extend) {
  return hear(ChangeMarket{.pause = paused, .extend = extend, .reason = "a patch"});
}

std::string MarketWorld::money(const std::string& player, const std::string& currency) const {
  const auto found = rows_.find(wallet_key(player_wallet(player, currency)));
  if (found == rows_.end()) return "none";
  const auto& row = std::get<WalletRow>(found->second);
  return std::to_string(row.available) + "/" + std::to_string(row.held);
}

std::int64_t MarketWorld::house(const std::string& currency) const {
  std::int64_t sum = 0;
  for (const auto& [key, row] : rows_) {
    const auto* line = std::get_if<HouseLineRow>(&row);
    if (line == nullptr || line->account != HouseAccount::house) continue;
    if (line->wallet.currency == currency) sum += line->amount;
  }
  return sum;
}

const ListingRow& MarketWorld::listing(const std::string& id) const {
  return std::get<ListingRow>(rows_.at(listing_key(id)));
}

const ItemRow& MarketWorld::item(const std::string& id) const {
  return std::get<ItemRow>(rows_.at(item_key(id)));
}

WalletRow MarketWorld::wallet(const std::string& player) const {
  const auto found = rows_.find(gold(player));
  return found != rows_.end() ? std::get<WalletRow>(found->second) : WalletRow{};
}

std::string MarketWorld::place(const std::string& id) const {
  const ItemRow& row = item(id);
  const bool in_escrow = row.location == ItemLocation::escrow;
  return std::string(to_string(row.location)) + " of " + (in_escrow ? row.listing : to_string(row.owner));
}

std::vector<std::string> MarketWorld::events(const std::string& listing) const {
  std::vector<std::string> types;
  for (const auto& [key, row] : rows_) {
    const auto* event = std::get_if<EventRow>(&row);
    if (event != nullptr && event->subject_kind == "listing" && event->subject == listing) {
      types.push_back(event->type.substr(std::string("listing.").size()));
    }
  }
  return types;
}

std::string MarketWorld::event_data(const std::string& listing, const std::string& type) const {
  std::string data;
  for (const auto& [key, row] : rows_) {
    const auto* event = std::get_if<EventRow>(&row);
    if (event != nullptr && event->subject == listing && event->type == type) data = event->data;
  }
  return data;
}

}  // namespace hotrow::test
