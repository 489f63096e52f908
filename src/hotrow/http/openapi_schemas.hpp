#pragma once

#include <boost/json/object.hpp>
#include <string_view>

namespace hotrow::http {

/// The shapes of bodies, by name, in JSON Schema as OpenAPI 3.1 uses it.
boost::json::object openapi_schemas();

/// Those of the auction, as text with pieces (schema_pieces.hpp).
std::string_view market_schema_texts();

}  // namespace hotrow::http
