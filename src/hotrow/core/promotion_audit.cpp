#include "hotrow/core/promotion_audit.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/core/json.hpp"
#include "hotrow/core/promotion.hpp"
#include "hotrow/core/promotion_events.hpp"
#include "hotrow/core/rule.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

/// Collects what does not hold.
class Findings {
 public:
  explicit Findings(std::string subject) : subject_(std::move(subject)) {}

  void expect_none(std::int64_t count, const char* invariant, const char* detail) {
    if (count != 0) found_.push_back({invariant, subject_, count, detail});
  }

  void expect_equal(std::int64_t actual, std::int64_t expected, const char* invariant, const char* what) {
    if (actual == expected) return;
    found_.push_back(
        {invariant, subject_, std::abs(actual - expected),
         std::string(what) + ": " + std::to_string(actual) + ", expected " + std::to_string(expected)});
  }

  void expect(bool holds, const char* invariant, const char* detail) {
    expect_none(holds ? 0 : 1, invariant, detail);
  }

  std::vector<Violation> take() { return std::move(found_); }

 private:
  std::string subject_;
  std::vector<Violation> found_;
};

bool is_closed(const PromotionRow& promotion) { return promotion.phase == PromotionPhase::closed; }

/// The object in a text that hotrow wrote; nullopt when it is not in the form in which hotrow writes. A text
/// that names a member twice is read differently by different consumers.
std::optional<json::object> read_own(const std::string& text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object() || json::serialize(value) != text) return std::nullopt;
  return std::move(value.get_object());
}

bool names_winner(const json::object& data, const WinnerRow& winner) {
  const json::value* user = data.if_contains("user_id");
  return user != nullptr && user->is_string() && user->get_string() == winner.user;
}

/// Whether the latest promotion.changed event says what the row says. A close after it is told by an event
/// of its own and adds a version.
bool changed_as_told(const PromotionFacts& facts) {
  if (!facts.changed) return false;
  const std::optional<json::object> data = read_own(facts.changed->data);
  const json::value* after = data ? data->if_contains("after") : nullptr;
  if (after == nullptr || !after->is_object()) return false;
  TrustedReader in(after->get_object());
  const std::int64_t version = in.integer("version");
  const std::string phase = in.text("phase");
  const std::optional<PromotionSettings> settings = settings_from_json(*after);
  if (!in.ok() || !settings || *settings != *facts.promotion.settings) return false;
  const bool closed_since = facts.closed && facts.closed->sequence > facts.changed->sequence;
  if (closed_since) return is_closed(facts.promotion) && facts.promotion.version == version + 1;
  return facts.promotion.version == version && to_string(facts.promotion.phase) == phase;
}

bool closed_as_told(const PromotionFacts& facts) {
  const std::optional<PromotionClosing>& closing = facts.promotion.closing;
  if (!facts.closed || !closing) return true;  // Whether they are there is asked elsewhere.
  return read_own(facts.closed->data) == promotion_closed_data(facts.promotion) &&
         facts.closed->occurred_at == closing->at;
}

/// Entries for which there was no place.
std::int64_t entries_beyond_limit(const PromotionFacts& facts) {
  const PromotionSettings& settings = *facts.promotion.settings;
  const std::int64_t places =
      std::min(capacity(settings.rule).value_or(INT64_MAX), settings.max_entries.value_or(INT64_MAX));
  return std::max<std::int64_t>(0, std::max(facts.entries, facts.ordinal_max) - places);
}

void judge_entries(const PromotionFacts& facts, const PromotionAudit& report, Findings& findings) {
  findings.expect_none(report.gaps, "ordinals_without_gap", "places between 1 and the highest are missing");
  findings.expect_none(report.duplicates, "ordinals_without_repeat", "places are given out twice");
  findings.expect_none(facts.entries - facts.users_distinct, "one_entry_a_person", "users have two places");
  if (facts.entries > 0) findings.expect_equal(facts.ordinal_min, 1, "ordinals_from_one", "lowest place");
  findings.expect_equal(facts.entries, facts.promotion.entries, "counter_equals_entries", "entry rows");
  findings.expect_none(facts.entries_out_of_time, "entries_in_time", "entries outside the open interval");
  findings.expect_none(entries_beyond_limit(facts), "entries_within_limit",
                       "entries beyond max_entries or the rule's last place");
}

void judge_winners(const PromotionFacts& facts, const PromotionAudit& report, Findings& findings) {
  findings.expect_equal(facts.winners, report.winners_expected, "winners_pinned", "winner rows");
  findings.expect_equal(facts.winners, facts.promotion.winners, "winner_counter_equals_winners",
                        "winner rows");
  findings.expect_none(facts.winners_off_target, "winners_on_target",
                       "winner rows at places that do not win");
  findings.expect_none(facts.winners_of_another_rule, "winners_by_the_rule",
                       "winner rows with another rule than the promotion's");
  findings.expect_none(facts.winners_not_entered, "winners_are_entrants",
                       "winner rows that do not match the entry at their place");
  findings.expect_none(facts.winners_without_event, "winner_events", "winners without their event");
  findings.expect_none(facts.winner_events_untrue, "winner_events_as_pinned",
                       "winner_determined events that say anything else than entry, prize and terms");
  findings.expect_equal(facts.winner_events, facts.winners, "no_event_without_winner",
                        "winner_determined events");
}

