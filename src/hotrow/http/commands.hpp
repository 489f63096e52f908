#pragma once

#include <optional>

#include "hotrow/http/command_table.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/server.hpp"

// The calls that change something: from a request to a command for the engine. Safe from all threads.
namespace hotrow::http {

/// Where commands go, and what every one of them carries.
struct CommandDesk {
  Engine& engine;
  Readers& readers;
  std::string server_name;
  std::chrono::milliseconds deadline;
  Rates rates;
};

/// Answers at once when the request is not right; else submits it, and the engine answers the exchange.
std::optional<Response> take_command(const CommandDesk& desk, const CommandKind& kind, Exchange& exchange);

}  // namespace hotrow::http
