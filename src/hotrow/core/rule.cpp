#include "hotrow/core/rule.hpp"

#include <algorithm>

namespace hotrow {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// The i-th winning place, i from 0 to targets_total - 1.
std::int64_t target_at(const Rule& rule, std::int64_t i) {
  return std::visit(Overloaded{
                        [i](const NthRule& nth) { return nth.targets[std::size_t(i)]; },
                        [i](const EveryRule& every) { return every.interval * (i + 1); },
                        [i](const FirstRule&) { return i + 1; },
                    },
                    rule);
}

}  // namespace

bool is_target(const Rule& rule, std::int64_t ordinal) {
  return std::visit(Overloaded{
                        [ordinal](const NthRule& nth) {
                          return std::binary_search(nth.targets.begin(), nth.targets.end(), ordinal);
                        },
                        [ordinal](const EveryRule& every) {
                          return ordinal % every.interval == 0 && ordinal / every.interval <= every.winners;
                        },
                        [ordinal](const FirstRule& first) { return ordinal <= first.count; },
                    },
                    rule);
}

std::int64_t targets_total(const Rule& rule) {
  return std::visit(Overloaded{
                        [](const NthRule& nth) { return std::int64_t(nth.targets.size()); },
                        [](const EveryRule& every) { return every.winners; },
                        [](const FirstRule& first) { return first.count; },
                    },
                    rule);
}

std::int64_t targets_reached(const Rule& rule, std::int64_t entries) {
  return std::visit(
      Overloaded{
          [entries](const NthRule& nth) {
            const auto end = std::upper_bound(nth.targets.begin(), nth.targets.end(), entries);
            return std::int64_t(end - nth.targets.begin());
          },
          [entries](const EveryRule& every) { return std::min(entries / every.interval, every.winners); },
          [entries](const FirstRule& first) { return std::min(entries, first.count); },
      },
      rule);
}

std::int64_t last_target(const Rule& rule) { return target_at(rule, targets_total(rule) - 1); }

std::optional<std::int64_t> capacity(const Rule& rule) {
  if (const auto* first = std::get_if<FirstRule>(&rule)) return first->count;
  return std::nullopt;
}

std::vector<std::int64_t> targets_above(const Rule& rule, std::int64_t entries, std::size_t limit) {
  std::vector<std::int64_t> above;
  const std::int64_t total = targets_total(rule);
  for (std::int64_t i = targets_reached(rule, entries); i < total && above.size() < limit; ++i) {
    above.push_back(target_at(rule, i));
  }
  return above;
}

}  // namespace hotrow
