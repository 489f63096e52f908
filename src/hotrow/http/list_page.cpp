#include "hotrow/http/list_page.hpp"

namespace hotrow::http {

std::optional<Response> ListPage::bind(Query& query, const std::string& list, const Exchange& exchange) {
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  list_ = std::string(exchange.store) + "/" + list;
  if (!cursor_) return std::nullopt;
  after_ = decode_cursor(list_, *cursor_);
  if (!after_) return invalid_cursor_response(exchange);
  return std::nullopt;
}

std::optional<Response> ListPage::bind_numbers(Query& query, const std::string& list,
                                               const Exchange& exchange) {
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  list_ = std::string(exchange.store) + "/" + list;
  if (!cursor_) return std::nullopt;
  const std::optional<std::int64_t> number = decode_number_cursor(list_, *cursor_);
  if (!number) return invalid_cursor_response(exchange);
  after_number_ = *number;
  return std::nullopt;
}

Response invalid_cursor_response(const Exchange& exchange) {
  return problem_response(
      {.code = "invalid_cursor", .detail = "The cursor was not made by this list with these filters."},
      exchange.context());
}

}  // namespace hotrow::http
