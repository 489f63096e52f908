#include "hotrow/store/memory_invariants.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/store/memory_rows.hpp"

namespace hotrow {
namespace {

/// One for each violation, as the SQL's column tells it.
using Subjects = std::vector<std::string>;

std::string subject(const WalletId& id) { return "wallet " + to_string(id.owner) + " " + id.currency; }
std::string subject(const ListingRow& listing) { return "listing " + listing.id; }
std::string subject(const BidRow& bid) { return "listing " + bid.listing; }
std::string subject(const ItemRow& item) { return "item " + item.facts.id; }

bool is_active(const ListingRow& listing) { return listing.status == ListingStatus::active; }

WalletId player_wallet_of(const ListingRow& listing, const std::string& player) {
  return {.owner = {.kind = OwnerKind::player, .id = player}, .currency = listing.terms->currency};
}

Subjects negative_wallets(const MemoryTables& tables) {
  Subjects found;
  for (const WalletRow& wallet : collect<WalletRow>(tables)) {
    if (wallet.available < 0 || wallet.held < 0) found.push_back(subject(wallet.id));
  }
  return found;
}

Subjects wallets_unlike_their_ledger(const MemoryTables& tables) {
  Subjects found;
  for (const WalletRow& wallet : collect<WalletRow>(tables)) {
    const auto* line = find_row<LedgerLineRow>(tables, ledger_key(wallet.id, wallet.version));
    LedgerLineRow expected;
    if (wallet.version != 0 && line != nullptr) expected = *line;
    const bool has_line = wallet.version == 0 || line != nullptr;
    const bool is_same = expected.available == wallet.available && expected.held == wallet.held;
    if (!has_line || !is_same) found.push_back(subject(wallet.id));
  }
  return found;
}

Subjects ledgers_with_gaps_or_other_sums(const MemoryTables& tables) {
  std::map<WalletId, std::vector<LedgerLineRow>> ledgers;
  for (LedgerLineRow& line : collect<LedgerLineRow>(tables)) ledgers[line.wallet].push_back(line);
  Subjects found;
  for (const auto& [id, lines] : ledgers) {
    const auto* wallet = find_row<WalletRow>(tables, wallet_key(id));
    std::int64_t available = 0;
    std::int64_t held = 0;
    for (const LedgerLineRow& line : lines) {
      available += line.d_available;
      held += line.d_held;
    }
    const bool is_dense = wallet != nullptr && std::int64_t(lines.size()) == wallet->version &&
                          lines.front().n == 1 && lines.back().n == wallet->version;
    if (!is_dense || available != wallet->available || held != wallet->held) found.push_back(subject(id));
  }
  return found;
}

Subjects unbalanced_commands(const MemoryTables& tables) {
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const LedgerLineRow& line : collect<LedgerLineRow>(tables)) {
    sums[{line.ref, line.wallet.currency}] += line.d_available + line.d_held;
  }
  for (const HouseLineRow& line : collect<HouseLineRow>(tables)) {
    sums[{line.ref, line.wallet.currency}] += line.amount;
  }
  Subjects found;
  for (const auto& [command, sum] : sums) {
    if (sum != 0) found.push_back("command " + command.first);
  }
  return found;
}

Subjects currencies_with_minted_money(const MemoryTables& tables) {
  std::map<std::string, std::int64_t> sums;
  for (const WalletRow& wallet : collect<WalletRow>(tables)) {
    sums[wallet.id.currency] += wallet.available + wallet.held;
  }
  for (const HouseLineRow& line : collect<HouseLineRow>(tables)) sums[line.wallet.currency] += line.amount;
  Subjects found;
  for (const auto& [currency, sum] : sums) {
    if (sum != 0) found.push_back("currency " + currency);
  }
  return found;
}

Subjects wallets_with_other_holds(const MemoryTables& tables) {
  std::map<WalletId, std::int64_t> sums;
  for (const WalletRow& wallet : collect<WalletRow>(tables)) sums[wallet.id] += wallet.held;
  for (const ListingRow& listing : collect<ListingRow>(tables, is_active)) {
    sums[player_wallet_of(listing, listing.terms->seller)] -= listing.terms->deposit;
    if (listing.lead) sums[player_wallet_of(listing, listing.lead->bidder)] -= listing.lead->amount;
  }
  Subjects found;
  for (const auto& [id, sum] : sums) {
    if (sum != 0) found.push_back(subject(id));
  }
  return found;
}

Subjects wallets_with_other_counts(const MemoryTables& tables) {
  struct Counts {
    std::int64_t leads = 0;
    std::int64_t listings = 0;
  };
  std::map<WalletId, Counts> sums;
  for (const WalletRow& wallet : collect<WalletRow>(tables)) {
    sums[wallet.id] = {.leads = wallet.leading_bids, .listings = wallet.active_listings};
  }
  for (const ListingRow& listing : collect<ListingRow>(tables, is_active)) {
    --sums[player_account(listing.terms->seller)].listings;
    if (listing.lead) --sums[player_account(listing.lead->bidder)].leads;
  }
  Subjects found;
  for (const auto& [id, sum] : sums) {
    if (sum.leads != 0 || sum.listings != 0) found.push_back(subject(id));
  }
  return found;
}

Subjects items_astray(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables, is_active)) {
    const auto* item = find_row<ItemRow>(tables, item_key(listing.terms->item.id));
    const bool is_there =
        item != nullptr && item->location == ItemLocation::escrow && item->listing == listing.id;
    if (!is_there) found.push_back(subject(listing));
  }
  for (const ItemRow& item : collect<ItemRow>(tables)) {
    const auto* listing = find_row<ListingRow>(tables, listing_key(item.listing));
    const bool is_listed =
        listing != nullptr && is_active(*listing) && listing->terms->item.id == item.facts.id;
    const bool in_escrow = item.location == ItemLocation::escrow;
    if (in_escrow ? !is_listed : !item.listing.empty()) found.push_back(subject(item));
  }
  return found;
}

