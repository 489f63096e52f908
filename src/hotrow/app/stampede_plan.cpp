#include "hotrow/app/stampede_plan.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace hotrow {
namespace {

using Chance = std::mt19937_64;

constexpr std::array<std::string_view, 24> given_names{
    "minji", "seoyeon", "jiho",   "haneul", "doyun",  "yuna",   "jisoo", "taeyang",
    "sora",  "eunwoo",  "hana",   "junho",  "maria",  "lucas",  "aisha", "mateo",
    "chloe", "nikos",   "ingrid", "tomasz", "fatima", "olivia", "kenji", "priya"};
constexpr std::array<std::string_view, 20> family_names{
    "kim",    "lee",   "park",  "choi",    "jung",   "kang",  "cho", "yoon",   "jang",   "lim",
    "garcia", "rossi", "novak", "schmidt", "tanaka", "silva", "ali", "dubois", "larsen", "popov"};

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Chance& chance) {
  return names.at(chance() % N);
}

/// Four characters that tell this run's users from those of other runs.
std::string run_prefix(Chance& chance) {
  constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyz23456789";
  std::string prefix;
  for (int i = 0; i < 5; ++i) prefix += letters[chance() % letters.size()];
  return prefix;
}

/// The number makes it unique, and is scattered so that ids do not arrive in the order of an index.
std::string user_id(const std::string& prefix, std::size_t number, Chance& chance) {
  std::string id = prefix;
  id += '-';
  id += pick(given_names, chance);
  id += '.';
  id += pick(family_names, chance);
  id += std::to_string(number * 7919 + chance() % 7919);
  return id;
}

struct Arrival {
  double at;
  std::uint32_t user;
};

}  // namespace

StampedePlan plan_stampede(const StampedePlanOptions& options) {
  Chance chance(options.seed);
  std::uniform_real_distribution<double> moment(0, 1);
  StampedePlan plan;
  const std::string prefix = run_prefix(chance);
  std::vector<Arrival> arrivals;
  for (std::uint32_t user = 0; user < options.users; ++user) {
    plan.users.push_back(user_id(prefix, user, chance));
    const double at = moment(chance);
    arrivals.push_back({at, user});
    if (moment(chance) >= options.repeat_share) continue;
    const bool at_once = moment(chance) < 0.5;
    arrivals.push_back({at_once ? at : at + (1 - at) * moment(chance), user});
  }
  std::ranges::stable_sort(arrivals, {}, &Arrival::at);
  for (const Arrival& arrival : arrivals) plan.requests.push_back(arrival.user);
  return plan;
}

}  // namespace hotrow
