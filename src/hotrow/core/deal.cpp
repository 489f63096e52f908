#include "hotrow/core/deal.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/checked.hpp"
#include "hotrow/core/auction_steps.hpp"
#include "hotrow/core/fees.hpp"
#include "hotrow/core/policy.hpp"

namespace hotrow {

namespace json = boost::json;

namespace {

/// What a listing's making and its bids have left in these wallets; where it is not, somebody's hand was.
bool holds(Books& books, const WalletId& wallet, const Lead& lead) {
  return books.wallet(wallet).held >= lead.amount &&
         books.wallet(player_account(lead.bidder)).leading_bids >= 1;
}

bool holds_deposit(Books& books, const ListingTerms& terms) {
  return books.wallet(seller_wallet(terms)).held >= terms.deposit &&
         books.wallet(player_account(terms.seller)).active_listings >= 1;
}

}  // namespace

MarketView market_view(const RowSet& rows) {
  const auto* market = rows.find<MarketRow>(market_key());
  if (market == nullptr) return {};
  HOTROW_ASSERT(market->extension.count() >= 0);
  return {.paused = market->paused, .extension = market->extension};
}

std::optional<Rejection> block_refusal(const RowSet& rows, const std::string& player) {
  const auto* row = rows.find<PlayerRow>(player_key(player));
  if (row == nullptr || !row->trade_blocked) return std::nullopt;
  return Rejection{.code = RejectionCode::player_blocked, .detail = "This player may not trade."};
}

std::optional<Rejection> trade_refusal(const RowSet& rows, const std::string& player) {
  if (market_view(rows).paused) return market_paused();
  return block_refusal(rows, player);
}

Deal::Deal(const ListingRow& listing, const Envelope& envelope, const RowSet& rows, Timestamp now)
    : listing_(listing),
      envelope_(envelope),
      rows_(rows),
      market_(market_view(rows)),
      now_(std::max(listing.decided_at, now)),
      books_(rows) {
  HOTROW_ASSERT(listing_.terms != nullptr);
  listing_.decided_at = now_;
}

bool Deal::refund_lead() {
  if (!listing_.lead) return true;
  const WalletId wallet = player_wallet(listing_.lead->bidder, terms().currency);
  const std::int64_t amount = listing_.lead->amount;
  if (!holds(books_, wallet, *listing_.lead)) return false;
  books_.move(wallet, {.available = amount, .held = -amount, .reason = LedgerReason::bid_refund});
  books_.count(listing_.lead->bidder, {.leading_bids = -1});
  listing_.lead.reset();
  return true;
}

bool Deal::capture_lead() {
  HOTROW_ASSERT(listing_.lead.has_value());
  const WalletId wallet = player_wallet(listing_.lead->bidder, terms().currency);
  if (!holds(books_, wallet, *listing_.lead)) return false;
  books_.move(wallet, {.held = -listing_.lead->amount, .reason = LedgerReason::purchase});
  books_.count(listing_.lead->bidder, {.leading_bids = -1});
  return true;
}

bool Deal::pay_seller(std::int64_t price) {
  const WalletId seller = seller_wallet(terms());
  const std::int64_t deposit = terms().deposit;
  if (!holds_deposit(books_, terms())) return false;
  const std::int64_t gain = price - sale_cut(terms().rates, price) + deposit;
  if (!checked_add(books_.wallet(seller).available, gain)) return false;
  books_.move(seller, {.available = gain, .held = -deposit, .reason = LedgerReason::sale});
  books_.count(terms().seller, {.active_listings = -1});
  return true;
}

bool Deal::settle_deposit(Deposit what) {
  const WalletId seller = seller_wallet(terms());
  const std::int64_t deposit = terms().deposit;
  if (!holds_deposit(books_, terms())) return false;
  const bool captured = what == Deposit::capture;
  const LedgerReason reason = captured ? LedgerReason::deposit_capture : LedgerReason::deposit_release;
  books_.move(seller, {.available = captured ? 0 : deposit, .held = -deposit, .reason = reason});
  books_.count(terms().seller, {.active_listings = -1});
  if (captured) books_.move_account(HouseAccount::house, seller, deposit, reason);
  return true;
}

bool Deal::hand_over(const std::string& player) {
  const Key key = item_key(terms().item.id);
  const auto* found = rows_.find<ItemRow>(key);
  if (found == nullptr || found->location != ItemLocation::escrow || found->listing != listing_.id)
    return false;
  ItemRow item = *found;
  item.owner = {.kind = OwnerKind::player, .id = player};
  item.location = ItemLocation::inventory;
  item.listing.clear();
  if (terms().on_close == OnClose::outside) leave_for_outside(item, envelope_, now_, changes_);
  add({.key = key, .row = std::move(item), .how = RowWrite::How::update});
  return true;
}

void Deal::add_event(std::string type, const json::object& data) {
  const EventSubject subject{.kind = "listing", .id = listing_.id, .events = listing_.events, .at = now_};
  changes_.push_back(next_event(subject, std::move(type), data, envelope_));
  event_ids_.push_back(event_id("listing", listing_.id, listing_.events));
}

void Deal::close(ListingStatus status, ListingClosing closing) {
  HOTROW_ASSERT(listing_.status == ListingStatus::active && status != ListingStatus::active);
  HOTROW_ASSERT((status == ListingStatus::sold) == (!closing.buyer.empty() && closing.price > 0));
  listing_.ends_at = shown_end(listing_, market_.extension);
  listing_.status = status;
  closing.at = now_;
  listing_.closing = std::move(closing);
  listing_.lead.reset();
  listing_.set_aside.clear();
}

Changes Deal::take(std::size_t main_event) {
  HOTROW_ASSERT(main_event < event_ids_.size());
  HOTROW_ASSERT(listing_.status == ListingStatus::active ? !listing_.closing : !listing_.lead);
  listing_.version += 1;
  const bool is_new = listing_.version == 1;
  changes_.insert(changes_.begin(), {.key = listing_key(listing_.id),
                                     .row = listing_,
                                     .how = is_new ? RowWrite::How::insert : RowWrite::How::update});
  Changes money = books_.take(event_ids_[main_event], now_);
  std::move(money.begin(), money.end(), std::back_inserter(changes_));
  return std::move(changes_);
}

Pressure Deal::pressure() const { return pressure_on(listing_, rows_).value_or(Pressure{}); }

ListingAnswer Deal::answer() const {
  return {.listing = listing_, .pressure = pressure(), .extension = market_.extension, .server_time = now_};
}

Acceptance set_aside(const ListingRow& listing, const Envelope& envelope, const RowSet& rows, Timestamp now,
                     const std::string& reason) {
  HOTROW_ASSERT(listing.status == ListingStatus::active && !reason.empty());
  Deal deal(listing, envelope, rows, now);
  deal.listing().set_aside = reason;
  deal.add_event("listing.set_aside", {{"listing_id", listing.id}, {"reason", reason}});
  return {.outcome = SetAsideAnswer{.listing = listing.id, .reason = reason}, .changes = deal.take()};
}

void leave_for_outside(ItemRow& item, const Envelope& envelope, Timestamp now, Changes& changes) {
  HOTROW_ASSERT(item.location == ItemLocation::inventory && item.listing.empty());
  item.location = ItemLocation::outside;
  const EventSubject subject{.kind = "item", .id = item.facts.id, .events = item.events, .at = now};
  changes.push_back(next_event(subject, "item.withdrawn",
                               {{"item_id", item.facts.id}, {"owner", to_string(item.owner)}}, envelope));
}

}  // namespace hotrow
