#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction.hpp"
#include "hotrow/core/auction_steps.hpp"
#include "hotrow/core/fees.hpp"
#include "hotrow/core/policy.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

Acceptance accept(Deal& deal) {
  Changes changes = deal.take();
  return {.outcome = deal.answer(), .changes = std::move(changes)};
}

/// Ends without a sale: the item goes back, the leader's money too.
Ruling give_back(Deal& deal, const Envelope& envelope, const RowSet& rows, const ListingRow& before,
                 ListingStatus status, ListingClosing closing, bool item_may_be_astray) {
  HOTROW_ASSERT(status != ListingStatus::sold);
  const bool kept = status != ListingStatus::voided;
  const json::array to_leader = before.lead ? refunded(*before.lead) : json::array();
  if (!deal.refund_lead() || !deal.settle_deposit(kept ? Deal::Deposit::capture : Deal::Deposit::release)) {
    return set_aside(before, envelope, rows, deal.now(), holds_astray);
  }
  const bool returned = deal.hand_over(deal.terms().seller);
  if (!returned && !item_may_be_astray) {
    return set_aside(before, envelope, rows, deal.now(), item_astray);
  }
  const Owner seller{.kind = OwnerKind::player, .id = deal.terms().seller};
  json::object data{{"listing_id", before.id},
                    {"item_id", deal.terms().item.id},
                    {"seller_id", deal.terms().seller},
                    {"item_to", returned ? json::value(to_string(seller)) : json::value(nullptr)},
                    {"deposit_kept", kept ? deal.terms().deposit : 0}};
  if (status == ListingStatus::voided) {
    data["refunded"] = to_leader;
    data["reason"] = closing.reason;
    data["by"] = envelope.actor;
  }
  deal.close(status, std::move(closing));
  deal.add_event("listing." + std::string(to_string(status)), data);
  return accept(deal);
}

Ruling settle(Deal& deal, const Envelope& envelope, const RowSet& rows, const ListingRow& before) {
  if (!before.lead) {
    return give_back(deal, envelope, rows, before, ListingStatus::expired, {.by = "schedule"}, false);
  }
  const Lead lead = *before.lead;
  HOTROW_ASSERT(has_ended(before, deal.market_now()));
  if (!deal.capture_lead() || !deal.pay_seller(lead.amount)) {
    return set_aside(before, envelope, rows, deal.now(), holds_astray);
  }
  if (!deal.hand_over(lead.bidder)) return set_aside(before, envelope, rows, deal.now(), item_astray);
  deal.close(ListingStatus::sold, {.by = "schedule", .buyer = lead.bidder, .price = lead.amount});
  sell(deal, lead.bidder, lead.amount, "bid");
  return accept(deal);
}

ItemRow new_item(const ItemFacts& facts, const std::string& seller, Timestamp now) {
  const Owner owner{.kind = OwnerKind::player, .id = seller};
  return {.facts = facts, .owner = owner, .created_at = now, .created_for = owner};
}

/// Why this item cannot be listed by this seller.
std::optional<Rejection> item_refusal(const CreateListing& create, const ItemRow* item) {
  HOTROW_ASSERT(!create.facts || create.facts->id == create.item);
  if (create.facts) {
    if (item == nullptr) return std::nullopt;
    return Rejection{.code = RejectionCode::item_exists, .detail = "An item with this id exists already."};
  }
  const Owner seller{.kind = OwnerKind::player, .id = create.seller};
  if (item == nullptr || item->owner != seller) {
    return Rejection{.code = RejectionCode::not_item_owner, .detail = "The seller has no such item."};
  }
  return location_refusal(*item);
}

/// What only the clock can tell about a new listing's end.
std::optional<Rejection> end_refusal(const CreateListing& create, Timestamp now, Timestamp end) {
  std::vector<FieldError> errors;
  const auto length = end - now;
  if (length < listing_duration_min || length > listing_duration_max) {
    errors.push_back({"ends_at", "must be from 1 second to 30 days from now"});
  } else if (create.anti_snipe && std::chrono::seconds(create.anti_snipe->window_seconds) * 2 > length) {
    errors.push_back({"anti_snipe.window_seconds", "must be at most half the duration"});
  }
  if (errors.empty()) return std::nullopt;
  return Rejection{.code = RejectionCode::validation_failed,
                   .detail = errors.front().field + ": " + errors.front().message,
                   .errors = std::move(errors)};
}

ListingRow new_listing(const CreateListing& create, const ItemFacts& item, Timestamp market_end,
                       Timestamp now) {
  ListingTerms terms{.seller = create.seller,
                     .item = item,
                     .currency = create.currency,
                     .start_price = create.start_price,
                     .buyout_price = create.buyout_price,
                     .min_increment = create.min_increment,
                     .anti_snipe = create.anti_snipe,
                     .on_close = create.on_close,
                     .rates = create.rates,
                     .deposit = listing_deposit(create.rates, create.start_price),
                     .first_ends_at = market_end,
                     .created_at = now};
  return {.id = create.listing,
          .terms = std::make_shared<const ListingTerms>(std::move(terms)),
          .ends_at = market_end,
          .decided_at = now};
}

