#include "tests/core/market_faults.hpp"

#include <utility>

#include "hotrow/core/fees.hpp"
#include "hotrow/core/listing.hpp"

namespace hotrow::test {
namespace {

using Faults = std::vector<std::string>;

template <class R>
std::vector<const R*> all(const RowMap& rows) {
  std::vector<const R*> found;
  for (const auto& [key, row] : rows) {
    if (const auto* known = std::get_if<R>(&row)) found.push_back(known);
  }
  return found;
}

std::string name(const WalletId& id) { return to_string(id.owner) + " " + id.currency; }

void must(bool holds, Faults& faults, const std::string& subject, const std::string& law) {
  if (!holds) faults.push_back(subject + ": " + law);
}

struct Sums {
  std::int64_t lines = 0;
  std::int64_t available = 0;
  std::int64_t held = 0;
  std::int64_t leads = 0;
  std::int64_t listings = 0;
};

/// The ledger of each wallet is dense and ends in the wallet's balances.
void check_ledgers(const RowMap& rows, Faults& faults) {
  std::map<WalletId, Sums> sums;
  for (const auto* line : all<LedgerLineRow>(rows)) {
    Sums& sum = sums[line->wallet];
    ++sum.lines;
    sum.available += line->d_available;
    sum.held += line->d_held;
    must(line->n == sum.lines, faults, name(line->wallet), "its ledger has a gap");
    must(line->available == sum.available && line->held == sum.held, faults, name(line->wallet),
         "a line's balances are not the sum of what came before");
    must(line->d_available != 0 || line->d_held != 0, faults, name(line->wallet), "an empty line");
  }
  for (const auto* wallet : all<WalletRow>(rows)) {
    const Sums sum = sums[wallet->id];
    must(wallet->available >= 0 && wallet->held >= 0, faults, name(wallet->id), "negative");
    must(wallet->version == sum.lines, faults, name(wallet->id), "version is not its latest line");
    must(wallet->available == sum.available && wallet->held == sum.held, faults, name(wallet->id),
         "balances are not what its ledger says");
    sums.erase(wallet->id);
  }
  must(sums.empty(), faults, "ledger", "lines without a wallet");
}

/// Each command sums to zero, and so does everything together.
void check_sums(const RowMap& rows, Faults& faults) {
  std::map<std::pair<std::string, std::string>, std::int64_t> commands;
  std::map<std::string, std::int64_t> currencies;
  for (const auto* line : all<LedgerLineRow>(rows)) {
    commands[{line->ref, line->wallet.currency}] += line->d_available + line->d_held;
  }
  for (const auto* line : all<HouseLineRow>(rows)) {
    commands[{line->ref, line->wallet.currency}] += line->amount;
    currencies[line->wallet.currency] += line->amount;
    must(rows.contains(ledger_key(line->wallet, line->n)), faults, name(line->wallet),
         "a house line without the wallet's line");
  }
  for (const auto* wallet : all<WalletRow>(rows)) {
    currencies[wallet->id.currency] += wallet->available + wallet->held;
  }
  for (const auto& [command, sum] : commands) must(sum == 0, faults, command.first, "does not sum to zero");
  for (const auto& [currency, sum] : currencies) must(sum == 0, faults, currency, "minted or lost");
}

/// Wallets hold their leads and deposits and count them.
void check_holds(const RowMap& rows, Faults& faults) {
  std::map<WalletId, Sums> expected;
  for (const auto* listing : all<ListingRow>(rows)) {
    if (listing->status != ListingStatus::active) continue;
    expected[seller_wallet(*listing->terms)].held += listing->terms->deposit;
    ++expected[player_account(listing->terms->seller)].listings;
    if (!listing->lead) continue;
    expected[player_wallet(listing->lead->bidder, listing->terms->currency)].held += listing->lead->amount;
    ++expected[player_account(listing->lead->bidder)].leads;
  }
  for (const auto* wallet : all<WalletRow>(rows)) {
    const Sums& sum = expected[wallet->id];
    must(wallet->held == sum.held, faults, name(wallet->id), "holds other than its leads and deposits");
    must(wallet->leading_bids == sum.leads, faults, name(wallet->id), "counts other than its leads");
    must(wallet->active_listings == sum.listings, faults, name(wallet->id), "counts other than its listings");
    expected.erase(wallet->id);
  }
  must(expected.empty(), faults, "wallets", "a lead or a listing without a wallet");
}

void check_items(const RowMap& rows, Faults& faults) {
  for (const auto* item : all<ItemRow>(rows)) {
    const bool in_escrow = item->location == ItemLocation::escrow;
    must(in_escrow == !item->listing.empty(), faults, item->facts.id, "in an escrow without a listing");
    if (!in_escrow) continue;
    const auto listing = rows.find(listing_key(item->listing));
    must(listing != rows.end() && std::get<ListingRow>(listing->second).status == ListingStatus::active,
         faults, item->facts.id, "in the escrow of no active listing");
  }
  for (const auto* listing : all<ListingRow>(rows)) {
    if (listing->status != ListingStatus::active) continue;
    const auto item = rows.find(item_key(listing->terms->item.id));
    must(item != rows.end() && std::get<ItemRow>(item->second).listing == listing->id, faults, listing->id,
         "active without its item");
  }
}

void check_listing(const ListingRow& listing, Faults& faults) {
  const bool active = listing.status == ListingStatus::active;
  const bool sold = listing.status == ListingStatus::sold;
  must(active != listing.closing.has_value(), faults, listing.id, "closed and active, or neither");
  must(active || !listing.lead, faults, listing.id, "over with a lead");
  must(listing.set_aside.empty(), faults, listing.id, "set aside");
  must(!active || listing.lead.has_value() == (listing.bids > 0), faults, listing.id, "bids without a lead");
  must(!listing.lead || listing.lead->n == listing.bids, faults, listing.id, "the lead is not the last bid");
  must(!active || listing.ends_at <= hard_end(*listing.terms), faults, listing.id, "ends past its hard end");
  must(listing.terms->deposit == listing_deposit(listing.terms->rates, listing.terms->start_price), faults,
       listing.id, "its deposit is not what its rates say");
  if (!listing.closing) return;
  must(sold == !listing.closing->buyer.empty(), faults, listing.id,
       "sold to nobody, or not sold to somebody");
  must(sold == (listing.closing->price >= listing.terms->start_price), faults, listing.id, "its price");
  must(listing.closing->buyer != listing.terms->seller, faults, listing.id, "sold to its seller");
}

/// Bids are dense and rise, and the last one is the lead.
void check_bids(const RowMap& rows, Faults& faults) {
  std::map<std::string, const BidRow*> last;
  for (const auto* bid : all<BidRow>(rows)) {
    const auto& listing = std::get<ListingRow>(rows.at(listing_key(bid->listing)));
    const BidRow*& before = last[bid->listing];
    must(bid->n == (before != nullptr ? before->n + 1 : 1), faults, bid->listing, "its bids have a gap");
    must(before == nullptr || bid->amount >= before->amount + listing.terms->min_increment, faults,
         bid->listing, "a bid does not rise");
    must(before == nullptr || bid->placed_at >= before->placed_at, faults, bid->listing, "time goes back");
    must(bid->amount >= listing.terms->start_price, faults, bid->listing, "a bid below the start price");
    must(bid->bidder != listing.terms->seller, faults, bid->listing, "the seller bids");
    before = bid;
  }
  for (const auto* listing : all<ListingRow>(rows)) {
    const BidRow* bid = last[listing->id];
    must(listing->bids == (bid != nullptr ? bid->n : 0), faults, listing->id, "bids are not counted");
    if (!listing->lead || bid == nullptr) continue;
    const Lead& lead = *listing->lead;
    must(lead.bidder == bid->bidder && lead.amount == bid->amount && lead.placed_at == bid->placed_at, faults,
         listing->id, "the lead is not its bid");
  }
}

/// Events are dense, their ids are unique, and a listing's tell its bids and its one end.
void check_events(const RowMap& rows, Faults& faults) {
  std::map<std::pair<std::string, std::string>, std::int64_t> sequences;
  std::map<std::pair<std::string, std::string>, std::int64_t> types;
  std::map<std::string, int> ids;
  for (const auto* event : all<EventRow>(rows)) {
    must(event->sequence == ++sequences[{event->subject_kind, event->subject}], faults, event->subject,
         "its events have a gap");
    must(++ids[event->id] == 1, faults, event->id, "an event id twice");
    if (event->subject_kind == "listing") ++types[{event->subject, event->type}];
  }
  for (const auto* listing : all<ListingRow>(rows)) {
    const auto count = [&](const char* type) { return types[{listing->id, std::string("listing.") + type}]; };
    must(listing->events == sequences[{"listing", listing->id}], faults, listing->id, "uncounted events");
    must(count("created") == 1, faults, listing->id, "not created once");
    must(count("bid_placed") == listing->bids, faults, listing->id, "a bid without its event");
    must(count("extended") == listing->extensions, faults, listing->id, "an extension without its event");
    const std::int64_t ends = count("sold") + count("expired") + count("cancelled") + count("voided");
    must(ends == (listing->status == ListingStatus::active ? 0 : 1), faults, listing->id, "not one end");
    const std::string own(to_string(listing->status));
    must(ends == 0 || count(own.c_str()) == 1, faults, listing->id, "ended in another way than it tells");
  }
}

/// A sale is paid once, and the house has the cuts and the kept deposits and nothing else.
void check_sales(const RowMap& rows, Faults& faults) {
  std::map<std::string, std::int64_t> house;
  for (const auto* line : all<HouseLineRow>(rows)) {
    if (line->account == HouseAccount::house) house[line->wallet.currency] -= line->amount;
  }
  std::map<std::string, std::int64_t> paid;
  for (const auto* line : all<LedgerLineRow>(rows)) {
    if (line->reason == LedgerReason::purchase) paid[line->ref] -= line->d_available + line->d_held;
  }
  std::int64_t sales = 0;
  for (const auto* listing : all<ListingRow>(rows)) {
    std::int64_t& kept = house[listing->terms->currency];
    const bool gives_back =
        listing->status == ListingStatus::expired || listing->status == ListingStatus::cancelled;
    if (gives_back) kept += listing->terms->deposit;
    if (listing->status != ListingStatus::sold) continue;
    ++sales;
    kept += sale_cut(listing->terms->rates, listing->closing->price);
  }
  for (const auto* event : all<EventRow>(rows)) {
    if (event->type != "listing.sold") continue;
    const auto& listing = std::get<ListingRow>(rows.at(listing_key(event->subject)));
    must(listing.closing && paid[event->id] == listing.closing->price, faults, listing.id, "not paid once");
  }
  must(std::int64_t(paid.size()) == sales, faults, "purchases", "more are paid than sold");
  for (const auto& [currency, sum] : house) must(sum == 0, faults, "house " + currency, "took another sum");
}

}  // namespace

std::vector<std::string> market_faults(const RowMap& rows) {
  Faults faults;
  check_ledgers(rows, faults);
  check_sums(rows, faults);
  check_holds(rows, faults);
  check_items(rows, faults);
  for (const auto* listing : all<ListingRow>(rows)) check_listing(*listing, faults);
  check_bids(rows, faults);
  check_events(rows, faults);
  check_sales(rows, faults);
  return faults;
}

}  // namespace hotrow::test
