#include "hotrow/http/questions.hpp"

#include <algorithm>

#include "hotrow/base/utf8.hpp"
#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/http/list_page.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "hotrow/http/promotion_reading.hpp"
#include "hotrow/http/query.hpp"

namespace hotrow::http {
namespace {

Response not_found(const Exchange& exchange, std::string_view code, std::string detail) {
  return problem_response({.code = code, .detail = std::move(detail)}, exchange.context());
}

/// A page of a promotion's rows by ordinal.
struct OrdinalPage {
  std::string promotion;
  ListPage page;
};

/// Reads what every list below a promotion takes from its request; the answer when something is wrong.
tl::expected<OrdinalPage, Response> read_ordinal_page(const Exchange& exchange, std::string_view name) {
  std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return tl::unexpected(invalid_path_response(exchange));
  Query query(exchange.query);
  OrdinalPage below{.promotion = std::move(*promotion), .page = ListPage(query)};
  const std::string list = std::string(name) + "/" + below.promotion;
  if (auto refusal = below.page.bind_numbers(query, list, exchange))
    return tl::unexpected(std::move(*refusal));
  return below;
}

constexpr auto ordinal_of = [](const auto& row) { return row.ordinal; };

Result<Response> promotion_answer(Queries& queries, const Exchange& exchange, const std::string& id) {
  Result<std::optional<PromotionReading>> reading = read_promotion_state(queries, id);
  if (!reading) return failure(std::move(reading.error()));
  if (!*reading) return promotion_not_found_response(exchange, id);
  Response response{.headers = state_lines((*reading)->row.version), .version = (*reading)->row.version};
  JsonWriter json(response.body);
  write_promotion(json, (*reading)->view());
  return response;
}

Result<Response> promotions_answer(Queries& queries, const PromotionsQuery& query, const ListPage& page) {
  PromotionsQuery with_now = query;
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  with_now.now = *now;
  Result<std::vector<PromotionRow>> rows = queries.promotions(with_now);
  if (!rows) return failure(std::move(rows.error()));
  const auto next_cursor = page.take_next_cursor(*rows, [](const PromotionRow& row) { return row.id; });
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

Result<Response> entries_answer(Queries& queries, const Exchange& exchange, const OrdinalPage& below) {
  Result<std::vector<EntryRow>> rows =
      queries.entries(below.promotion, below.page.after_number(), below.page.read_limit());
  if (!rows) return failure(std::move(rows.error()));
  Result<std::optional<PromotionRow>> row = queries.promotion(below.promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, below.promotion);
  const auto next_cursor = below.page.take_next_cursor(*rows, ordinal_of);
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const EntryRow& entry : *rows) write_entry_item(json, entry, (*row)->settings->rule);
  });
  return response;
}

Result<Response> winners_answer(Queries& queries, const Exchange& exchange, const OrdinalPage& below) {
  Result<std::optional<PromotionRow>> row = queries.promotion(below.promotion);
  if (!row) return failure(std::move(row.error()));
  if (!*row) return promotion_not_found_response(exchange, below.promotion);
  Result<std::vector<WinnerRow>> rows =
      queries.winners(below.promotion, below.page.after_number(), below.page.read_limit());
  if (!rows) return failure(std::move(rows.error()));
  const auto next_cursor = below.page.take_next_cursor(*rows, ordinal_of);
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
  ListPage page(query);
  PromotionsQuery asked{.limit = page.read_limit()};
  const std::optional<std::string> state = query.text("state");
  if (state) {
    asked.state = promotion_state_from_string(*state);
    if (!asked.state) query.error("state", "must be scheduled, open, paused, closing or closed");
  }
  if (auto refusal = page.bind(query, "promotions?state=" + state.value_or(""), exchange)) return refusal;
  asked.after_id = page.after_id();
  return ask(readers, exchange,
             [asked, page](Queries& queries) { return promotions_answer(queries, asked, page); });
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
  auto below = read_ordinal_page(exchange, "entries");
  if (!below) return std::move(below.error());
  return ask(readers, exchange, [&exchange, below = std::move(*below)](Queries& queries) {
    return entries_answer(queries, exchange, below);
  });
}

std::optional<Response> list_winners(Readers& readers, Exchange& exchange) {
  auto below = read_ordinal_page(exchange, "winners");
  if (!below) return std::move(below.error());
  return ask(readers, exchange, [&exchange, below = std::move(*below)](Queries& queries) {
    return winners_answer(queries, exchange, below);
  });
}

std::optional<Response> audit_promotion(Readers& slow_readers, Turnstile& turnstile, Exchange& exchange) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  Turnstile::Pass pass = turnstile.enter();
  if (!pass) return busy_response("Another audit is running.", exchange.context());
  return ask(slow_readers, exchange,
             [&exchange, pass = std::move(pass), promotion = *promotion](Queries& queries) mutable {
               Result<Response> response = audit_answer(queries, exchange, promotion);
               pass.reset();  // Before the answer: who has it may ask again.
               return response;
             });
}

}  // namespace hotrow::http