/// The bids of each listing that has any or should have.
std::map<std::string, std::vector<BidRow>> bids_by_listing(const MemoryTables& tables) {
  std::map<std::string, std::vector<BidRow>> bids;
  for (BidRow& bid : collect<BidRow>(tables)) bids[bid.listing].push_back(bid);
  return bids;
}

Subjects leads_unlike_their_bids(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables, is_active)) {
    if (listing.bids == 0 && !listing.lead) continue;
    const auto* bid = find_row<BidRow>(tables, bid_key(listing.id, listing.bids));
    const bool is_latest = bid != nullptr && listing.lead && listing.lead->n == listing.bids &&
                           listing.lead->bidder == bid->bidder && listing.lead->amount == bid->amount;
    if (!is_latest) found.push_back(subject(listing));
  }
  for (const auto& [id, bids] : bids_by_listing(tables)) {
    const auto* listing = find_row<ListingRow>(tables, listing_key(id));
    const bool is_dense = listing != nullptr && std::int64_t(bids.size()) == listing->bids &&
                          bids.front().n == 1 && bids.back().n == listing->bids;
    if (!is_dense) found.push_back("listing " + id);
  }
  return found;
}

Subjects bids_that_do_not_rise(const MemoryTables& tables) {
  Subjects found;
  for (const BidRow& bid : collect<BidRow>(tables)) {
    const auto* listing = find_row<ListingRow>(tables, listing_key(bid.listing));
    if (listing == nullptr) continue;
    const auto* before = find_row<BidRow>(tables, bid_key(bid.listing, bid.n - 1));
    const bool falls =
        before != nullptr && (bid.amount <= before->amount || bid.placed_at < before->placed_at);
    if (falls || bid.amount < listing->terms->start_price) found.push_back(subject(bid));
  }
  return found;
}

