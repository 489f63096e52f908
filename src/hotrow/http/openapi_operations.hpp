#pragma once

#include <string_view>
#include <vector>

#include "hotrow/http/routes.hpp"

namespace hotrow::http {

struct OperationParameter {
  std::string_view name;
  std::string_view in;      ///< "query" or "header".
  std::string_view schema;  ///< JSON.
  std::string_view description;
};

struct OperationSuccess {
  int status;
  std::string_view media_type;
  std::string_view schema;  ///< Name of a schema; empty for plain text.
  std::string_view description;
};

/// What the route table does not say of an operation.
struct OperationText {
  std::string_view description = {};
  std::string_view body = {};  ///< Name of the body's schema.
  std::vector<OperationParameter> parameters = {};
  std::vector<OperationSuccess> successes = {};
  std::vector<std::string_view> problems = {};  ///< Beyond those that every call of its kind may meet.
};

OperationText operation_text(Endpoint endpoint);

}  // namespace hotrow::http
