#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hotrow/http/routes.hpp"

namespace hotrow::http {

struct OperationParameter {
  std::string_view name;
  std::string_view in;      ///< "query" or "header".
  std::string_view schema;  ///< JSON.
  std::string_view description;
  bool required = false;
};

/// Those that many operations have.
namespace parameter {
inline constexpr OperationParameter limit{
    "limit", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":50})", "Items on a page."};
inline constexpr OperationParameter cursor{"cursor", "query", R"({"type":"string"})",
                                           "next_cursor of the page before, with the same filters."};
inline constexpr OperationParameter if_match{"If-Match", "header", R"({"type":"string"})",
                                             "ETags that you accept, or *: 412 when none of them holds."};
inline constexpr OperationParameter if_none_match{"If-None-Match", "header", R"({"type":"string"})",
                                                  "An ETag that you have: 304 while it holds."};
inline constexpr OperationParameter only_create{"If-None-Match", "header", R"({"type":"string","const":"*"})",
                                                "Only create: 412 when it exists."};
inline constexpr OperationParameter last_event_id{"Last-Event-ID", "header",
                                                  R"({"type":"integer","minimum":0})",
                                                  "Tell again what came behind this event."};
}  // namespace parameter

struct OperationSuccess {
  int status;
  std::string_view media_type;
  std::string_view schema;  ///< Name of a schema; empty for plain text.
  std::string_view description;
};

/// What the tables of routes and commands do not say of an operation.
struct OperationText {
  std::string_view description = {};
  std::string_view body = {};  ///< Name of the body's schema.
  std::vector<OperationParameter> parameters = {};
  std::vector<OperationSuccess> successes = {};
  std::vector<std::string_view> problems = {};  ///< Beyond those that every call of its kind may meet.
};

OperationText operation_text(Endpoint endpoint);

/// Of the auction's operations; nullopt for any other.
std::optional<OperationText> market_operation_text(Endpoint endpoint);

}  // namespace hotrow::http
