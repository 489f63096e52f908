#pragma once

#include <boost/json/object.hpp>

namespace hotrow::http {

/// The shapes of bodies, by name, in JSON Schema as OpenAPI 3.1 uses it.
boost::json::object openapi_schemas();

}  // namespace hotrow::http
