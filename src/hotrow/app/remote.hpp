#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "hotrow/app/commands.hpp"
#include "hotrow/app/http_client.hpp"

namespace hotrow {

/// A client for the server that the flags name; nullopt, with the reason on standard error, when they name
/// none.
std::optional<HttpClient> open_remote(const RemoteOptions& remote);

/// Prints an answer's JSON, indented, on standard output; a problem or a failure on standard error.
int print_answer(const Result<HttpAnswer>& answer);

/// Indented by two blanks a level.
std::string pretty(const boost::json::value& value);

}  // namespace hotrow
