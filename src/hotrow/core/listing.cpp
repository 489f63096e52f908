#include "hotrow/core/listing.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/base/checked.hpp"

namespace hotrow {
namespace {

using std::chrono::seconds;

void check_anti_snipe(const AntiSnipe& rule, std::vector<FieldError>& faults) {
  const auto fault = [&](const char* member, const char* message) {
    faults.push_back({std::string("anti_snipe.") + member, message});
  };
  if (rule.window_seconds < 1 || rule.window_seconds > anti_snipe_window_max_seconds) {
    fault("window_seconds", "must be from 1 to 3600");
  }
  if (rule.extend_seconds < 1 || rule.extend_seconds > rule.window_seconds) {
    fault("extend_seconds", "must be from 1 to window_seconds");
  }
  if (rule.max_extensions < 1 || rule.max_extensions > anti_snipe_extensions_max) {
    fault("max_extensions", "must be from 1 to 100");
  }
}

}  // namespace

std::int64_t min_next_bid(const ListingRow& listing) {
  HOTROW_ASSERT(listing.terms != nullptr);
  return listing.lead ? listing.lead->amount + listing.terms->min_increment : listing.terms->start_price;
}

std::optional<std::int64_t> shown_min_next_bid(const ListingRow& listing) {
  const std::int64_t least = min_next_bid(listing);
  return least <= integer_max ? std::optional(least) : std::nullopt;
}

Timestamp shown_end(const ListingRow& listing, std::chrono::microseconds market_extension) {
  return listing.status == ListingStatus::active ? listing.ends_at + market_extension : listing.ends_at;
}

Timestamp hard_end(const ListingTerms& terms) {
  if (!terms.anti_snipe) return terms.first_ends_at;
  return terms.first_ends_at + seconds(terms.anti_snipe->max_extensions * terms.anti_snipe->extend_seconds);
}

bool has_ended(const ListingRow& listing, Timestamp market_now) { return market_now >= listing.ends_at; }

std::vector<FieldError> listing_faults(const CreateListing& create) {
  std::vector<FieldError> faults;
  if (create.buyout_price && *create.buyout_price < create.start_price) {
    faults.push_back({"buyout_price", "must not be below start_price"});
  }
  if (create.min_increment > create.start_price) {
    faults.push_back({"min_increment", "must not be above start_price"});
  }
  if (!create.ends_at && (create.duration < listing_duration_min || create.duration > listing_duration_max)) {
    faults.push_back({"duration_seconds", "must be from 1 second to 30 days"});
  }
  if (create.anti_snipe) check_anti_snipe(*create.anti_snipe, faults);
  return faults;
}

WalletId player_wallet(const std::string& player, const std::string& currency) {
  return {.owner = {.kind = OwnerKind::player, .id = player}, .currency = currency};
}

WalletId seller_wallet(const ListingTerms& terms) { return player_wallet(terms.seller, terms.currency); }

}  // namespace hotrow
