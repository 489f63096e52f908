#pragma once

#include <optional>

#include "hotrow/http/exchange.hpp"

// What the server says about itself. Pure.
namespace hotrow::http {

/// /problems/<code>, as HTML for browsers and as JSON for others.
Response problem_page(const Exchange& exchange);

/// /schemas/<type>/1
Response event_schema(const Exchange& exchange);

/// A page that names the API.
Response root_page();

}  // namespace hotrow::http
