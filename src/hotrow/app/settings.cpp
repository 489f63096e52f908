#include "hotrow/app/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/checked.hpp"

namespace hotrow {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t bps_whole = 10'000;

constexpr std::array settings_table{
    Setting{.name = "listen",
            .field = &Settings::listen,
            .fallback = "127.0.0.1:8080",
            .unit = "address:port",
            .explanation = "Where HTTP is served; port 0 takes a free one."},
    Setting{.name = "database",
            .field = &Settings::database,
            .fallback = "",
            .unit = "sqlite:PATH or postgresql://...",
            .scope = SettingScope::database,
            .explanation = "The database that the rows are kept in."},
    Setting{.name = "database-file",
            .field = &Settings::database_file,
            .fallback = "",
            .unit = "path",
            .scope = SettingScope::database,
            .explanation = "A file with the database's URL, so that no password stands in a process list."},
    Setting{.name = "schema",
            .field = &Settings::schema,
            .fallback = "hotrow",
            .unit = "name",
            .scope = SettingScope::database,
            .explanation = "The PostgreSQL schema with hotrow's tables; one per world."},
    Setting{.name = "prepared",
            .field = &Settings::prepared,
            .fallback = "true",
            .scope = SettingScope::database,
            .explanation = "Prepared statements; false behind a pooler in transaction mode."},
    Setting{.name = "migrate",
            .field = &Settings::migrate,
            .fallback = "false",
            .explanation = "Bring PostgreSQL's schema up to date at the start (SQLite's always is)."},
    Setting{
        .name = "dev",
        .field = &Settings::dev,
        .fallback = "false",
        .explanation = "For one's own machine: no API keys needed on a loopback address, no drain delay."},
    Setting{.name = "sample-data",
            .field = &Settings::sample_data,
            .fallback = "false",
            .explanation = "Create the promotion `launch`, players and listings when they are not there."},
    Setting{.name = "api-keys-file",
            .field = &Settings::api_keys_file,
            .fallback = "",
            .unit = "path",
            .explanation =
                "Who may call: lines `name role sha256`, read again on SIGHUP (see `hotrow key hash`)."},
    Setting{.name = "server-name",
            .field = &Settings::server_name,
            .fallback = "",
            .unit = "name",
            .explanation = "Kept with each winner; empty takes the host's name."},
    Setting{.name = "io-threads",
            .field = &Settings::io_threads,
            .fallback = "1",
            .least = 1,
            .most = 64,
            .unit = "threads",
            .explanation = "Threads that read requests and write answers."},
    Setting{.name = "lanes",
            .field = &Settings::lanes,
            .fallback = "4",
            .least = 1,
            .most = 64,
            .unit = "writing connections",
            .explanation = "How many batches can be under way at once; SQLite has one writer."},
    Setting{.name = "readers",
            .field = &Settings::readers,
            .fallback = "2",
            .least = 1,
            .most = 64,
            .unit = "reading connections",
            .explanation = "Connections for lookups, lists, feeds and audits."},
    Setting{.name = "queue-max",
            .field = &Settings::queue_max,
            .fallback = "50000",
            .least = 1,
            .most = 10'000'000,
            .unit = "rows per lane",
            .explanation = "When more than these wait to be written, newcomers are told `busy`."},
    Setting{.name = "bid-window-ms",
            .field = &Settings::bid_window_ms,
            .fallback = "0",
            .least = 0,
            .most = 5'000,
            .unit = "milliseconds",
            .explanation =
                "Bids on one listing that reach this server within such a time are decided highest first; "
                "no window reaches into a listing's last window and 50 ms."},
    Setting{.name = "batch-weight-max",
            .field = &Settings::batch_weight_max,
            .fallback = "4096",
            .least = 1,
            .most = 1'000'000,
            .unit = "rows",
            .explanation = "The most rows that one transaction writes."},
    Setting{.name = "isolation",
            .field = &Settings::isolation,
            .fallback = "read-committed",
            .allowed = "read-committed|serializable",
            .unit = "read-committed or serializable",
            .explanation = "Serializable only when transactions of your own write the same tables."},
    Setting{.name = "connections-max",
            .field = &Settings::connections_max,
            .fallback = "20000",
            .least = 1,
            .most = 1'000'000,
            .unit = "connections",
            .explanation = "More clients than these are turned away."},
    Setting{.name = "request-timeout",
            .field = &Settings::request_timeout,
            .fallback = "10s",
            .least = 10,
            .most = 10 * minute_ms,
            .unit = "duration",
            .explanation = "A request not decided by then is told `busy`."},
    Setting{.name = "read-timeout",
            .field = &Settings::read_timeout,
            .fallback = "15s",
            .least = 10,
            .most = 10 * minute_ms,
            .unit = "duration",
            .explanation = "The longest that a client may take to send one request."},
    Setting{.name = "idle-timeout",
            .field = &Settings::idle_timeout,
            .fallback = "75s",
            .least = 10,
            .most = hour_ms,
            .unit = "duration",
            .explanation = "A connection without a request is closed after this."},
    Setting{.name = "drain-delay",
            .field = &Settings::drain_delay,
            .fallback = "3s",
            .least = 0,
            .most = 8'000,
            .unit = "duration",
            .explanation = "From not ready to not listening, for load balancers to notice; 0s with dev."},
    Setting{.name = "answer-retention-days",
            .field = &Settings::answer_retention_days,
            .fallback = "7",
            .least = 7,
            .most = 98,
            .unit = "days",
            .explanation = "How long an answer can be told again under its idempotency key, at least."},
    Setting{.name = "deposit-bps",
            .field = &Settings::deposit_bps,
            .fallback = "100",
            .least = 0,
            .most = bps_whole,
            .unit = "hundredths of a percent",
            .explanation = "Of the start price, held from the seller of a new listing; at most cut-bps."},
    Setting{.name = "deposit-min",
            .field = &Settings::deposit_min,
            .fallback = "1",
            .least = 0,
            .most = integer_max,
            .unit = "minor units",
            .explanation = "The least that is held from the seller of a new listing; at most cut-min."},
    Setting{.name = "cut-bps",
            .field = &Settings::cut_bps,
            .fallback = "500",
            .least = 0,
            .most = bps_whole,
            .unit = "hundredths of a percent",
            .explanation = "Of the price, kept by the house when a new listing sells."},
    Setting{.name = "cut-min",
            .field = &Settings::cut_min,
            .fallback = "1",
            .least = 0,
            .most = integer_max,
            .unit = "minor units",
            .explanation = "The least that the house keeps of a sale, though never more than the price."},
    Setting{.name = "log-level",
            .field = &Settings::log_level,
            .fallback = "info",
            .allowed = "debug|info|warn|error",
            .unit = "debug, info, warn or error",
            .explanation = "What is written to standard error, as JSON lines."},
};

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool is_allowed(std::string_view allowed, std::string_view text) {
  if (allowed.empty()) return true;
  while (true) {
    const std::size_t bar = allowed.find('|');
    if (allowed.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    allowed.remove_prefix(bar + 1);
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> outside(const Setting& setting, std::int64_t value, std::string_view unit) {
  if (value >= setting.least && value <= setting.most) return std::nullopt;
  return "must lie between " + std::to_string(setting.least) + " and " + std::to_string(setting.most) +
         std::string(unit);
}

bool is_one_of(std::span<const std::string_view> words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<std::string> assign_text(std::string& field, const Setting& setting, std::string_view text) {
  if (!is_allowed(setting.allowed, text)) return quoted(text) + " is not " + std::string(setting.unit);
  field = text;
  return std::nullopt;
}

std::optional<std::string> assign_flag(bool& field, std::string_view text) {
  constexpr std::array<std::string_view, 4> on{"true", "1", "yes", "on"};
  constexpr std::array<std::string_view, 4> off{"false", "0", "no", "off"};
  if (!is_one_of(on, text) && !is_one_of(off, text)) return quoted(text) + " is neither true nor false";
  field = is_one_of(on, text);
  return std::nullopt;
}

std::optional<std::string> assign_integer(std::int64_t& field, const Setting& setting,
                                          std::string_view text) {
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value) return quoted(text) + " is not an integer";
  if (auto fault = outside(setting, *value, "")) return fault;
  field = *value;
  return std::nullopt;
}

std::optional<std::string> assign_duration(std::chrono::milliseconds& field, const Setting& setting,
                                           std::string_view text) {
  const std::optional<std::chrono::milliseconds> value = parse_duration(text);
  if (!value) return quoted(text) + " is not a duration such as 250ms, 3s, 5min, 2h or 7d";
  if (auto fault = outside(setting, value->count(), " ms")) return fault;
  field = *value;
  return std::nullopt;
}

/// The value as TOML writes it.
std::string toml_value(const Setting& setting) {
  const bool bare = std::holds_alternative<bool Settings::*>(setting.field) ||
                    std::holds_alternative<std::int64_t Settings::*>(setting.field);
  return bare ? std::string(setting.fallback) : quoted(setting.fallback);
}

/// What can stand there: "threads, 1 to 64".
std::string values(const Setting& setting) {
  std::string text(setting.unit.empty() ? type_name(setting) : setting.unit);
  if (std::holds_alternative<std::int64_t Settings::*>(setting.field)) {
    text += ", " + std::to_string(setting.least) + " to " + std::to_string(setting.most);
  }
  return text;
}

}  // namespace

std::span<const Setting> all_settings() { return settings_table; }

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(settings_table, name, &Setting::name);
  return found == settings_table.end() ? nullptr : &*found;
}

std::string_view type_name(const Setting& setting) {
  constexpr std::array<std::string_view, 4> names{"text", "true or false", "integer", "duration"};
  return names.at(setting.field.index());
}

std::string environment_name(const Setting& setting) {
  std::string name = "HOTROW_";
  for (const char c : setting.name) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::optional<std::string> assign(Settings& settings, const Setting& setting, std::string_view text) {
  struct Visitor {
    Settings& settings;
    const Setting& setting;
    std::string_view text;
    using Fault = std::optional<std::string>;
    Fault operator()(std::string Settings::* field) const {
      return assign_text(settings.*field, setting, text);
    }
    Fault operator()(bool Settings::* field) const { return assign_flag(settings.*field, text); }
    Fault operator()(std::int64_t Settings::* field) const {
      return assign_integer(settings.*field, setting, text);
    }
    Fault operator()(std::chrono::milliseconds Settings::* field) const {
      return assign_duration(settings.*field, setting, text);
    }
  };
  return std::visit(Visitor{settings, setting, text}, setting.field);
}

Settings default_settings() {
  Settings settings;
  for (const Setting& setting : settings_table) {
    const std::optional<std::string> fault = assign(settings, setting, setting.fallback);
    HOTROW_ASSERT(!fault);
  }
  return settings;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{
      {{"ms", 1}, {"s", 1000}, {"min", minute_ms}, {"h", hour_ms}, {"d", 24 * hour_ms}}};
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || digits > 9) return std::nullopt;
  const auto unit =
      std::ranges::find(units, text.substr(digits), &std::pair<std::string_view, std::int64_t>::first);
  if (unit == units.end()) return std::nullopt;
  return std::chrono::milliseconds(*parse_integer(text.substr(0, digits)) * unit->second);
}

std::string settings_file() {
  std::string text =
      "# Every setting of `hotrow serve` with its default. Take this file with --config or HOTROW_CONFIG.\n"
      "# A flag (--drain-delay 5s) wins over the environment (HOTROW_DRAIN_DELAY), that over this file.\n"
      "# `hotrow settings` prints it.\n";
  for (const Setting& setting : settings_table) {
    text += "\n# " + std::string(setting.explanation) + "\n# (" + values(setting) + ")\n";
    text += "#" + std::string(setting.name) + " = " + toml_value(setting) + "\n";
  }
  return text;
}

}  // namespace hotrow
