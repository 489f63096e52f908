#include "hotrow/http/questions.hpp"

#include <algorithm>

#include "hotrow/base/utf8.hpp"
#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/http/cursor.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "hotrow/http/promotion_reading.hpp"
#include "hotrow/http/query.hpp"

namespace hotrow::http {
namespace {

Response invalid_cursor(const Exchange& exchange) {
  return problem_response(
      {.code = "invalid_cursor", .detail = "The cursor was not made by this list with these filters."},
      exchange.context());
}

Response not_found(const Exchange& exchange, std::string_view code, std::string detail) {
  return problem_response({.code = code, .detail = std::move(detail)}, exchange.context());
}

/// A page of a promotion's rows by ordinal.
struct OrdinalPage {
  std::string promotion;
  std::string list;  ///< What cursors are bound to.
  std::int64_t after = 0;
  std::size_t limit = 0;
};

/// Reads what every list below a promotion takes from its request; the answer when something is wrong.
tl::expected<OrdinalPage, Response> read_ordinal_page(const Exchange& exchange, std::string_view name) {
  std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return tl::unexpected(invalid_path_response(exchange));
  Query query(exchange.query);
  OrdinalPage page{.promotion = std::move(*promotion), .limit = query.limit()};
  const std::optional<std::string> cursor = query.text("cursor");
  if (auto problem = query.problem()) return tl::unexpected(problem_response(*problem, exchange.context()));
  page.list = std::string(name) + "/" + page.promotion;
  if (!cursor) return page;
  const std::optional<std::int64_t> after = decode_number_cursor(page.list, *cursor);
  if (!after) return tl::unexpected(invalid_cursor(exchange));
  page.after = *after;
  return page;
}

/// Cuts the row that was read beyond the limit, and says where the list goes on.
template <class Row>
std::optional<std::string> take_next_cursor(std::vector<Row>& rows, const OrdinalPage& page) {
  if (rows.size() <= page.limit) return std::nullopt;
  rows.resize(page.limit);
  return encode_cursor(page.list, rows.back().ordinal);
}

Result<Response> promotion_answer(Queries& queries, const Exchange& exchange, const std::string& id) {
  Result<std::optional<PromotionReading>> reading = read_promotion_state(queries, id);
  if (!reading) return failure(std::move(reading.error()));
  if (!*reading) return promotion_not_found_response(exchange, id);
  Response response{.headers = etag_line((*reading)->row.version)};
  JsonWriter json(response.body);
  write_promotion(json, (*reading)->view());
  return response;
}

Result<Response> promotions_answer(Queries& queries, const PromotionsQuery& query, const std::string& list) {
  PromotionsQuery with_now = query;
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  with_now.now = *now;
  Result<std::vector<PromotionRow>> rows = queries.promotions(with_now);
  if (!rows) return failure(std::move(rows.error()));
  std::optional<std::string> next_cursor;
  if (rows->size() == query.limit) {
    rows->pop_back();
    next_cursor = encode_cursor(list, rows->back().id);
  }
  std::vector<PromotionReading> readings;
  for (PromotionRow& row : *rows) {
    Result<PromotionReading> reading = with_winners(queries, std::move(row), *now);
    if (!reading) return failure(std::move(reading.error()));
    readings.push_back(std::move(*reading));
  }
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const PromotionReading& reading : readings) write_promotion(json, reading.view());
  });
  return response;
}

/// Rows first, then the promotion: with an entry its rule can no longer change.
Result<Response> entry_answer(Queries& queries, const Exchange& exchange, const std::string& promotion,
                              const std::string& user) {
  Result<std::optional<EntryRow>> entry = queries.entry(promotion, user);
  if (!entry) return failure(std::move(entry.error()));
  Result<std::optional<PromotionRow>> row = queries.promotion(promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, promotion);
  if (!*entry) return not_found(exchange, "entry_not_found", "This user has no place in this promotion.");
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  Response response;
  JsonWriter json(response.body);
  write_entry(json, {.promotion = promotion,
                     .user = user,
                     .ordinal = (*entry)->ordinal,
                     .winner = is_target((*row)->settings->rule, (*entry)->ordinal),
                     .already = true,
                     .entered_at = (*entry)->entered_at,
                     .server_time = std::max(*now, (*row)->decided_at)});
  return response;
}

Result<Response> entries_answer(Queries& queries, const Exchange& exchange, const OrdinalPage& page) {
  Result<std::vector<EntryRow>> rows = queries.entries(page.promotion, page.after, page.limit + 1);
  if (!rows) return failure(std::move(rows.error()));
  Result<std::optional<PromotionRow>> row = queries.promotion(page.promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, page.promotion);
  const std::optional<std::string> next_cursor = take_next_cursor(*rows, page);
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const EntryRow& entry : *rows) write_entry_item(json, entry, (*row)->settings->rule);
  });
  return response;
}

