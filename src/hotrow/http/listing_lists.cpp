#include <algorithm>
#include <array>
#include <charconv>

#include "hotrow/base/utf8.hpp"
#include "hotrow/http/list_page.hpp"
#include "hotrow/http/listing_reading.hpp"
#include "hotrow/http/market_questions.hpp"

// Lists of listings and of bids, with filters and sorts.
namespace hotrow::http {
namespace {

constexpr std::size_t ids_max = 1000;
constexpr std::array<std::string_view, 4> sort_names = {"ends_at", "start_price", "buyout_price", "newest"};

Result<Response> listings_page(Queries& queries, std::vector<ListingRow> rows,
                               const std::optional<std::string>& next_cursor) {
  Result<std::vector<Pressure>> pressures = read_pressures(queries, rows);
  if (!pressures) return failure(std::move(pressures.error()));
  Result<MarketTime> market = read_market_time(queries);
  if (!market) return failure(std::move(market.error()));
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      write_listing(json, market->view(rows[i], (*pressures)[i]));
    }
  });
  return response;
}

/// The value that a page is sorted by.
std::int64_t sorted_value(const ListingRow& row, ListingSort sort) {
  switch (sort) {
    case ListingSort::ends_at: return row.ends_at.micros;
    case ListingSort::start_price: return row.terms->start_price;
    case ListingSort::buyout_price: return row.terms->buyout_price.value_or(0);
    case ListingSort::newest: return row.terms->created_at.micros;
  }
  return 0;
}

/// Takes a number and the blank behind it off the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(std::size_t(end - text.data()));
  if (!text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

std::optional<ListingsQuery::After> after_position(std::string_view position) {
  const std::optional<std::int64_t> value = take_number(position);
  if (!value) return std::nullopt;
  return ListingsQuery::After{.value = *value, .id = std::string(position)};
}

std::optional<BidsOfQuery::Before> before_position(std::string_view position) {
  const std::optional<std::int64_t> placed_at = take_number(position);
  const std::optional<std::int64_t> n = placed_at ? take_number(position) : std::nullopt;
  if (!n) return std::nullopt;
  return BidsOfQuery::Before{.placed_at = {*placed_at}, .listing = std::string(position), .n = *n};
}

ListingSort read_sort(Query& query) {
  const std::string name = query.text("sort").value_or("ends_at");
  const auto found = std::ranges::find(sort_names, name);
  if (found != sort_names.end()) return ListingSort(found - sort_names.begin());
  query.error("sort", "must be ends_at, start_price, buyout_price or newest");
  return ListingSort::ends_at;
}

ListingStatus read_status(Query& query) {
  const std::optional<std::string> name = query.text("status");
  if (!name) return ListingStatus::active;
  const std::optional<ListingStatus> status = listing_status_from_string(*name);
  if (!status) query.error("status", "must be active, sold, expired, cancelled or voided");
  return status.value_or(ListingStatus::active);
}

std::optional<std::string> read_id_filter(Query& query, std::string_view name) {
  std::optional<std::string> id = query.text(name);
  if (id && !is_valid_id(*id)) query.error(name, "is no id");
  return id;
}

/// The filters as they bind a cursor: each with its length, because ids may hold anything.
std::string name_of(const ListingsQuery& query) {
  std::string name = "listings/";
  const auto add = [&name](std::string_view part) {
    name += std::to_string(part.size()) + ":" + std::string(part);
  };
  const auto add_optional = [&](const auto& part, auto text) { part ? add(text(*part)) : void(name += '-'); };
  const auto as_is = [](const std::string& text) { return text; };
  const auto as_digits = [](std::int64_t number) { return std::to_string(number); };
  add(to_string(query.status));
  add_optional(query.family, as_is);
  add_optional(query.seller, as_is);
  add_optional(query.min_price, as_digits);
  add_optional(query.max_price, as_digits);
  add(sort_names[std::size_t(query.sort)]);
  return name;
}

Result<Response> listings_answer(Queries& queries, const ListingsQuery& asked, const ListPage& page) {
  Result<std::vector<ListingRow>> rows = queries.listings(asked);
  if (!rows) return failure(std::move(rows.error()));
  const auto next_cursor = page.take_next_cursor(*rows, [&](const ListingRow& row) {
    return std::to_string(sorted_value(row, asked.sort)) + " " + row.id;
  });
  return listings_page(queries, std::move(*rows), next_cursor);
}

/// ?ids=a,b,c: those that exist, in the order asked.
std::optional<Response> list_named(Readers& readers, Query& query, std::string_view text,
                                   Exchange& exchange) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at <= text.size() && ids.size() <= ids_max;) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    ids.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  const bool valid = std::ranges::all_of(ids, [](const std::string& id) { return is_valid_id(id); });
  if (!valid || ids.size() > ids_max) query.error("ids", "must be 1 to 1000 ids, with commas between them");
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange, [ids = std::move(ids)](Queries& queries) -> Result<Response> {
    Result<std::vector<ListingRow>> rows = queries.listings(ids);
    if (!rows) return failure(std::move(rows.error()));
    return listings_page(queries, std::move(*rows), std::nullopt);
  });
}