json::object created_data(const ListingRow& listing, std::chrono::microseconds extension) {
  const ListingTerms& terms = *listing.terms;
  json::object data{{"listing_id", listing.id},   {"seller_id", terms.seller},
                    {"item_id", terms.item.id},   {"family", terms.item.family},
                    {"currency", terms.currency}, {"start_price", terms.start_price}};
  data["buyout_price"] = terms.buyout_price ? json::value(*terms.buyout_price) : json::value(nullptr);
  data["ends_at"] = format_rfc3339(shown_end(listing, extension));
  data["deposit"] = terms.deposit;
  return data;
}

}  // namespace

Ruling decide_create_listing(const CreateListing& create, const Envelope& envelope, const RowSet& rows,
                             Timestamp now) {
  if (auto refusal = trade_refusal(rows, create.seller)) return std::move(*refusal);
  HOTROW_ASSERT(create.min_increment >= 1 && create.min_increment <= create.start_price);
  HOTROW_ASSERT(!create.buyout_price || *create.buyout_price >= create.start_price);
  const Timestamp end = create.ends_at ? *create.ends_at : now + create.duration;
  if (auto refusal = end_refusal(create, now, end)) return std::move(*refusal);
  if (rows.find<ListingRow>(listing_key(create.listing)) != nullptr) {
    return Rejection{.code = RejectionCode::listing_exists,
                     .detail = "A listing with this id exists already."};
  }
  const auto* found = rows.find<ItemRow>(item_key(create.item));
  if (auto refusal = item_refusal(create, found)) return std::move(*refusal);

  ItemRow item = found != nullptr ? *found : new_item(*create.facts, create.seller, now);
  const std::chrono::microseconds extension = market_view(rows).extension;
  const ListingRow listing = new_listing(create, item.facts, end - extension, now);
  Deal deal(listing, envelope, rows, now);
  const WalletId seller = seller_wallet(*listing.terms);
  const std::int64_t deposit = listing.terms->deposit;
  const std::int64_t available = deal.books().wallet(seller).available;
  const std::int64_t used = deal.books().wallet(player_account(create.seller)).active_listings;
  const PlayerLimits limits = limits_of(rows, create.seller);
  if (auto refusal = limit_refusal("max_active_listings", limits.max_active_listings, used)) {
    return std::move(*refusal);
  }
  if (available < deposit) return insufficient_funds(available, deposit);

  deal.books().move(seller,
                    {.available = -deposit, .held = deposit, .reason = LedgerReason::listing_deposit});
  deal.books().count(create.seller, {.active_listings = 1});
  item.location = ItemLocation::escrow;
  item.listing = create.listing;
  deal.add({.key = item_key(create.item),
            .row = std::move(item),
            .how = found != nullptr ? RowWrite::How::update : RowWrite::How::insert});
  deal.add_event("listing.created", created_data(listing, extension));
  Changes changes = deal.take();
  ListingAnswer answer = deal.answer();
  answer.created = true;
  if (!create.facts) answer.pressure = {};  // The batch may have looked, this command has not.
  return Acceptance{.outcome = std::move(answer), .changes = std::move(changes)};
}

Ruling decide_change_listing(const ChangeListing& change, const Envelope& envelope, const RowSet& rows,
                             Timestamp now) {
  const bool voids = change.action == ListingAction::void_it;
  if (market_view(rows).paused && !voids) return market_paused();
  const auto* before = rows.find<ListingRow>(listing_key(change.listing));
  if (before == nullptr) return listing_not_found(change.listing);
  Deal deal(*before, envelope, rows, now);
  if (auto refusal = version_refusal(deal, *before, change.if_version)) return std::move(*refusal);
  const bool cancels = change.action == ListingAction::cancel;
  if (cancels && change.seller != before->terms->seller) {
    return Rejection{.code = RejectionCode::not_seller, .detail = "Only the seller can cancel his listing."};
  }
  if (before->status != ListingStatus::active) return listing_closed(*before, deal);
  if (voids) {
    ListingClosing closing{.by = "operator:" + envelope.actor, .reason = change.reason};
    return give_back(deal, envelope, rows, *before, ListingStatus::voided, std::move(closing), true);
  }
  const bool ended = has_ended(*before, deal.market_now());
  if (cancels && ended) return listing_closed(*before, deal);
  if (!before->set_aside.empty()) return listing_set_aside();
  if (change.action == ListingAction::set_aside) {
    return set_aside(*before, envelope, rows, deal.now(), change.reason);
  }
  if (cancels) {
    if (before->lead) {
      return Rejection{.code = RejectionCode::has_bids,
                       .detail = "Somebody leads: a listing with a live bid stays.",
                       .figures = {{"current_bid", before->lead->amount}}};
    }
    return give_back(deal, envelope, rows, *before, ListingStatus::cancelled, {.by = "seller"}, false);
  }
  if (!ended) {
    return Rejection{
        .code = RejectionCode::not_ended,
        .detail = "The listing's end has not come.",
        .figures = {{"ends_at", shown_end(*before, deal.extension())}, {"server_time", deal.now()}}};
  }
  return settle(deal, envelope, rows, *before);
}

}  // namespace hotrow
