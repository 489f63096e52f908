#include "hotrow/store/memory_tables.hpp"

#include <boost/json/parse.hpp>
#include <vector>

#include "hotrow/core/json.hpp"

namespace hotrow {
namespace {

tl::unexpected<Error> violated(const char* constraint, const Key& key) {
  return failure(ErrorKind::invalid, constraint, describe(key));
}

bool is_sound(const WalletRow& wallet) {
  return wallet.available >= 0 && wallet.held >= 0 && wallet.version >= 0 && wallet.leading_bids >= 0 &&
         wallet.active_listings >= 0 && wallet.buyouts_in_minute >= 0;
}

bool is_sound(const LedgerLineRow& line) { return line.n >= 1 && line.available >= 0 && line.held >= 0; }

bool is_sound(const BidRow& bid) { return bid.n >= 1 && bid.amount >= 1; }

bool is_sound(const ItemRow& item) {
  return (item.location == ItemLocation::escrow) == !item.listing.empty();
}

/// Status, lead and closing fit together.
bool is_sound(const ListingRow& listing) {
  const bool is_active = listing.status == ListingStatus::active;
  if (is_active == listing.closing.has_value() || (listing.lead && !is_active)) return false;
  const bool is_sold = listing.status == ListingStatus::sold;
  const bool has_buyer = listing.closing && !listing.closing->buyer.empty();
  const bool has_price = listing.closing && listing.closing->price != 0;
  return has_buyer == is_sold && has_price == is_sold;
}

template <class R>
bool is_sound(const R&) {
  return true;
}

bool wins_by_its_rule(const WinnerRow& winner) {
  boost::system::error_code error;
  const std::optional<Rule> rule = rule_from_json(boost::json::parse(winner.rule, error));
  return !error && rule && is_target(*rule, winner.ordinal);
}

}  // namespace

const Row* MemoryTables::find(const Key& key) const {
  const auto found = rows_.find(key);
  return found != rows_.end() ? &found->second : nullptr;
}

Result<void> MemoryTables::check(const RowWrite& write) const {
  const bool present = rows_.contains(write.key);
  if (write.how == RowWrite::How::insert && present) {
    return failure(ErrorKind::conflict, "key_taken", describe(write.key));
  }
  if (write.how == RowWrite::How::update && !present) return violated("rows_affected", write.key);
  if (const auto* entry = std::get_if<EntryRow>(&write.row)) {
    if (ordinals_.contains({entry->promotion, entry->ordinal})) {
      return violated("entry_ordinal_unique", write.key);
    }
  }
  if (const auto* winner = std::get_if<WinnerRow>(&write.row)) {
    if (!wins_by_its_rule(*winner)) return violated("winner_on_target", write.key);
  }
  if (const auto* event = std::get_if<EventRow>(&write.row)) {
    if (event_ids_.contains(event->id)) return violated("event_id_unique", write.key);
  }
  if (const auto* item = std::get_if<ItemRow>(&write.row)) {
    const auto taken = escrows_.find(item->listing);
    if (taken != escrows_.end() && taken->second != write.key) return violated("one_escrow", write.key);
  }
  if (!std::visit([](const auto& row) { return is_sound(row); }, write.row)) {
    return violated("row_check", write.key);
  }
  return {};
}

Result<void> MemoryTables::write(std::span<const RowWrite> writes) {
  std::vector<std::pair<Key, std::optional<Row>>> before;
  for (const RowWrite& write : writes) {
    if (Result<void> checked = check(write); !checked) {
      for (auto undo = before.rbegin(); undo != before.rend(); ++undo) set(undo->first, undo->second);
      return checked;
    }
    const Row* old = find(write.key);
    before.emplace_back(write.key, old != nullptr ? std::optional<Row>(*old) : std::nullopt);
    set(write.key, write.row);
  }
  return {};
}

void MemoryTables::set(const Key& key, std::optional<Row> row) {
  if (const auto old = rows_.find(key); old != rows_.end()) {
    drop_from_indexes(old->second);
    rows_.erase(old);
  }
  if (!row) return;
  add_to_indexes(key, *row);
  rows_.emplace(key, std::move(*row));
}

void MemoryTables::drop_from_indexes(const Row& row) {
  if (const auto* entry = std::get_if<EntryRow>(&row)) ordinals_.erase({entry->promotion, entry->ordinal});
  if (const auto* event = std::get_if<EventRow>(&row)) {
    event_ids_.erase(event->id);
    feed_.erase(event->position);
  }
  if (const auto* item = std::get_if<ItemRow>(&row)) escrows_.erase(item->listing);
}

void MemoryTables::add_to_indexes(const Key& key, Row& row) {
  if (auto* entry = std::get_if<EntryRow>(&row)) ordinals_[{entry->promotion, entry->ordinal}] = key;
  if (auto* event = std::get_if<EventRow>(&row)) {
    if (event->position == 0) event->position = feed_.empty() ? 1 : feed_.rbegin()->first + 1;
    event_ids_[event->id] = key;
    feed_[event->position] = key;
  }
  if (const auto* item = std::get_if<ItemRow>(&row); item != nullptr && !item->listing.empty()) {
    escrows_[item->listing] = key;
  }
}

}  // namespace hotrow
