#include "hotrow/app/config.hpp"

#include <toml++/toml.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <utility>

#include "hotrow/core/fees.hpp"

namespace hotrow {
namespace {

std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return std::nullopt;
  return text.str();
}

std::optional<std::string> as_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  return std::nullopt;
}

std::string place(const std::string& origin, const toml::source_region& region) {
  return origin + ":" + std::to_string(region.begin.line) + ": ";
}

void read_key(std::string_view name, const toml::node& node, const std::string& origin, SettingTexts& out,
              Faults& faults) {
  const std::string where = place(origin, node.source());
  if (find_setting(name) == nullptr) {
    faults.push_back(where + "no setting is called " + std::string(name));
  } else if (auto text = as_text(node)) {
    out[std::string(name)] = std::move(*text);
  } else {
    faults.push_back(where + std::string(name) + ": a text, an integer, true or false is wanted");
  }
}

SettingTexts from_environment(const Environment& environment) {
  SettingTexts texts;
  for (const Setting& setting : all_settings()) {
    if (auto text = environment(environment_name(setting))) texts[std::string(setting.name)] = *text;
  }
  return texts;
}

void apply(Settings& settings, const SettingTexts& texts, const std::string& origin, Faults& faults) {
  for (const auto& [name, text] : texts) {
    const Setting* setting = find_setting(name);
    if (setting == nullptr) {
      faults.push_back(origin + name + ": there is no such setting");
    } else if (auto fault = assign(settings, *setting, text)) {
      faults.push_back(origin + name + ": " + *fault);
    } else {
      settings.given.insert(name);
    }
  }
}

/// A layer above names the database by one setting: the layers below must not name another by the other one.
void prefer_database_of_highest_layer(const std::vector<const SettingTexts*>& highest_first,
                                      Settings& settings) {
  for (const SettingTexts* layer : highest_first) {
    const bool url = layer->contains("database");
    const bool file = layer->contains("database-file");
    if (url && !file) settings.database_file.clear();
    if (file && !url) settings.database.clear();
    if (url || file) return;
  }
}

/// Variables that are not settings of the server.
bool is_other_variable(std::string_view name) {
  constexpr std::array<std::string_view, 4> others{"HOTROW_CONFIG", "HOTROW_URL", "HOTROW_API_KEY",
                                                   "HOTROW_PG_BIN"};
  if (std::ranges::find(others, name) != others.end() || name.starts_with("HOTROW_SOAK_")) return true;
  // Kubernetes and Docker tell of their services like this: HOTROW_SERVICE_HOST, HOTROW_PORT_8080_TCP.
  return name.find("_SERVICE_") != std::string_view::npos || name.find("_PORT_") != std::string_view::npos ||
         name.ends_with("_PORT");
}

/// How many letters must be put in, left out or changed.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest_variable(std::string_view name) {
  const Setting& nearest = *std::ranges::min_element(all_settings(), {}, [&](const Setting& setting) {
    return letters_apart(name, environment_name(setting));
  });
  return environment_name(nearest);
}

