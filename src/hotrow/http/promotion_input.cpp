#include "hotrow/http/promotion_input.hpp"

#include <algorithm>

namespace hotrow::http {
namespace {

namespace json = boost::json;

constexpr TextLimits title_limits{.characters_max = 200};
constexpr TextLimits description_limits{.characters_max = 500, .lines = true};
constexpr TextLimits pattern_limits{.characters_max = 1000};
constexpr TextLimits terms_limits{.characters_max = 32'768, .lines = true};

NthRule read_nth(Members& in) {
  NthRule rule;
  const json::array* targets = in.array("targets");
  if (targets == nullptr) return rule;
  if (targets->empty() || targets->size() > nth_targets_max) {
    in.error("targets", "must name 1 to 100 places");
    return rule;
  }
  for (std::size_t i = 0; i < targets->size(); ++i) {
    const std::string field = in.field("targets[" + std::to_string(i) + "]");
    const auto target = read_integer((*targets)[i], IntegerRange{}, field, in.errors());
    if (target) rule.targets.push_back(*target);
  }
  std::ranges::sort(rule.targets);
  if (std::ranges::adjacent_find(rule.targets) != rule.targets.end()) {
    in.error("targets", "must be distinct");
  }
  return rule;
}

EveryRule read_every(Members& in) {
  const auto interval = in.integer("interval", Presence::required);
  const auto winners = in.integer("winners", Presence::required, {.min = 1, .max = every_winners_max});
  if (interval && winners && *interval > integer_max / *winners) {
    in.error("interval", "times winners must be at most 9007199254740991");
  }
  return {.interval = interval.value_or(1), .winners = winners.value_or(1)};
}

FirstRule read_first(Members& in) {
  const auto count = in.integer("count", Presence::required);
  const auto shards = in.integer("shards", Presence::optional);
  if (shards && *shards != 1) in.error("shards", "must be 1: counting in several shards is not offered yet");
  return {.count = count.value_or(1)};
}

Rule read_rule(const json::object& object, FieldErrors& errors) {
  Members in(object, errors, "rule.");
  const std::string kind = in.text("kind", Presence::required).value_or("");
  Rule rule;
  if (kind == "nth") {
    rule = read_nth(in);
  } else if (kind == "every") {
    rule = read_every(in);
  } else if (kind == "first") {
    rule = read_first(in);
  } else {
    if (!kind.empty()) in.error("kind", "must be nth, every or first");
    return rule;  // Which members a rule of no kind may have cannot be said.
  }
  in.refuse_others();
  return rule;
}

bool is_prize_currency(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

std::optional<Prize> read_prize(Members& settings) {
  const json::object* object = settings.object("prize", Presence::optional);
  if (object == nullptr) return std::nullopt;
  Members in(*object, settings.errors(), "prize.");
  Prize prize;
  prize.amount = in.integer("amount", Presence::required).value_or(0);
  prize.currency = in.text("currency", Presence::required, {.characters_max = 16}).value_or("");
  if (!is_prize_currency(prize.currency)) in.error("currency", "must be letters, digits and underscores");
  prize.description = in.text("description", Presence::optional, description_limits).value_or("");
  in.refuse_others();
  return prize;
}

std::optional<Pattern> read_pattern(Members& in) {
  const auto expression = in.text("user_id_pattern", Presence::optional, pattern_limits);
  if (!expression) return std::nullopt;
  Result<Pattern> pattern = Pattern::compile(*expression);
  if (pattern) return std::move(*pattern);
  in.error("user_id_pattern", "is not a regular expression (RE2 syntax): " + pattern.error().detail);
  return std::nullopt;
}

void read_intake(Members& in) {
  const std::string intake = in.text("intake", Presence::optional).value_or("direct");
  if (intake == "queued") in.error("intake", "must be direct: queued intake is not offered yet");
  if (intake != "direct" && intake != "queued") in.error("intake", "must be direct");
}

}  // namespace

Input<PromotionInput> read_promotion(const json::object& body) {
  FieldErrors errors;
  Members in(body, errors);
  PromotionSettings settings;
  settings.title = in.text("title", Presence::required, title_limits).value_or("");
  if (const json::object* rule = in.object("rule", Presence::required)) {
    settings.rule = read_rule(*rule, errors);
  }
  settings.starts_at = in.time("starts_at", Presence::required).value_or(Timestamp{});
  settings.ends_at = in.time("ends_at", Presence::optional);
  settings.max_entries = in.integer("max_entries", Presence::optional);
  settings.close_on_last_winner = in.flag_or("close_on_last_winner", false);
  settings.prize = read_prize(in);
  settings.terms = in.text("terms", Presence::optional, terms_limits);
  settings.user_id_pattern = read_pattern(in);
  read_intake(in);
  PromotionInput input;
  input.reason = in.text("reason", Presence::optional, reason_limits).value_or("");
  in.refuse_others();
  input.settings = std::make_shared<const PromotionSettings>(std::move(settings));
  return checked(std::move(input), errors);
}

Input<std::string> read_reason(const json::object& body) {
  FieldErrors errors;
  Members in(body, errors);
  std::string reason = in.text("reason", Presence::required, reason_limits).value_or("");
  in.refuse_others();
  return checked(std::move(reason), errors);
}

Input<std::string> read_user(const json::object& body) {
  FieldErrors errors;
  Members in(body, errors);
  std::string user = in.id("user_id").value_or("");
  in.refuse_others();
  return checked(std::move(user), errors);
}

Input<std::vector<std::string>> read_users(const json::object& body) {
  FieldErrors errors;
  Members in(body, errors);
  std::vector<std::string> users;
  if (const json::array* list = in.array("user_ids")) {
    if (list->empty() || list->size() > batch_users_max) {
      in.error("user_ids", "must name 1 to 1000 users");
    } else {
      for (std::size_t i = 0; i < list->size(); ++i) {
        auto user = read_id((*list)[i], "user_ids[" + std::to_string(i) + "]", errors);
        if (user) users.push_back(std::move(*user));
      }
    }
  }
  in.refuse_others();
  return checked(std::move(users), errors);
}

}  // namespace hotrow::http