Subjects closed_listings_that_hold(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables)) {
    const std::optional<ListingClosing>& closing = listing.closing;
    const bool has_buyer = closing && !closing->buyer.empty();
    const bool has_price = closing && closing->price != 0;
    const bool is_sold = listing.status == ListingStatus::sold;
    const bool is_sound_sale = is_sold
                                   ? has_buyer && has_price && closing->price >= listing.terms->start_price
                                   : !has_buyer && !has_price;
    const bool is_closed = !is_active(listing);
    const bool is_sound_end = is_closed == closing.has_value() && !(is_closed && listing.lead);
    if (!is_sound_sale || !is_sound_end) found.push_back(subject(listing));
  }
  return found;
}

Subjects sales_not_paid_once(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables)) {
    if (listing.status != ListingStatus::sold || !listing.closing) continue;
    std::set<std::string> sales;
    for (const EventRow& event : collect<EventRow>(tables)) {
      const bool is_its_own = event.subject_kind == "listing" && event.subject == listing.id;
      if (is_its_own && event.type == "listing.sold") sales.insert(event.id);
    }
    const WalletId payer = player_wallet_of(listing, listing.closing->buyer);
    std::int64_t payments = 0;
    std::int64_t paid = 0;
    for (const LedgerLineRow& line : collect<LedgerLineRow>(tables)) {
      const bool pays = line.wallet == payer && line.reason == LedgerReason::purchase;
      if (!pays || !sales.contains(line.ref)) continue;
      ++payments;
      paid -= line.d_available + line.d_held;
    }
    if (payments != 1 || paid != listing.closing->price) found.push_back(subject(listing));
  }
  return found;
}

bool tells_the_end(const EventRow& event) {
  static const std::set<std::string> types = {"listing.sold", "listing.expired", "listing.cancelled",
                                              "listing.voided"};
  return types.contains(event.type);
}

Subjects listings_with_other_events(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables)) {
    std::int64_t count = 0;
    std::int64_t latest = 0;
    std::int64_t bids = 0;
    std::int64_t ends = 0;
    for (const EventRow& event : collect<EventRow>(tables)) {
      if (event.subject_kind != "listing" || event.subject != listing.id) continue;
      ++count;
      latest = std::max(latest, event.sequence);
      if (event.type == "listing.bid_placed") ++bids;
      if (tells_the_end(event)) ++ends;
    }
    const bool is_told = count == listing.events && latest == listing.events && bids == listing.bids &&
                         ends == (is_active(listing) ? 0 : 1);
    if (!is_told) found.push_back(subject(listing));
  }
  return found;
}

Subjects listings_set_aside(const MemoryTables& tables) {
  Subjects found;
  for (const ListingRow& listing : collect<ListingRow>(tables)) {
    if (!listing.set_aside.empty()) found.push_back(subject(listing));
  }
  return found;
}

using Counter = Subjects (*)(const MemoryTables&);

const std::map<std::string_view, Counter>& counters() {
  static const std::map<std::string_view, Counter> by_name = {
      {"wallets_are_never_negative", negative_wallets},
      {"wallets_are_what_their_ledger_says", wallets_unlike_their_ledger},
      {"ledgers_are_dense_and_add_up", ledgers_with_gaps_or_other_sums},
      {"every_command_sums_to_zero", unbalanced_commands},
      {"nothing_is_minted", currencies_with_minted_money},
      {"held_is_leads_and_deposits", wallets_with_other_holds},
      {"counters_are_leads_and_listings", wallets_with_other_counts},
      {"escrow_is_active_listings", items_astray},
      {"leads_are_the_latest_bids", leads_unlike_their_bids},
      {"bids_rise", bids_that_do_not_rise},
      {"closed_listings_hold_nothing", closed_listings_that_hold},
      {"sales_are_paid_once", sales_not_paid_once},
      {"listings_tell_everything", listings_with_other_events},
      {"no_listing_is_set_aside", listings_set_aside},
  };
  return by_name;
}

}  // namespace

InvariantCount count_violations(const MemoryTables& tables, const MarketInvariant& invariant) {
  const auto found = counters().find(invariant.name);
  HOTROW_ASSERT(found != counters().end());
  const Subjects subjects = found->second(tables);
  if (subjects.empty()) return {};
  return {.violations = std::int64_t(subjects.size()),
          .example = *std::min_element(subjects.begin(), subjects.end())};
}

}  // namespace hotrow
