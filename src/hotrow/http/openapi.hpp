#pragma once

#include <string>
#include <string_view>

namespace hotrow::http {

/// The contract as an OpenAPI 3.1 document in JSON, made from the route and problem tables, so that neither
/// can be forgotten in it. docs/openapi.json is what this gives for the version "0.1.0".
std::string openapi_document(std::string_view version);

}  // namespace hotrow::http
