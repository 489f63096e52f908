#include "hotrow/app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <system_error>

#include "hotrow/app/commands.hpp"
#include "hotrow/app/config.hpp"
#include "hotrow/app/version.hpp"

namespace hotrow {
namespace {

/// What is to be run once the whole line was understood.
using Selected = std::function<int()>;

/// The flags given for settings, and --config.
struct SettingFlags {
  SettingTexts texts;
  std::string config;
};

std::string flag_help(const Setting& setting) {
  std::string text(setting.explanation);
  if (!setting.fallback.empty()) text += " [" + std::string(setting.fallback) + "]";
  return text;
}

void add_setting_flag(CLI::App& command, const Setting& setting, const std::shared_ptr<SettingFlags>& flags) {
  const std::string name(setting.name);
  if (std::holds_alternative<bool Settings::*>(setting.field)) {
    const std::string help = flag_help(setting);  // CLI11 binds a reference to it.
    command.add_flag("--" + name, help)->each([flags, name](const std::string& text) {
      flags->texts[name] = text;
    });
    return;
  }
  command
      .add_option_function<std::string>(
          "--" + name, [flags, name](const std::string& text) { flags->texts[name] = text; },
          flag_help(setting))
      ->option_text(std::string(setting.unit));
}

std::shared_ptr<SettingFlags> add_setting_flags(CLI::App& command, SettingScope widest) {
  auto flags = std::make_shared<SettingFlags>();
  command.add_option("--config", flags->config, "A TOML file with settings; see conf/hotrow.toml")
      ->option_text("path");
  for (const Setting& setting : all_settings()) {
    if (widest == SettingScope::serve || setting.scope == SettingScope::database) {
      add_setting_flag(command, setting, flags);
    }
  }
  command.footer(
      "A switch can be turned off: --prepared=false. Each flag is also a variable (--drain-delay: "
      "HOTROW_DRAIN_DELAY) and a key of the file.");
  return flags;
}

/// Runs `use` with the layered settings, or prints all that is wrong with them.
template <class Use>
int with_settings(const SettingFlags& flags, Use&& use) {
  const tl::expected<Settings, Faults> settings =
      load_settings(flags.texts, flags.config, process_environment());
  Faults faults = unknown_variables(process_variables());
  if (!settings) faults.insert(faults.end(), settings.error().begin(), settings.error().end());
  if (faults.empty()) return use(*settings);
  for (const std::string& fault : faults) std::fprintf(stderr, "hotrow: %s\n", fault.c_str());
  return exit_usage;
}

std::shared_ptr<RemoteOptions> add_remote_flags(CLI::App& command) {
  auto remote = std::make_shared<RemoteOptions>();
  command.add_option("--url", remote->url, "The server")->envname("HOTROW_URL")->capture_default_str();
  command.add_option("--api-key", remote->api_key, "Better in the environment: others can read flags")
      ->envname("HOTROW_API_KEY");
  return remote;
}

void add_serve(CLI::App& app, Selected& selected) {
  CLI::App* serve = app.add_subcommand("serve", "Run the server");
  const auto flags = add_setting_flags(*serve, SettingScope::serve);
  serve->final_callback(
      [flags, &selected] { selected = [flags] { return with_settings(*flags, serve_command); }; });
}

void add_migrate(CLI::App& app, Selected& selected) {
  CLI::App* migrate = app.add_subcommand("migrate", "Bring the database's schema up to date, or look at it");
  const auto action = std::make_shared<std::string>("up");
  migrate->add_option("action", *action, "status or up")
      ->check(CLI::IsMember({"status", "up"}))
      ->capture_default_str();
  const auto flags = add_setting_flags(*migrate, SettingScope::database);
  migrate->final_callback([flags, action, &selected] {
    selected = [flags, action] {
      return with_settings(*flags, [&](const Settings& settings) {
        return migrate_command(settings, *action == "up" ? MigrateAction::up : MigrateAction::status);
      });
    };
  });
}

void add_grants(CLI::App& app, Selected& selected) {
  CLI::App* grants = app.add_subcommand("grants", "Print the GRANTs of a PostgreSQL role without DDL rights");
  const auto role = std::make_shared<std::string>();
  grants->add_option("role", *role, "The role that `hotrow serve` connects as")->required();
  const auto flags = add_setting_flags(*grants, SettingScope::database);
  grants->final_callback([flags, role, &selected] {
    selected = [flags, role] {
      return with_settings(*flags, [&](const Settings& settings) { return grants_command(settings, *role); });
    };
  });
}

void add_verify(CLI::App& app, Selected& selected) {
  CLI::App* verify = app.add_subcommand("verify", "Prove every invariant from the rows; beside a server too");
  const auto json = std::make_shared<bool>(false);
  verify->add_flag("--json", *json, "One JSON object on standard output");
  const auto flags = add_setting_flags(*verify, SettingScope::database);
  verify->final_callback([flags, json, &selected] {
    selected = [flags, json] {
      return with_settings(*flags, [&](const Settings& settings) { return verify_command(settings, *json); });
    };
  });
}

void add_promotion_create(CLI::App& promotion, Selected& selected) {
  CLI::App* create =
      promotion.add_subcommand("create", "Create a promotion, or change one that is not frozen");
  const auto remote = add_remote_flags(*create);
  const auto options = std::make_shared<CreatePromotionOptions>();
  create->add_option("id", options->id)->required();
  create->add_option("--title", options->title)->required();
  const auto given = [options]<class T>(CLI::App& command, const std::string& name,
                                        std::optional<T> CreatePromotionOptions::* field,
                                        const std::string& help = "") {
    return command.add_option_function<T>(
        name, [options, field](const T& value) { (*options).*field = value; }, help);
  };
  using Options = CreatePromotionOptions;
  CLI::Option_group* rule = create->add_option_group("rule", "Who wins; exactly one");
  rule->add_option("--nth", options->nth, "These places: 1000 or 100,200,300")->delimiter(',');
  CLI::Option* every = given(*rule, "--every", &Options::every, "Every so many places; with --winners");
  given(*rule, "--first", &Options::first, "The first so many");
  rule->require_option(1);
  CLI::Option* winners = given(*create, "--winners", &Options::winners, "How often --every wins");
  winners->needs(every);
  every->needs(winners);
  given(*create, "--starts-at", &Options::starts_at, "2026-12-01T12:00:00+09:00; left out: now");
  given(*create, "--ends-at", &Options::ends_at);
  given(*create, "--max-entries", &Options::max_entries);
  create->add_flag("--close-on-last-winner", options->close_on_last_winner);
  CLI::Option* amount = given(*create, "--prize-amount", &Options::prize_amount, "In minor units");
  create->add_option("--prize-currency", options->prize_currency)->capture_default_str()->needs(amount);
  given(*create, "--prize-description", &Options::prize_description)->needs(amount);
  given(*create, "--terms-file", &Options::terms_file, "A text file with the terms");
  given(*create, "--user-id-pattern", &Options::user_id_pattern, "An RE2 expression");
  create->final_callback([remote, options, &selected] {
    selected = [remote, options] { return create_promotion_command(*remote, *options); };
  });
}

void add_promotion(CLI::App& app, Selected& selected) {
  CLI::App* promotion = app.add_subcommand("promotion", "Promotions of a running server");
  promotion->require_subcommand(1);
  add_promotion_create(*promotion, selected);
  struct Arguments {
    std::string id;
    std::string reason;
    std::int64_t ordinal = 0;
  };
  const auto arguments = std::make_shared<Arguments>();

  CLI::App* show = promotion->add_subcommand("show", "State, entries and winners");
  show->add_option("id", arguments->id)->required();
  show->final_callback([remote = add_remote_flags(*show), arguments, &selected] {
    selected = [remote, arguments] { return show_promotion_command(*remote, arguments->id); };
  });
  CLI::App* close = promotion->add_subcommand("close", "Close it for good");
  close->add_option("id", arguments->id)->required();
  close->add_option("--reason", arguments->reason, "Kept with the promotion")->required();
  close->final_callback([remote = add_remote_flags(*close), arguments, &selected] {
    selected = [remote, arguments] {
      return close_promotion_command(*remote, arguments->id, arguments->reason);
    };
  });
  CLI::App* why = promotion->add_subcommand("why", "Why that person? The evidence for one place");
  why->add_option("id", arguments->id)->required();
  why->add_option("ordinal", arguments->ordinal)->required()->check(CLI::PositiveNumber);
  why->final_callback([remote = add_remote_flags(*why), arguments, &selected] {
    selected = [remote, arguments] { return why_command(*remote, arguments->id, arguments->ordinal); };
  });
}

void add_events(CLI::App& app, Selected& selected) {
  CLI::App* events = app.add_subcommand("events", "The feed of committed events");
  events->require_subcommand(1);
  CLI::App* tail = events->add_subcommand("tail", "Print events as NDJSON, and go on printing");
  const auto remote = add_remote_flags(*tail);
  const auto options = std::make_shared<TailOptions>();
  tail->add_option("--after", options->after, "A cursor from before; left out: from the beginning");
  tail->add_option("--types", options->types, "promotion.winner_determined,promotion.closed,...");
  tail->add_flag("--follow,!--no-follow", options->follow, "Wait for more [true]");
  tail->final_callback([remote, options, &selected] {
    selected = [remote, options] { return tail_events_command(*remote, *options); };
  });
}

void add_key(CLI::App& app, Selected& selected) {
  CLI::App* key = app.add_subcommand("key", "API keys");
  key->require_subcommand(1);
  CLI::App* hash = key->add_subcommand("hash", "Make a key; print it and its line for the keys file");
  const auto options = std::make_shared<KeyHashOptions>();
  hash->add_option("name", options->name, "Who holds it")->required();
  hash->add_option("role", options->role, "reader, service or operator")
      ->required()
      ->check(CLI::IsMember({"reader", "service", "operator"}));
  hash->add_flag("--stdin", options->from_stdin, "Read the key from standard input instead of making one");
  hash->final_callback([options, &selected] { selected = [options] { return key_hash_command(*options); }; });
}

void add_stampede(CLI::App& app, Selected& selected) {
  CLI::App* stampede = app.add_subcommand("stampede", "Send a crowd to a promotion and check every answer");
  const auto remote = add_remote_flags(*stampede);
  const auto options = std::make_shared<StampedeOptions>();
  stampede->add_option("--promotion", options->promotion)->required();
  stampede->add_option("--users", options->users)->capture_default_str()->check(CLI::Range(1, 10'000'000));
  stampede->add_option("--connections", options->connections)
      ->capture_default_str()
      ->check(CLI::Range(1, 20'000));
  stampede->add_option("--repeat-share", options->repeat_share, "How many press twice, of 1")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  stampede->add_option("--seed", options->seed, "The same seed makes the same crowd");
  stampede->add_flag("--json", options->json, "One JSON object on standard output");
  stampede->final_callback([remote, options, &selected] {
    selected = [remote, options] { return stampede_command(*remote, *options); };
  });
}

void add_market(CLI::App& app, Selected& selected) {
  CLI::App* market =
      app.add_subcommand("market", "Let a crowd trade in the auction house and check its books");
  const auto options = std::make_shared<MarketCommandOptions>();
  market->add_option("--url", options->urls, "The server; several on one database with commas between them")
      ->delimiter(',')
      ->envname("HOTROW_URL")
      ->capture_default_str();
  market->add_option("--api-key", options->api_key, "Better in the environment: others can read flags")
      ->envname("HOTROW_API_KEY");
  market->add_option("--players", options->players)->capture_default_str()->check(CLI::Range(2, 1'000'000));
  market->add_option("--listings", options->listings, "How many go on at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  market->add_option("--seconds", options->seconds, "How long they trade")
      ->capture_default_str()
      ->check(CLI::Range(1, 86'400));
  market->add_option("--connections", options->connections)
      ->capture_default_str()
      ->check(CLI::Range(1, 20'000));
  market->add_option("--seed", options->seed, "The same seed makes the same crowd, under other ids");
  market->add_flag("--json", options->json, "One JSON object on standard output");
  market->final_callback([options, &selected] { selected = [options] { return market_command(*options); }; });
}

void add_settings(CLI::App& app, Selected& selected) {
  CLI::App* settings = app.add_subcommand("settings", "Print all settings with their defaults, as a file");
  settings->final_callback([&selected] {
    selected = [] {
      std::printf("%s", settings_file().c_str());
      return exit_ok;
    };
  });
}

void add_version(CLI::App& app, Selected& selected) {
  CLI::App* version = app.add_subcommand("version", "Print the version");
  version->final_callback([&selected] {
    selected = [] {
      std::printf("hotrow %s\n", std::string(program_version()).c_str());
      return exit_ok;
    };
  });
}

/// Runs the command. An answer that could not be written was not given.
int run(const Selected& selected) {
  int exit_code = exit_no;
  try {
    exit_code = selected();
  } catch (const std::system_error& error) {  // fmt's, when standard output fails.
    std::fprintf(stderr, "hotrow: %s\n", error.what());
    return exit_no;
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "hotrow: standard output cannot be written\n");
  return exit_code == exit_ok ? exit_no : exit_code;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("Exactly the Nth wins: keeps the rows that everybody fights over exact and quick.", "hotrow");
  app.require_subcommand(1);
  Selected selected;
  add_serve(app, selected);
  add_migrate(app, selected);
  add_grants(app, selected);
  add_verify(app, selected);
  add_promotion(app, selected);
  add_events(app, selected);
  add_key(app, selected);
  add_stampede(app, selected);
  add_market(app, selected);
  add_settings(app, selected);
  add_version(app, selected);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return run(selected);
}

}  // namespace hotrow
