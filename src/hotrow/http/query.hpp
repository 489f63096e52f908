#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotrow/http/members.hpp"
#include "hotrow/http/problem.hpp"
#include "hotrow/http/target.hpp"

namespace hotrow::http {

inline constexpr std::int64_t list_limit_default = 50;
inline constexpr std::int64_t list_limit_max = 1000;
inline constexpr std::int64_t wait_seconds_max = 30;

/// Takes parameters out of a query string; what nobody took is unknown and an error, because a misspelt
/// filter must not become "no filter".
class Query {
 public:
  explicit Query(std::string_view text);

  std::optional<std::string> text(std::string_view name);
  std::int64_t integer_or(std::string_view name, std::int64_t absent, const IntegerRange& range);
  std::optional<std::int64_t> integer(std::string_view name, const IntegerRange& range = {});
  /// "gold" when it is absent.
  std::string currency();
  std::size_t limit() {
    return std::size_t(integer_or("limit", list_limit_default, {.min = 1, .max = list_limit_max}));
  }
  std::int64_t wait_seconds() { return integer_or("wait_s", 0, {.min = 0, .max = wait_seconds_max}); }

  void error(std::string_view name, std::string message) {
    errors_.add(std::string(name), std::move(message));
  }

  /// Call it last: what is wrong with the query, if anything.
  std::optional<Problem> problem();

 private:
  QueryParameters parameters_;
  std::vector<std::string_view> asked_;
  FieldErrors errors_;
};

/// Decimal digits only; nullopt for anything else and for what does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace hotrow::http