Result<Response> listings_of_answer(Queries& queries, const std::string& seller, const ListPage& page) {
  Result<std::vector<ListingRow>> rows = queries.listings_of(seller, page.after_id(), page.read_limit());
  if (!rows) return failure(std::move(rows.error()));
  const auto next_cursor = page.take_next_cursor(*rows, [](const ListingRow& row) { return row.id; });
  return listings_page(queries, std::move(*rows), next_cursor);
}

Result<Response> bids_of_answer(Queries& queries, const BidsOfQuery& asked, const ListPage& page) {
  Result<std::vector<BidRow>> bids = queries.bids_of(asked);
  if (!bids) return failure(std::move(bids.error()));
  const auto next_cursor = page.take_next_cursor(*bids, [](const BidRow& bid) {
    return std::to_string(bid.placed_at.micros) + " " + std::to_string(bid.n) + " " + bid.listing;
  });
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const BidRow& bid : *bids) write_bid(json, bid);
  });
  return response;
}

}  // namespace

std::optional<Response> list_listings(Readers& readers, Exchange& exchange) {
  Query query(exchange.query);
  if (const std::optional<std::string> ids = query.text("ids")) {
    return list_named(readers, query, *ids, exchange);
  }
  ListPage page(query);
  ListingsQuery asked{.status = read_status(query),
                      .family = read_id_filter(query, "family"),
                      .seller = read_id_filter(query, "seller_id"),
                      .min_price = query.integer("min_price"),
                      .max_price = query.integer("max_price"),
                      .sort = read_sort(query),
                      .limit = page.read_limit()};
  if (auto refusal = page.bind(query, name_of(asked), exchange)) return refusal;
  if (page.after()) {
    asked.after = after_position(*page.after());
    if (!asked.after) return invalid_cursor_response(exchange);
  }
  return ask(readers, exchange,
             [asked, page](Queries& queries) { return listings_answer(queries, asked, page); });
}

std::optional<Response> list_player_listings(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> player = path_id(exchange, 0);
  if (!player) return invalid_path_response(exchange);
  Query query(exchange.query);
  ListPage page(query);
  if (auto refusal = page.bind(query, "listings-of/" + *player, exchange)) return refusal;
  return ask(readers, exchange, [player = *player, page](Queries& queries) {
    return listings_of_answer(queries, player, page);
  });
}

std::optional<Response> list_player_bids(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> player = path_id(exchange, 0);
  if (!player) return invalid_path_response(exchange);
  Query query(exchange.query);
  ListPage page(query);
  if (auto refusal = page.bind(query, "bids-of/" + *player, exchange)) return refusal;
  BidsOfQuery asked{.player = *player, .limit = page.read_limit()};
  if (page.after()) {
    asked.before = before_position(*page.after());
    if (!asked.before) return invalid_cursor_response(exchange);
  }
  return ask(readers, exchange,
             [asked, page](Queries& queries) { return bids_of_answer(queries, asked, page); });
}

}  // namespace hotrow::http