/// PostgreSQL cuts a longer name silently, and one with other letters would have to be quoted everywhere.
bool is_schema_name(std::string_view name) {
  constexpr std::size_t length_max = 63;
  const auto begins = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto goes_on = [&](char c) { return begins(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= length_max && begins(name.front()) &&
         std::ranges::all_of(name, goes_on);
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool has_line_or_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return true;
  }
  return false;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::vector<std::string> process_variables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

Faults unknown_variables(std::span<const std::string> names) {
  Faults faults;
  for (const std::string& name : names) {
    const auto means = [&](const Setting& setting) { return environment_name(setting) == name; };
    if (!name.starts_with("HOTROW_") || is_other_variable(name)) continue;
    if (std::ranges::any_of(all_settings(), means)) continue;
    faults.push_back("environment: no setting is called " + name + "; is " + nearest_variable(name) +
                     " meant?");
  }
  return faults;
}

Faults read_settings_file(std::string_view text, const std::string& origin, SettingTexts& out) {
  Faults faults;
  try {
    const toml::table table = toml::parse(text, std::string_view(origin));
    for (const auto& [key, node] : table) read_key(key.str(), node, origin, out, faults);
  } catch (const toml::parse_error& error) {
    faults.push_back(place(origin, error.source()) + std::string(error.description()));
  }
  return faults;
}

tl::expected<Settings, Faults> load_settings(const SettingTexts& flags, const std::string& config_flag,
                                             const Environment& environment) {
  Faults faults;
  SettingTexts file;
  const std::string path =
      !config_flag.empty() ? config_flag : environment("HOTROW_CONFIG").value_or(std::string());
  if (!path.empty()) {
    const std::optional<std::string> text = read_file(path);
    if (text) {
      faults = read_settings_file(*text, path, file);
    } else {
      faults.push_back("config: " + path + " cannot be read");
    }
  }
  const SettingTexts variables = from_environment(environment);

  Settings settings = default_settings();
  apply(settings, file, path + ": ", faults);
  apply(settings, variables, "environment: ", faults);
  apply(settings, flags, "--", faults);
  prefer_database_of_highest_layer({&flags, &variables, &file}, settings);
  if (!is_schema_name(settings.schema)) {
    faults.push_back("schema: \"" + settings.schema + "\" is not [a-z_][a-z0-9_]* of at most 63 letters");
  }
  if (settings.dev && !settings.given.contains("drain-delay")) settings.drain_delay = {};
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return settings;
}

Faults check_for_serving(const Settings& settings) {
  Faults faults;
  if (auto url = database_url(settings); !url) {
    faults.insert(faults.end(), url.error().begin(), url.error().end());
  } else if (!is_database_url(*url)) {
    faults.push_back(std::string("database: ") + database_url_wanted);
  }
  const std::optional<ListenAddress> listen = parse_listen(settings.listen);
  if (!listen) faults.push_back("listen: \"" + settings.listen + "\" is not an address and port");
  const bool keys = !settings.api_keys_file.empty();
  if (listen && !listen->loopback && settings.dev) {
    faults.push_back("dev: only on a loopback address, not on " + listen->host);
  }
  if (listen && !listen->loopback && !keys) {
    faults.push_back("api-keys-file: needed on " + listen->host +
                     ", which others can reach (make a key with `hotrow key hash`)");
  }
  if (listen && listen->loopback && !settings.dev && !keys) {
    faults.emplace_back("api-keys-file: needed (make a key with `hotrow key hash`), or --dev to run without");
  }
  if (!are_sound(listing_rates(settings))) {
    faults.emplace_back(
        "deposit-bps, deposit-min: at most cut-bps and cut-min, so that nobody pays more for listing than "
        "for "
        "selling");
  }
  return faults;
}

Rates listing_rates(const Settings& settings) {
  return {.deposit_bps = settings.deposit_bps,
          .deposit_min = settings.deposit_min,
          .cut_bps = settings.cut_bps,
          .cut_min = settings.cut_min};
}

std::optional<ListenAddress> parse_listen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return ListenAddress{std::string(host == "localhost" ? "127.0.0.1" : host), port, is_loopback(host)};
}

bool is_database_url(std::string_view url) {
  constexpr std::string_view sqlite = "sqlite:";
  return url.starts_with("postgres://") || url.starts_with("postgresql://") ||
         (url.starts_with(sqlite) && url.size() > sqlite.size());
}

tl::expected<std::string, Faults> database_url(const Settings& settings) {
  if (!settings.database.empty() && !settings.database_file.empty()) {
    return tl::unexpected(Faults{"database: contradicts database-file; give one of them"});
  }
  if (!settings.database.empty()) return settings.database;
  if (settings.database_file.empty()) {
    return tl::unexpected(Faults{"database: missing (sqlite:PATH or postgresql://user@host/name)"});
  }
  std::optional<std::string> text = read_file(settings.database_file);
  if (!text) return tl::unexpected(Faults{"database-file: " + settings.database_file + " cannot be read"});
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' ')) {
    text->pop_back();
  }
  if (text->empty() || has_line_or_control(*text)) {
    return tl::unexpected(
        Faults{"database-file: " + settings.database_file + " must hold one line, the URL"});
  }
  return *text;
}

}  // namespace hotrow
