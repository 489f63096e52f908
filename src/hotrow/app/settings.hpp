#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace hotrow {

/// What an operator can set, with its type. A value. The defaults stand in the table below, not here.
struct Settings {
  std::string listen;
  std::string database;
  std::string database_file;
  std::string schema;
  bool prepared = false;
  bool migrate = false;
  bool dev = false;
  bool sample_data = false;
  std::string api_keys_file;
  std::string server_name;
  std::int64_t io_threads = 0;
  std::int64_t lanes = 0;
  std::int64_t readers = 0;
  std::int64_t queue_max = 0;
  std::int64_t bid_window_ms = 0;
  std::int64_t batch_weight_max = 0;
  std::string isolation;
  std::int64_t connections_max = 0;
  std::chrono::milliseconds request_timeout{};
  std::chrono::milliseconds read_timeout{};
  std::chrono::milliseconds idle_timeout{};
  std::chrono::milliseconds drain_delay{};
  std::int64_t answer_retention_days = 0;
  std::int64_t deposit_bps = 0;
  std::int64_t deposit_min = 0;
  std::int64_t cut_bps = 0;
  std::int64_t cut_min = 0;
  std::string log_level;

  std::set<std::string, std::less<>> given;  ///< Names that did not come from the defaults.
};

/// Which commands take a setting.
enum class SettingScope : std::uint8_t {
  database,  ///< Everything that opens the database itself.
  serve,     ///< Only the server.
};

using SettingField = std::variant<std::string Settings::*, bool Settings::*, std::int64_t Settings::*,
                                  std::chrono::milliseconds Settings::*>;

/// One setting. It is the flag --<name>, the variable HOTROW_<NAME> and the key <name> of the file.
struct Setting {
  std::string_view name;
  SettingField field;
  std::string_view fallback;  ///< The default, as one would write it.
  std::string_view allowed;   ///< Of texts: "a|b|c", or empty for any.
  std::int64_t least = 0;     ///< Of integers, and of durations in milliseconds.
  std::int64_t most = 0;
  std::string_view unit;
  SettingScope scope = SettingScope::serve;
  std::string_view explanation;  ///< One sentence.
};

/// The one table behind flags, environment, file, --help and conf/hotrow.toml.
std::span<const Setting> all_settings();

const Setting* find_setting(std::string_view name);

/// "text", "true or false", "integer" or "duration".
std::string_view type_name(const Setting& setting);

/// "HOTROW_DRAIN_DELAY".
std::string environment_name(const Setting& setting);

/// Sets one field from text. nullopt when that went well, else what is wrong, in words for the operator.
std::optional<std::string> assign(Settings& settings, const Setting& setting, std::string_view text);

/// All defaults.
Settings default_settings();

/// "250ms", "3s", "5min", "2h", "7d". A bare number is refused: nobody should have to guess its unit.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The table as a commented TOML file: what conf/hotrow.toml contains.
std::string settings_file();

}  // namespace hotrow
