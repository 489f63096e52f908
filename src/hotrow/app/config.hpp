#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "hotrow/app/settings.hpp"
#include "hotrow/core/listing_row.hpp"

namespace hotrow {

/// Setting names with values as text, of one source.
using SettingTexts = std::map<std::string, std::string, std::less<>>;

/// Everything wrong with the configuration, one line each: an operator wants to mend it in one go.
using Faults = std::vector<std::string>;

/// Looks up a variable of the environment.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// This process's own environment.
Environment process_environment();

/// The names of all variables of this process's own environment.
std::vector<std::string> process_variables();

/// Variables that look like settings and are none, each with the setting that was probably meant. What other
/// commands and the project's scripts read is known, and so is what a cluster makes of a service "hotrow".
Faults unknown_variables(std::span<const std::string> names);

/// Reads the keys of a TOML text into `out`. `origin` names the file in faults.
Faults read_settings_file(std::string_view text, const std::string& origin, SettingTexts& out);

/// Flags over environment over file over defaults. The file is the one named by --config or HOTROW_CONFIG.
tl::expected<Settings, Faults> load_settings(const SettingTexts& flags, const std::string& config_flag,
                                             const Environment& environment);

/// What contradicts itself or is missing for `serve`.
Faults check_for_serving(const Settings& settings);

/// What the house takes of listings made from now on.
Rates listing_rates(const Settings& settings);

/// "127.0.0.1:8080" or "[::1]:8080".
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
  bool loopback = false;
};
std::optional<ListenAddress> parse_listen(std::string_view text);

/// Whether it is of a kind that hotrow knows.
bool is_database_url(std::string_view url);
inline constexpr const char* database_url_wanted = "sqlite:PATH or postgresql://... is wanted";

/// The database's URL, from `database` or from the file that `database_file` names.
tl::expected<std::string, Faults> database_url(const Settings& settings);

}  // namespace hotrow
