#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotrow/core/outcome.hpp"

namespace hotrow::http {

/// What a code means, wherever it turns up: in answers, at /problems/<code> and in the OpenAPI document.
struct ProblemKind {
  std::string_view code;
  int status;
  bool retryable;  ///< The same request may succeed later, unchanged.
  std::string_view title;
  std::string_view explanation;  ///< For the reader of /problems/<code>: why, and what to do.
};

/// All codes, in the order of their status.
std::span<const ProblemKind> problem_kinds();

/// nullptr for a code that is not in the table.
const ProblemKind* find_problem_kind(std::string_view code);

/// "promotion_not_found" as it stands in paths: "promotion-not-found".
std::string with_hyphens(std::string_view code);

/// A "no" of the HTTP layer itself or of a rule, as problem+json tells it (RFC 9457).
struct Problem {
  std::string_view code;  ///< A literal from the table.
  std::string detail;
  std::vector<std::pair<std::string, Figure>> figures = {};
  std::vector<FieldError> errors = {};
  std::shared_ptr<const PresentState> current = nullptr;
  std::string request_id = {};  ///< Empty: the one of the request that is answered.
};

Problem to_problem(const Rejection& rejection);

/// What its ETag says.
std::int64_t version_of(const PresentState& state);

class JsonWriter;

/// The problem as a JSON object. A pure function of its arguments.
void write_problem(JsonWriter& json, const Problem& problem, std::string_view request_id);

}  // namespace hotrow::http