Result<Response> winners_answer(Queries& queries, const Exchange& exchange, const OrdinalPage& page) {
  Result<std::optional<PromotionRow>> row = queries.promotion(page.promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, page.promotion);
  Result<std::vector<WinnerRow>> rows = queries.winners(page.promotion, page.after, page.limit + 1);
  if (!rows) return failure(std::move(rows.error()));
  const std::optional<std::string> next_cursor = take_next_cursor(*rows, page);
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const WinnerRow& winner : *rows) write_winner(json, winner);
  });
  return response;
}

Result<Response> audit_answer(Queries& queries, const Exchange& exchange, const std::string& promotion) {
  Result<std::optional<PromotionFacts>> facts = queries.promotion_facts(promotion);
  if (!facts) return failure(std::move(facts.error()));
  if (!*facts) return promotion_not_found_response(exchange, promotion);
  const PromotionAudit report = audit(**facts);
  Response response;
  JsonWriter json(response.body);
  json.begin_object().key("ok").flag(report.ok());
  json.key("entries").integer(report.entries);
  json.key("max_ordinal").integer(report.max_ordinal);
  json.key("gaps").integer(report.gaps);
  json.key("duplicates").integer(report.duplicates);
  json.key("winners_expected").integer(report.winners_expected);
  json.key("winners_pinned").integer(report.winners_pinned);
  json.key("outbox_missing").integer(report.outbox_missing);
  json.key("violations").begin_array();
  for (const Violation& violation : report.violations) {
    json.begin_object().key("invariant").text(violation.invariant).key("subject").text(violation.subject);
    json.key("count").integer(violation.count).key("detail").text(violation.detail).end_object();
  }
  json.end_array().end_object();
  return response;
}

}  // namespace

std::optional<std::string> path_id(const Exchange& exchange, std::size_t capture) {
  std::optional<std::string> id = percent_decode(exchange.match.captures[capture]);
  if (!id || !is_valid_id(*id)) return std::nullopt;
  return id;
}

Response invalid_path_response(const Exchange& exchange) {
  return problem_response(
      {.code = "invalid_path",
       .detail = "An id in the path is not 1 to 128 bytes of percent-encoded UTF-8 without control "
                 "characters, or a number is not one."},
      exchange.context());
}

Response promotion_not_found_response(const Exchange& exchange, const std::string& promotion) {
  return problem_response({.code = "promotion_not_found",
                           .detail = "There is no promotion with this id.",
                           .figures = {{"promotion_id", promotion}}},
                          exchange.context());
}

std::optional<Response> get_promotion(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange,
             [&exchange, id = *id](Queries& queries) { return promotion_answer(queries, exchange, id); });
}

std::optional<Response> list_promotions(Readers& readers, Exchange& exchange) {
  Query query(exchange.query);
  PromotionsQuery page{.limit = query.limit() + 1};  // One more tells whether there is more.
  const std::optional<std::string> state = query.text("state");
  const std::optional<std::string> cursor = query.text("cursor");
  if (state) {
    page.state = promotion_state_from_string(*state);
    if (!page.state) query.error("state", "must be scheduled, open, paused, closing or closed");
  }
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  const std::string list = "promotions?state=" + state.value_or("");
  if (cursor) {
    const std::optional<std::string> after = decode_cursor(list, *cursor);
    if (!after) return invalid_cursor(exchange);
    page.after_id = *after;
  }
  return ask(readers, exchange,
             [page, list](Queries& queries) { return promotions_answer(queries, page, list); });
}

std::optional<Response> get_entry(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  const std::optional<std::string> user = path_id(exchange, 1);
  if (!promotion || !user) return invalid_path_response(exchange);
  Query query(exchange.query);
  query.wait_seconds();  // Entries are direct: there is never anything to wait for.
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange, [&exchange, promotion = *promotion, user = *user](Queries& queries) {
    return entry_answer(queries, exchange, promotion, user);
  });
}

std::optional<Response> list_entries(Readers& readers, Exchange& exchange) {
  auto page = read_ordinal_page(exchange, "entries");
  if (!page) return std::move(page.error());
  return ask(readers, exchange, [&exchange, page = std::move(*page)](Queries& queries) {
    return entries_answer(queries, exchange, page);
  });
}

std::optional<Response> list_winners(Readers& readers, Exchange& exchange) {
  auto page = read_ordinal_page(exchange, "winners");
  if (!page) return std::move(page.error());
  return ask(readers, exchange, [&exchange, page = std::move(*page)](Queries& queries) {
    return winners_answer(queries, exchange, page);
  });
}

std::optional<Response> audit_promotion(Readers& slow_readers, Turnstile& turnstile, Exchange& exchange) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  const Turnstile::Pass pass = turnstile.enter();
  if (!pass) return busy_response("Another audit is running.", exchange.context());
  return ask(slow_readers, exchange, [&exchange, pass, promotion = *promotion](Queries& queries) {
    return audit_answer(queries, exchange, promotion);
  });
}

}  // namespace hotrow::http
