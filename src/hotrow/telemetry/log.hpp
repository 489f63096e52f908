#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <variant>

namespace hotrow {

/// Lines of JSON on standard error: {"time":...,"level":...,"message":...,<members>}.
/// At info and above no member may name a user: logs travel further than the database. Safe from all threads.
enum class LogLevel : std::uint8_t { debug, info, warn, error };

/// Sets the least level that is written: "debug", "info", "warn" or "error".
void start_logging(std::string_view level);

using LogValue = std::variant<std::string_view, std::int64_t, double>;
using LogMembers = std::initializer_list<std::pair<std::string_view, LogValue>>;

bool is_logged(LogLevel level);

void log(LogLevel level, std::string_view message, LogMembers members = {});

}  // namespace hotrow
