#include "hotrow/core/fees.hpp"
#include "hotrow/http/event_json.hpp"
#include "hotrow/http/list_page.hpp"
#include "hotrow/http/listing_reading.hpp"
#include "hotrow/http/market_questions.hpp"

namespace hotrow::http {
namespace {

Result<Response> listing_answer(Queries& queries, const Exchange& exchange, const std::string& id) {
  Result<std::optional<ListingReading>> reading = read_listing(queries, id);
  if (!reading) return failure(std::move(reading.error()));
  if (!*reading) return listing_not_found_response(id, exchange.context());
  Response response{.headers = state_lines((*reading)->row.version), .version = (*reading)->row.version};
  JsonWriter json(response.body);
  write_listing(json, (*reading)->view());
  return response;
}

Result<Response> bids_answer(Queries& queries, const Exchange& exchange, const std::string& listing,
                             const ListPage& page) {
  Result<std::vector<BidRow>> bids = queries.bids(listing, page.after_number(), page.read_limit());
  if (!bids) return failure(std::move(bids.error()));
  if (bids->empty()) {
    Result<std::optional<ListingRow>> row = queries.listing(listing);
    if (!row) return failure(std::move(row.error()));
    if (!*row) return listing_not_found_response(listing, exchange.context());
  }
  const auto next_cursor = page.take_next_cursor(*bids, [](const BidRow& bid) { return bid.n; });
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const BidRow& bid : *bids) write_bid(json, bid);
  });
  return response;
}

/// A listing that exists has an event: the one that tells of its creation.
Result<Response> timeline_answer(Queries& queries, const Exchange& exchange, const std::string& listing,
                                 const ListPage& page, const std::string& instance) {
  Result<std::vector<EventRow>> events =
      queries.timeline("listing", listing, page.after_number(), page.read_limit());
  if (!events) return failure(std::move(events.error()));
  if (events->empty() && page.after_number() == 0) {
    return listing_not_found_response(listing, exchange.context());
  }
  const auto next_cursor =
      page.take_next_cursor(*events, [](const EventRow& event) { return event.sequence; });
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const EventRow& event : *events) write_event(json, event, instance);
  });
  return response;
}

/// A page of what happened on one listing.
struct ListingPage {
  std::string listing;
  ListPage page;
};

tl::expected<ListingPage, Response> read_listing_page(const Exchange& exchange, std::string_view name) {
  std::optional<std::string> listing = path_id(exchange, 0);
  if (!listing) return tl::unexpected(invalid_path_response(exchange));
  Query query(exchange.query);
  ListingPage below{.listing = std::move(*listing), .page = ListPage(query)};
  const std::string list = std::string(name) + "/" + below.listing;
  if (auto refusal = below.page.bind_numbers(query, list, exchange)) {
    return tl::unexpected(std::move(*refusal));
  }
  return below;
}

/// What a sale at this price comes to.
void write_sale(JsonWriter& json, const Rates& rates, std::int64_t price) {
  const std::int64_t cut = sale_cut(rates, price);
  json.begin_object().key("price").integer(price).key("cut").integer(cut);
  json.key("seller_part").integer(price - cut).end_object();
}

}  // namespace

std::optional<Response> get_listing(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange,
             [&exchange, id = *id](Queries& queries) { return listing_answer(queries, exchange, id); });
}

std::optional<Response> list_bids(Readers& readers, Exchange& exchange) {
  auto below = read_listing_page(exchange, "bids");
  if (!below) return std::move(below.error());
  return ask(readers, exchange, [&exchange, below = std::move(*below)](Queries& queries) {
    return bids_answer(queries, exchange, below.listing, below.page);
  });
}

std::optional<Response> list_timeline(Readers& readers, Exchange& exchange, const std::string& instance) {
  auto below = read_listing_page(exchange, "timeline");
  if (!below) return std::move(below.error());
  return ask(readers, exchange, [&exchange, below = std::move(*below), instance](Queries& queries) {
    return timeline_answer(queries, exchange, below.listing, below.page, instance);
  });
}

Response quote_listing(const Rates& rates, const Exchange& exchange) {
  Query query(exchange.query);
  const std::optional<std::string> given = query.text("start_price");
  if (!given) query.error("start_price", "is required");
  const std::int64_t start_price = query.integer("start_price").value_or(1);
  const std::optional<std::int64_t> buyout_price = query.integer("buyout_price");
  if (buyout_price && *buyout_price < start_price) {
    query.error("buyout_price", "must not be below start_price");
  }
  const std::string currency = query.currency();
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  Response response;
  JsonWriter json(response.body);
  json.begin_object().key("currency").text(currency);
  json.key("start_price").integer(start_price).key("buyout_price");
  buyout_price ? json.integer(*buyout_price) : json.null();
  json.key("deposit").integer(listing_deposit(rates, start_price));
  json.key("deposit_bps").integer(rates.deposit_bps).key("deposit_min").integer(rates.deposit_min);
  json.key("cut_bps").integer(rates.cut_bps).key("cut_min").integer(rates.cut_min);
  write_sale(json.key("at_start_price"), rates, start_price);
  json.key("at_buyout_price");
  buyout_price ? write_sale(json, rates, *buyout_price) : void(json.null());
  json.end_object();
  return response;
}

}  // namespace hotrow::http
