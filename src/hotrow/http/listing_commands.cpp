#include "hotrow/core/listing.hpp"
#include "hotrow/http/command_readers.hpp"
#include "hotrow/http/item_input.hpp"
#include "hotrow/http/promotion_input.hpp"

namespace hotrow::http {
namespace {

using std::chrono::seconds;

constexpr std::size_t made_id_bytes = 16;

/// The id of a listing whose seller named none: the same for every repeat of the request, which must find the
/// same row.
std::string made_listing_id(const CommandRequest& request, const std::string& principal) {
  std::string text;
  for (const std::string_view part : {request.actor, std::string_view(principal), request.idempotency_key}) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  return to_hex(sha256(text)).substr(0, made_id_bytes * 2);
}

/// Either an item that exists, by its id, or one that is made with the listing.
void read_item(Members& in, CreateListing& create) {
  const std::optional<std::string> id = in.id("item_id", Presence::optional);
  const boost::json::object* object = in.object("item", Presence::optional);
  const bool names_one = in.has("item_id");
  if (names_one == in.has("item")) in.error("item_id", "either item_id or item is required, and not both");
  create.item = id.value_or("");
  if (object == nullptr) return;
  Members item(*object, in.errors(), "item.");
  create.item = item.id("id").value_or("");
  create.facts = read_item_facts(item, create.item);
  item.refuse_others();
}

void read_end(Members& in, CreateListing& create) {
  constexpr seconds max = listing_duration_max;
  create.ends_at = in.time("ends_at", Presence::optional);
  const auto duration = in.integer("duration_seconds", Presence::optional, {.min = 1, .max = max.count()});
  create.duration = seconds(duration.value_or(1));
  if (in.has("ends_at") == in.has("duration_seconds")) {
    in.error("ends_at", "either ends_at or duration_seconds is required, and not both");
  }
}

std::optional<AntiSnipe> read_anti_snipe(Members& in) {
  const boost::json::object* object = in.object("anti_snipe", Presence::optional);
  if (object == nullptr) return std::nullopt;
  Members rule(*object, in.errors(), "anti_snipe.");
  const auto window = rule.integer("window_seconds", Presence::required);
  const auto extend = rule.integer("extend_seconds", Presence::required);
  const auto extensions = rule.integer("max_extensions", Presence::required);
  rule.refuse_others();
  // What could not be read has its error; the rest is judged as if that were right.
  return AntiSnipe{.window_seconds = window.value_or(anti_snipe_window_max_seconds),
                   .extend_seconds = extend.value_or(1),
                   .max_extensions = extensions.value_or(1)};
}

void read_prices(Members& in, CreateListing& create) {
  const auto start_price = in.integer("start_price", Presence::required);
  create.start_price = start_price.value_or(1);
  create.buyout_price = in.integer("buyout_price", Presence::optional);
  create.min_increment = in.integer("min_increment", Presence::optional).value_or(1);
  if (start_price) return;
  create.buyout_price.reset();
  create.min_increment = 1;
}

void read_on_close(Members& in, CreateListing& create) {
  const std::optional<std::string> place = in.text("on_close", Presence::optional);
  if (!place) return;
  const std::optional<OnClose> known = on_close_from_string(*place);
  if (!known) in.error("on_close", "must be inventory or outside");
  create.on_close = known.value_or(OnClose::inventory);
}

Input<CommandInput> read_change(const CommandRequest& request, ListingAction action, Presence reason) {
  FieldErrors errors;
  Members in(request.body, errors);
  ChangeListing change{.listing = request.path[0], .action = action, .if_version = request.if_version};
  change.reason = in.text("reason", reason, reason_limits).value_or("");
  in.refuse_others();
  return checked(CommandInput{.body = std::move(change)}, errors);
}

}  // namespace

Input<CommandInput> read_create_listing(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  CreateListing create{.rates = request.rates};
  const std::optional<std::string> id = in.id("id", Presence::optional);
  create.seller = in.id("seller_id").value_or("");
  read_item(in, create);
  create.currency = in.currency();
  read_prices(in, create);
  read_end(in, create);
  create.anti_snipe = read_anti_snipe(in);
  read_on_close(in, create);
  in.refuse_others();
  for (FieldError& fault : listing_faults(create)) errors.add(fault.field, std::move(fault.message));
  std::string principal = player_principal(create.seller);
  create.listing = id ? *id : made_listing_id(request, principal);
  return checked(CommandInput{.body = std::move(create), .principal = std::move(principal)}, errors);
}

Input<CommandInput> read_place_bid(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  PlaceBid bid{.listing = request.path[0], .if_version = request.if_version};
  bid.bidder = in.id("bidder_id").value_or("");
  bid.amount = in.integer("amount", Presence::required).value_or(0);
  in.refuse_others();
  return checked(CommandInput{.body = bid, .principal = player_principal(bid.bidder)}, errors);
}

Input<CommandInput> read_buy_out(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  BuyOut buyout{.listing = request.path[0], .if_version = request.if_version};
  buyout.buyer = in.id("buyer_id").value_or("");
  buyout.expected_price = in.integer("expected_price", Presence::optional);
  in.refuse_others();
  return checked(CommandInput{.body = buyout, .principal = player_principal(buyout.buyer)}, errors);
}

Input<CommandInput> read_cancel_listing(const CommandRequest& request) {
  FieldErrors errors;
  Members in(request.body, errors);
  ChangeListing change{
      .listing = request.path[0], .action = ListingAction::cancel, .if_version = request.if_version};
  change.seller = in.id("seller_id").value_or("");
  in.refuse_others();
  return checked(CommandInput{.body = change, .principal = player_principal(change.seller)}, errors);
}

Input<CommandInput> read_settle_listing(const CommandRequest& request) {
  return read_change(request, ListingAction::settle, Presence::optional);
}

Input<CommandInput> read_void_listing(const CommandRequest& request) {
  return read_change(request, ListingAction::void_it, Presence::required);
}

}  // namespace hotrow::http
