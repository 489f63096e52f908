#pragma once

#include "hotrow/http/command_request.hpp"
#include "hotrow/http/routes.hpp"

namespace hotrow::http {

/// Idempotency-Key on a call.
enum class KeyUse : std::uint8_t {
  ignored,   ///< PUT repeats harmlessly by itself.
  optional,  ///< Honoured when it is there.
  required,
};

enum class BodyUse : std::uint8_t { required, optional };

/// A call that changes something. A new one is a route, a reader and a row in this table.
struct CommandKind {
  Endpoint endpoint;
  KeyUse key;
  CommandReader read;
  BodyUse body = BodyUse::required;
};

/// nullptr for an endpoint that only answers questions.
const CommandKind* find_command_kind(Endpoint endpoint);

}  // namespace hotrow::http
