#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace hotrow {

/// Exactly these places win. Sorted, distinct, 1 to 100 of them.
struct NthRule {
  std::vector<std::int64_t> targets;
  friend bool operator==(const NthRule&, const NthRule&) = default;
};

/// Every `interval`-th place wins, `winners` times.
struct EveryRule {
  std::int64_t interval = 0;
  std::int64_t winners = 0;
  friend bool operator==(const EveryRule&, const EveryRule&) = default;
};

/// The first `count` places win, and there are no others.
struct FirstRule {
  std::int64_t count = 0;
  friend bool operator==(const FirstRule&, const FirstRule&) = default;
};

/// Which places win. Frozen from the first entry on, so that "why that person?" has one answer for ever.
using Rule = std::variant<NthRule, EveryRule, FirstRule>;

inline constexpr std::size_t nth_targets_max = 100;
inline constexpr std::int64_t every_winners_max = 1'000'000;

bool is_target(const Rule& rule, std::int64_t ordinal);

/// How many places win in all.
std::int64_t targets_total(const Rule& rule);

/// How many winning places lie in 1..entries.
std::int64_t targets_reached(const Rule& rule, std::int64_t entries);

/// The winning place that comes last.
std::int64_t last_target(const Rule& rule);

/// The most entries the rule itself allows; nullopt for no bound.
std::optional<std::int64_t> capacity(const Rule& rule);

/// The winning places above `entries`, ascending, at most `limit` of them.
std::vector<std::int64_t> targets_above(const Rule& rule, std::int64_t entries, std::size_t limit);

}  // namespace hotrow