void judge_row(const PromotionFacts& facts, Findings& findings) {
  const PromotionSettings& settings = *facts.promotion.settings;
  findings.expect(facts.starts_at == settings.starts_at && facts.ends_at == settings.ends_at,
                  "columns_as_settings", "starts_at or ends_at of the row is not that of its settings");
  findings.expect(changed_as_told(facts), "settings_as_told",
                  "the latest promotion.changed event does not say what the row says");
  findings.expect_equal(facts.closed_events, is_closed(facts.promotion) ? 1 : 0, "closed_event",
                        "promotion.closed events");
  findings.expect(closed_as_told(facts), "closed_as_told",
                  "the promotion.closed event does not say what the row says");
}

void judge_events(const PromotionFacts& facts, Findings& findings) {
  findings.expect_equal(facts.events, facts.promotion.events, "events_without_gap", "event rows");
  findings.expect_equal(facts.event_sequence_max, facts.promotion.events, "event_counter_equals_sequence",
                        "highest event sequence");
  findings.expect_none(facts.events_out_of_order, "events_in_order",
                       "events that are not behind the one before them in the feed");
}

}  // namespace

EvidenceCounter::EvidenceCounter(PromotionFacts& facts)
    : facts_(facts),
      rule_(encode_rule(facts.promotion.settings->rule)),
      told_(winner_determined_data(facts.promotion, {})) {}

void EvidenceCounter::add(const WinnerEvidence& evidence) {
  const WinnerRow& winner = evidence.winner;
  const std::optional<EntryRow>& entry = evidence.entry;
  ++facts_.winners;
  if (!is_target(facts_.promotion.settings->rule, winner.ordinal)) ++facts_.winners_off_target;
  if (winner.rule != rule_) ++facts_.winners_of_another_rule;
  const bool entered = entry && entry->user == winner.user && entry->entered_at == winner.entered_at;
  if (!entered) ++facts_.winners_not_entered;
  add_event_of(evidence);
}

void EvidenceCounter::add_event_of(const WinnerEvidence& evidence) {
  const WinnerRow& winner = evidence.winner;
  const std::optional<EventRow>& event = evidence.event;
  const bool announces = event && event->type == "promotion.winner_determined" &&
                         event->subject_kind == "promotion" && event->subject == winner.promotion &&
                         event->id == winner_event_id(winner.promotion, winner.ordinal);
  if (!announces) {
    ++facts_.winners_without_event;
    return;
  }
  const std::optional<json::object> data = read_own(event->data);
  if (data && !names_winner(*data, winner)) {
    ++facts_.winners_without_event;
    return;
  }
  const EntryRow pinned{.promotion = winner.promotion,
                        .user = winner.user,
                        .ordinal = winner.ordinal,
                        .entered_at = winner.entered_at};
  tell_entry(told_, pinned);
  if (data != told_ || event->occurred_at != winner.entered_at) ++facts_.winner_events_untrue;
}

void EvidenceCounter::add(EventRow event) {
  ++facts_.events;
  facts_.event_sequence_max = event.sequence;
  if (facts_.events > 1 && event.position <= position_) ++facts_.events_out_of_order;
  position_ = event.position;
  if (event.type == "promotion.winner_determined") ++facts_.winner_events;
  if (event.type == "promotion.closed") {
    ++facts_.closed_events;
    facts_.closed = std::move(event);
  } else if (event.type == "promotion.changed") {
    facts_.changed = std::move(event);
  }
}

PromotionAudit audit(const PromotionFacts& facts) {
  const PromotionRow& promotion = facts.promotion;
  Findings findings("promotion/" + promotion.id);
  if (promotion.settings == nullptr) {
    findings.expect(false, "settings_readable",
                    "the settings are none that hotrow wrote; nothing was checked");
    return {.violations = findings.take()};
  }
  PromotionAudit report{.entries = facts.entries,
                        .max_ordinal = facts.ordinal_max,
                        .gaps = facts.ordinal_max - facts.ordinals_distinct,
                        .duplicates = facts.entries - facts.ordinals_distinct,
                        .winners_expected = targets_reached(promotion.settings->rule, promotion.entries),
                        .winners_pinned = facts.winners,
                        .outbox_missing = facts.winners_without_event};
  if (is_closed(promotion) && facts.closed_events == 0) ++report.outbox_missing;
  judge_entries(facts, report, findings);
  judge_winners(facts, report, findings);
  judge_row(facts, findings);
  judge_events(facts, findings);
  report.violations = findings.take();
  return report;
}

}  // namespace hotrow
