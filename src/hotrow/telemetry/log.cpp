#include "hotrow/telemetry/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

namespace hotrow {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warn: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view name_of(LogLevel level) {
  constexpr std::array<std::string_view, 4> names{"debug", "info", "warn", "error"};
  return names.at(static_cast<std::size_t>(level));
}

/// The members of one line follow the pattern's own, so the pattern is an object left open.
std::shared_ptr<spdlog::logger> make_logger() {
  auto logger = std::make_shared<spdlog::logger>("hotrow", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ",%v})", spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = make_logger();
  return *instance;
}

/// Bytes that are no UTF-8 pass through: a line with a broken text is better than a lost line.
std::string to_json_text(const LogValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return boost::json::serialize(boost::json::string_view(text->data(), text->size()));
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return boost::json::serialize(boost::json::value(std::get<double>(value)));
}

}  // namespace

void start_logging(std::string_view level) {
  logger().set_level(spdlog::level::from_str(std::string(level)));
}

bool is_logged(LogLevel level) { return logger().should_log(to_spdlog(level)); }

void log(LogLevel level, std::string_view message, LogMembers members) {
  if (!is_logged(level)) return;
  std::string line = "\"level\":\"" + std::string(name_of(level)) + "\",\"message\":" + to_json_text(message);
  for (const auto& [name, value] : members) {
    line += ",\"" + std::string(name) + "\":" + to_json_text(value);
  }
  logger().log(to_spdlog(level), "{}", line);
}

}  // namespace hotrow
