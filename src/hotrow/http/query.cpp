#include "hotrow/http/query.hpp"

#include <algorithm>
#include <charconv>

namespace hotrow::http {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || text.starts_with('-')) return std::nullopt;
  return number;
}

Query::Query(std::string_view text) {
  std::optional<QueryParameters> parameters = parse_query(text);
  if (parameters) {
    parameters_ = std::move(*parameters);
  } else {
    error("", "the query is not percent-encoded UTF-8");
  }
}

std::optional<std::string> Query::text(std::string_view name) {
  asked_.push_back(name);
  const auto named = [name](const auto& parameter) { return parameter.first == name; };
  const auto found = std::ranges::find_if(parameters_, named);
  if (found == parameters_.end()) return std::nullopt;
  if (std::ranges::count_if(parameters_, named) > 1) error(name, "stands there twice");
  return found->second;
}

std::optional<std::int64_t> Query::integer(std::string_view name, const IntegerRange& range) {
  const std::optional<std::string> value = text(name);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(*value);
  if (number && *number >= range.min && *number <= range.max) return number;
  error(name, "must be an integer from " + std::to_string(range.min) + " to " + std::to_string(range.max));
  return std::nullopt;
}

std::int64_t Query::integer_or(std::string_view name, std::int64_t absent, const IntegerRange& range) {
  return integer(name, range).value_or(absent);
}

std::string Query::currency() {
  std::optional<std::string> value = text("currency");
  if (!value) return std::string(default_currency);
  if (!is_currency(*value)) error("currency", std::string(not_a_currency));
  return std::move(*value);
}

std::optional<Problem> Query::problem() {
  for (const auto& [name, value] : parameters_) {
    if (std::ranges::find(asked_, name) == asked_.end()) error(name, "is not a known parameter");
  }
  if (errors_.empty()) return std::nullopt;
  return Problem{.code = "invalid_query",
                 .detail = "The query string has parameters that are not right.",
                 .errors = errors_.take()};
}

}  // namespace hotrow::http
