#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/core/command.hpp"
#include "hotrow/http/members.hpp"

namespace hotrow::http {

/// What a command is made of, once path, headers and body were found to be well formed.
struct CommandRequest {
  std::array<std::string, 2> path;  ///< The ids in it, decoded.
  const boost::json::object& body;
  VersionMatch if_version = {};           ///< From If-Match.
  bool only_create = false;               ///< From If-None-Match: *.
  std::string_view actor = {};            ///< Name of the API key.
  std::string_view idempotency_key = {};  ///< Empty: none.
  Rates rates = {};                       ///< Of new listings.
};

/// What a reader makes of it.
struct CommandInput {
  CommandBody body;
  /// Who acts: his idempotency keys are his alone. An owner as text ("player:anna"), so that a player called
  /// "guild:5" and the guild "5" are two.
  std::string principal = {};
};

using CommandReader = Input<CommandInput> (*)(const CommandRequest& request);

std::string player_principal(std::string player);

}  // namespace hotrow::http
