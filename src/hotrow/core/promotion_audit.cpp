#include "hotrow/core/promotion_audit.hpp"

#include <algorithm>

#include "hotrow/core/rule.hpp"

namespace hotrow {
namespace {

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

  std::vector<Violation> take() { return std::move(found_); }

 private:
  std::string subject_;
  std::vector<Violation> found_;
};

}  // namespace

PromotionAudit audit(const PromotionFacts& facts) {
  const PromotionRow& promotion = facts.promotion;
  const Rule& rule = promotion.settings->rule;
  const bool closed = promotion.phase == PromotionPhase::closed;
  PromotionAudit report{.entries = facts.entries,
                        .max_ordinal = facts.ordinal_max,
                        .gaps = facts.ordinal_max - facts.ordinals_distinct,
                        .duplicates = facts.entries - facts.ordinals_distinct,
                        .winners_expected = targets_reached(rule, promotion.entries),
                        .winners_pinned = std::int64_t(facts.winner_ordinals.size()),
                        .outbox_missing = facts.winners_without_event};
  if (closed && facts.closed_events == 0) ++report.outbox_missing;

  Findings findings("promotion/" + promotion.id);
  findings.expect_none(report.gaps, "ordinals_without_gap", "places between 1 and the highest are missing");
  findings.expect_none(report.duplicates, "ordinals_without_repeat", "places are given out twice");
  findings.expect_none(facts.entries - facts.users_distinct, "one_entry_a_person", "users have two places");
  if (facts.entries > 0) findings.expect_equal(facts.ordinal_min, 1, "ordinals_from_one", "lowest place");
  findings.expect_equal(facts.entries, promotion.entries, "counter_equals_entries", "entry rows");
  findings.expect_none(facts.entries_out_of_time, "entries_in_time", "entries outside the open interval");
  findings.expect_equal(report.winners_pinned, report.winners_expected, "winners_pinned", "winner rows");
  findings.expect_equal(report.winners_pinned, promotion.winners, "winner_counter_equals_winners",
                        "winner rows");
  const auto off_target = std::count_if(facts.winner_ordinals.begin(), facts.winner_ordinals.end(),
                                        [&](std::int64_t ordinal) { return !is_target(rule, ordinal); });
  findings.expect_none(off_target, "winners_on_target", "winner rows at places that do not win");
  findings.expect_none(facts.winners_not_entered, "winners_are_entrants",
                       "winner rows that do not match the entry at their place");
  findings.expect_none(facts.winners_without_event, "winner_events", "winners without their event");
  findings.expect_equal(facts.winner_events, report.winners_pinned, "no_event_without_winner",
                        "winner_determined events");
  findings.expect_equal(facts.closed_events, closed ? 1 : 0, "closed_event", "promotion.closed events");
  findings.expect_equal(facts.events, promotion.events, "events_without_gap", "event rows");
  findings.expect_equal(facts.event_sequence_max, promotion.events, "event_counter_equals_sequence",
                        "highest event sequence");
  report.violations = findings.take();
  return report;
}

}  // namespace hotrow
