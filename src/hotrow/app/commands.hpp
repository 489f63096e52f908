#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/app/settings.hpp"

namespace hotrow {

/// What the commands of the program return to the shell.
inline constexpr int exit_ok = 0;
inline constexpr int exit_no = 1;  ///< It ran, and the answer is no: a contradiction, a refusal, a failure.
inline constexpr int exit_usage = 2;  ///< It could not begin: flags, configuration, nothing reachable.

/// The server to ask, for the commands that speak HTTP.
struct RemoteOptions {
  std::string url = "http://127.0.0.1:8080";
  std::string api_key;
};

int serve_command(const Settings& settings);

enum class MigrateAction : std::uint8_t { status, up };
int migrate_command(const Settings& settings, MigrateAction action);

/// Prints the SQL that gives `role` what a server without DDL rights needs.
int grants_command(const Settings& settings, const std::string& role);

int verify_command(const Settings& settings, bool json);

struct CreatePromotionOptions {
  std::string id;
  std::string title;
  std::vector<std::int64_t> nth;  ///< One of the three rules is given.
  std::optional<std::int64_t> every;
  std::optional<std::int64_t> winners;  ///< Of `every`, with it.
  std::optional<std::int64_t> first;
  std::optional<std::string> starts_at;  ///< RFC 3339; left out: now.
  std::optional<std::string> ends_at;
  std::optional<std::int64_t> max_entries;
  bool close_on_last_winner = false;
  std::optional<std::int64_t> prize_amount;  ///< Left out: no prize.
  std::string prize_currency = "KRW";
  std::optional<std::string> prize_description;
  std::optional<std::string> terms_file;
  std::optional<std::string> user_id_pattern;
};
int create_promotion_command(const RemoteOptions& remote, const CreatePromotionOptions& options);
int show_promotion_command(const RemoteOptions& remote, const std::string& id);
int close_promotion_command(const RemoteOptions& remote, const std::string& id, const std::string& reason);
int why_command(const RemoteOptions& remote, const std::string& id, std::int64_t ordinal);

struct TailOptions {
  std::string after;   ///< A cursor; empty: from the beginning.
  std::string types;   ///< Separated by commas; empty: all.
  bool follow = true;  ///< Wait for more at the end.
};
int tail_events_command(const RemoteOptions& remote, const TailOptions& options);

struct KeyHashOptions {
  std::string name;
  std::string role;
  bool from_stdin = false;
};
int key_hash_command(const KeyHashOptions& options);

struct StampedeOptions {
  std::string promotion;
  std::size_t users = 20'000;
  std::size_t connections = 256;
  double repeat_share = 0.1;
  std::optional<std::uint64_t> seed;
  bool json = false;
};
int stampede_command(const RemoteOptions& remote, const StampedeOptions& options);

struct MarketCommandOptions {
  std::vector<std::string> urls{"http://127.0.0.1:8080"};  ///< Servers on one database.
  std::string api_key;
  std::size_t players = 1'000;
  std::size_t listings = 500;
  std::int64_t seconds = 30;
  std::size_t connections = 64;
  std::optional<std::uint64_t> seed;
  bool json = false;
};
int market_command(const MarketCommandOptions& options);

}  // namespace hotrow
