#include "hotrow/core/json.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/base/time.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> phase_names = {"active", "paused", "closed"};

std::optional<NthRule> nth_from(const json::object& object) {
  const json::value* targets = object.if_contains("targets");
  if (targets == nullptr || !targets->is_array()) return std::nullopt;
  NthRule rule;
  for (const json::value& target : targets->get_array()) {
    if (!target.is_int64()) return std::nullopt;
    rule.targets.push_back(target.get_int64());
  }
  return rule;
}

std::optional<Prize> prize_from(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  Prize prize{.amount = in.integer("amount"),
              .currency = in.text("currency"),
              .description = in.find("description") != nullptr ? in.text("description") : ""};
  if (!in.ok()) return std::nullopt;
  return prize;
}

}  // namespace

json::object to_json(const Rule& rule) {
  if (const auto* nth = std::get_if<NthRule>(&rule)) {
    return {{"kind", "nth"}, {"targets", json::array(nth->targets.begin(), nth->targets.end())}};
  }
  if (const auto* every = std::get_if<EveryRule>(&rule)) {
    return {{"kind", "every"}, {"interval", every->interval}, {"winners", every->winners}};
  }
  return {{"kind", "first"}, {"count", std::get<FirstRule>(rule).count}};
}

json::object to_json(const Prize& prize) {
  json::object object{{"amount", prize.amount}, {"currency", prize.currency}};
  if (!prize.description.empty()) object["description"] = prize.description;
  return object;
}

json::object to_json(const PromotionSettings& settings) {
  json::object object{{"title", settings.title},
                      {"rule", to_json(settings.rule)},
                      {"starts_at", format_rfc3339(settings.starts_at)}};
  object["ends_at"] = settings.ends_at ? json::value(format_rfc3339(*settings.ends_at)) : json::value();
  object["max_entries"] = settings.max_entries ? json::value(*settings.max_entries) : json::value();
  object["close_on_last_winner"] = settings.close_on_last_winner;
  object["prize"] = settings.prize ? json::value(to_json(*settings.prize)) : json::value();
  object["terms"] = settings.terms ? json::value(*settings.terms) : json::value();
  object["user_id_pattern"] =
      settings.user_id_pattern ? json::value(settings.user_id_pattern->expression()) : json::value();
  object["intake"] = "direct";
  return object;
}

std::optional<Rule> rule_from_json(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  TrustedReader in(object);
  const std::string kind = in.text("kind");
  if (kind == "nth") return nth_from(object);
  std::optional<Rule> rule;
  if (kind == "every") rule = EveryRule{.interval = in.integer("interval"), .winners = in.integer("winners")};
  if (kind == "first") rule = FirstRule{.count = in.integer("count")};
  return in.ok() ? rule : std::nullopt;
}

std::optional<PromotionSettings> settings_from_json(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  const json::value* rule = in.find("rule");
  std::optional<Rule> parsed = rule != nullptr ? rule_from_json(*rule) : std::nullopt;
  if (!parsed) return std::nullopt;
  PromotionSettings settings{.title = in.text("title"),
                             .rule = std::move(*parsed),
                             .starts_at = in.time("starts_at"),
                             .close_on_last_winner = in.flag("close_on_last_winner")};
  if (in.find("ends_at") != nullptr) settings.ends_at = in.time("ends_at");
  if (in.find("max_entries") != nullptr) settings.max_entries = in.integer("max_entries");
  if (in.find("terms") != nullptr) settings.terms = in.text("terms");
  if (in.find("user_id_pattern") != nullptr) {
    Result<Pattern> pattern = Pattern::compile(in.text("user_id_pattern"));
    if (!pattern) return std::nullopt;
    settings.user_id_pattern = std::move(*pattern);
  }
  if (const json::value* prize = in.find("prize")) {
    settings.prize = prize_from(*prize);
    if (!settings.prize) return std::nullopt;
  }
  if (!in.ok()) return std::nullopt;
  return settings;
}

std::string encode_rule(const Rule& rule) { return json::serialize(to_json(rule)); }

std::string encode_settings(const PromotionSettings& settings) { return json::serialize(to_json(settings)); }

std::optional<PromotionSettings> decode_settings(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return std::nullopt;
  return settings_from_json(value);
}

std::string_view to_string(PromotionPhase phase) { return phase_names[std::size_t(phase)]; }

std::optional<PromotionPhase> phase_from_string(std::string_view text) {
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    if (phase_names[i] == text) return PromotionPhase(i);
  }
  return std::nullopt;
}

}  // namespace hotrow
