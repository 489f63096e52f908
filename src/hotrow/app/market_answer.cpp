#include "hotrow/app/market_answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <charconv>

#include "hotrow/core/outcome.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

std::optional<std::int64_t> integer_or_null(TrustedReader& in, std::string_view name) {
  if (in.find(name) == nullptr) return std::nullopt;
  return in.integer(name);
}

std::string text_or_null(TrustedReader& in, std::string_view name) {
  return in.find(name) == nullptr ? std::string() : in.text(name);
}

/// "<listing>:<n>"
std::int64_t number_of_bid(TrustedReader& in) {
  const std::string id = in.text("id");
  const std::size_t colon = id.rfind(':');
  if (colon == std::string::npos) return in.spoil(std::int64_t{0});
  std::int64_t n = 0;
  const char* end = id.data() + id.size();
  const auto [stop, error] = std::from_chars(id.data() + colon + 1, end, n);
  return error == std::errc() && stop == end ? n : in.spoil(std::int64_t{0});
}

std::string item_id(TrustedReader& in) {
  const json::value* item = in.find("item");
  if (item == nullptr || !item->is_object()) return in.spoil(std::string());
  const json::value* id = item->get_object().if_contains("id");
  return id != nullptr && id->is_string() ? std::string(id->get_string()) : in.spoil(std::string());
}

/// Nothing was done, or it is not known: by the status, or by what the problem says of itself.
bool is_worth_repeating(int status, const json::object& problem) {
  if (status >= 500 || status == 429 || status == 408) return true;
  const json::value* retryable = problem.if_contains("retryable");
  return retryable != nullptr && retryable->is_bool() && retryable->get_bool();
}

void judge_refusal(TradeAnswer& out, const json::object& problem) {
  TrustedReader in(problem);
  out.code = text_or_null(in, "code");
  const std::optional<RejectionCode> known = rejection_code(out.code);
  const bool set_aside = known == RejectionCode::listing_set_aside;
  if (is_worth_repeating(out.status, problem) && !set_aside) return;
  if (out.code.empty()) out.code = "http_" + std::to_string(out.status);
  out.what = known ? TradeAnswer::What::refused : TradeAnswer::What::hopeless;
  out.stored = known && traits(*known).stored;
  if (known == RejectionCode::bid_too_low) out.min_next_bid = in.integer("min_next_bid");
}

template <class T, class F>
std::optional<T> part(const json::object& body, std::string_view name, F&& read) {
  const json::value* value = body.if_contains(json::string_view(name.data(), name.size()));
  return value != nullptr ? read(*value) : std::nullopt;
}

}  // namespace

std::optional<SeenListing> read_seen_listing(const json::value& value) {
  return read_object<SeenListing>(value, [](TrustedReader& in) -> std::optional<SeenListing> {
    const auto status = listing_status_from_string(in.text("status"));
    if (!status) return std::nullopt;
    SeenListing seen{.id = in.text("id"),
                     .seller = in.text("seller_id"),
                     .item = item_id(in),
                     .status = *status,
                     .start_price = in.integer("start_price"),
                     .deposit = in.integer("deposit"),
                     .cut_bps = in.integer("cut_bps"),
                     .cut_min = in.integer("cut_min"),
                     .bid_count = in.integer("bid_count"),
                     .buyout_price = integer_or_null(in, "buyout_price"),
                     .current_bid = integer_or_null(in, "current_bid"),
                     .min_next_bid = integer_or_null(in, "min_next_bid"),
                     .price = integer_or_null(in, "price"),
                     .bidder = text_or_null(in, "bidder_id"),
                     .buyer = text_or_null(in, "buyer_id"),
                     .closed_by = text_or_null(in, "closed_by"),
                     .set_aside = text_or_null(in, "set_aside"),
                     .created_at = in.time("created_at"),
                     .ends_at = in.time("ends_at"),
                     .server_time = in.time("server_time"),
                     .version = in.integer("version")};
    if (in.find("closed_at") != nullptr) seen.closed_at = in.time("closed_at");
    return seen;
  });
}

std::optional<SeenBid> read_seen_bid(const json::value& value) {
  return read_object<SeenBid>(value, [](TrustedReader& in) -> std::optional<SeenBid> {
    return SeenBid{.n = number_of_bid(in),
                   .bidder = text_or_null(in, "bidder_id"),
                   .amount = in.integer("amount"),
                   .placed_at = in.time("placed_at")};
  });
}

std::optional<SeenWallet> read_seen_wallet(const json::value& value) {
  return read_object<SeenWallet>(value, [](TrustedReader& in) -> std::optional<SeenWallet> {
    return SeenWallet{
        .available = in.integer("available"), .held = in.integer("held"), .version = in.integer("version")};
  });
}

std::optional<SeenItem> read_seen_item(const json::value& value) {
  return read_object<SeenItem>(value, [](TrustedReader& in) -> std::optional<SeenItem> {
    return SeenItem{.owner = in.text("owner"), .location = in.text("location")};
  });
}

TradeAnswer read_trade_answer(const HttpAnswer& answer) {
  TradeAnswer out{.status = answer.status};
  json::error_code error;
  const json::value parsed = json::parse(answer.body, error);
  static const json::object nothing;
  const json::object& body = !error && parsed.is_object() ? parsed.get_object() : nothing;
  if (answer.status != 200 && answer.status != 201) {
    judge_refusal(out, body);
    return out;
  }
  out.what = TradeAnswer::What::accepted;
  out.stored = true;
  out.bid = part<SeenBid>(body, "bid", read_seen_bid);
  out.wallet = part<SeenWallet>(body, "wallet", read_seen_wallet);
  out.listing = part<SeenListing>(body, "listing", read_seen_listing);
  if (!out.listing) out.listing = read_seen_listing(parsed);  // The listing itself.
  return out;
}

}  // namespace hotrow
