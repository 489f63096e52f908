#include "hotrow/core/promotion.hpp"

#include <map>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/event.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/core/promotion_events.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

Rejection closed(const PromotionRow& promotion) {
  Rejection rejection{.code = RejectionCode::promotion_closed, .detail = "The promotion is over."};
  if (promotion.closing) rejection.figures.emplace_back("closed_at", promotion.closing->at);
  if (promotion.settings->ends_at) rejection.figures.emplace_back("ends_at", *promotion.settings->ends_at);
  return rejection;
}

Rejection invalid(std::string field, std::string message) {
  return {.code = RejectionCode::validation_failed,
          .detail = field + ": " + message,
          .errors = {{std::move(field), std::move(message)}}};
}

bool has_ended(const PromotionRow& promotion, Timestamp now) {
  return promotion.settings->ends_at && now >= *promotion.settings->ends_at;
}

/// A promotion's row while one command changes it, with the changes that this adds up to. The row itself
/// comes first in `take()`; every event takes the next sequence of the subject.
class Revision {
 public:
  Revision(const PromotionRow& before, const Envelope& envelope, Timestamp now, RowWrite::How how)
      : row_(before), envelope_(envelope), how_(how) {
    HOTROW_ASSERT(row_.settings != nullptr && row_.decided_at <= now);
    row_.decided_at = now;
  }

  PromotionRow& row() { return row_; }

  void add(RowWrite write) { changes_.push_back(std::move(write)); }

  void add_event(std::string type, std::optional<std::string> id, const json::object& data) {
    const EventSubject subject{
        .kind = "promotion", .id = row_.id, .events = row_.events, .at = row_.decided_at};
    changes_.push_back(next_event(subject, std::move(type), data, envelope_, std::move(id)));
  }

  void close(std::string by, std::string reason) {
    HOTROW_ASSERT(row_.phase != PromotionPhase::closed);
    row_.phase = PromotionPhase::closed;
    row_.version += 1;
    row_.closing = PromotionClosing{.at = row_.decided_at, .by = std::move(by), .reason = std::move(reason)};
    add_event("promotion.closed", closed_event_id(row_.id), promotion_closed_data(row_));
  }

  Changes take() {
    changes_.insert(changes_.begin(), {.key = promotion_key(row_.id), .row = row_, .how = how_});
    return std::move(changes_);
  }

 private:
  PromotionRow row_;
  const Envelope& envelope_;
  RowWrite::How how_;
  Changes changes_;
};

/// The promotion's clock never goes back, whatever the store's does.
Timestamp monotone(const PromotionRow& promotion, Timestamp now) {
  return std::max(promotion.decided_at, now);
}

EntryAnswer answer_of(const EntryRow& entry, const PromotionRow& promotion, Timestamp now, bool already) {
  return {.promotion = entry.promotion,
          .user = entry.user,
          .ordinal = entry.ordinal,
          .winner = is_target(promotion.settings->rule, entry.ordinal),
          .already = already,
          .entered_at = entry.entered_at,
          .server_time = now};
}

/// Why nobody new can enter now; nullopt when the desk is open. Final refusals come before those that pass.
std::optional<Rejection> desk_refusal(const PromotionRow& promotion, Timestamp now) {
  if (promotion.phase == PromotionPhase::closed || has_ended(promotion, now)) return closed(promotion);
  if (is_sold_out(promotion)) {
    return Rejection{.code = RejectionCode::sold_out,
                     .detail = "Every place has been given out.",
                     .figures = {{"entries", promotion.entries}}};
  }
  if (now < promotion.settings->starts_at) {
    return Rejection{.code = RejectionCode::promotion_not_started,
                     .detail = "The promotion has not started.",
                     .figures = {{"starts_at", promotion.settings->starts_at}, {"server_time", now}}};
  }
  if (promotion.phase == PromotionPhase::paused) {
    return Rejection{.code = RejectionCode::promotion_paused, .detail = "The promotion is paused."};
  }
  return std::nullopt;
}

std::optional<Rejection> user_refusal(const PromotionRow& promotion, const std::string& user) {
  const std::optional<Pattern>& pattern = promotion.settings->user_id_pattern;
  if (!pattern || pattern->matches(user)) return std::nullopt;
  return invalid("user_id", "does not match the promotion's user_id_pattern");
}

/// Gives the next place to `user`, who has none, and pins the winner when that place wins.
EntryAnswer admit(Revision& revision, const std::string& user, const Envelope& envelope) {
  PromotionRow& promotion = revision.row();
  const PromotionSettings& settings = *promotion.settings;
  const std::int64_t ordinal = ++promotion.entries;
  HOTROW_ASSERT(ordinal > 0);

  EntryRow entry{.promotion = promotion.id,
                 .user = user,
                 .ordinal = ordinal,
                 .entered_at = promotion.decided_at,
                 .request_id = envelope.request_id,
                 .actor = envelope.actor};
  EntryAnswer answer = answer_of(entry, promotion, promotion.decided_at, false);
  if (!answer.winner) {
    revision.add({.key = entry_key(promotion.id, user), .row = std::move(entry)});
    return answer;
  }
  revision.add({.key = entry_key(promotion.id, user), .row = entry});

  ++promotion.winners;
  HOTROW_ASSERT(promotion.winners > 0);
  const std::string event_id = winner_event_id(promotion.id, ordinal);
  revision.add({.key = winner_key(promotion.id, ordinal),
                .row = WinnerRow{.promotion = promotion.id,
                                 .ordinal = ordinal,
                                 .user = user,
                                 .entered_at = promotion.decided_at,
                                 .rule = encode_rule(settings.rule),
                                 .event_id = event_id,
                                 .server = envelope.server}});
  revision.add_event("promotion.winner_determined", event_id, winner_determined_data(promotion, entry));

  const bool last = promotion.winners == targets_total(settings.rule);
  if (last && settings.close_on_last_winner) {
    revision.close("last_winner", "The last winner was determined.");
  }
  return answer;
}

json::object changed_data(const PromotionRow* before, const PromotionRow& after, const Envelope& envelope,
                          const std::string& reason) {
  return {{"promotion_id", after.id},
          {"before", before != nullptr ? json::value(promotion_view(*before)) : json::value(nullptr)},
          {"after", promotion_view(after)},
          {"reason", reason},
          {"by", envelope.actor}};
}

Acceptance accept_promotion(Revision& revision, bool created) {
  const PromotionRow& row = revision.row();
  HOTROW_ASSERT(row.version >= 1);
  PromotionAnswer answer{.created = created, .promotion = row, .server_time = row.decided_at};
  return {.outcome = std::move(answer), .changes = revision.take()};
}

Acceptance unchanged(const PromotionRow& promotion, Timestamp now) {
  return {.outcome = PromotionAnswer{.promotion = promotion, .server_time = now}};
}

Rejection precondition_failed(const PromotionRow& promotion, std::string detail, Timestamp now) {
  PresentState current{.state = PromotionAnswer{.promotion = promotion, .server_time = now}};
  return Rejection{.code = RejectionCode::precondition_failed,
                   .detail = std::move(detail),
                   .figures = {{"version", promotion.version}},
                   .current = std::make_shared<const PresentState>(std::move(current))};
}

std::optional<Rejection> version_refusal(const PromotionRow& promotion, const VersionMatch& expected,
                                         Timestamp now) {
  if (expected.admits(promotion.version)) return std::nullopt;
  return precondition_failed(promotion, "The promotion has changed since that version.", now);
}

/// What is wrong with settings that are to be put in force at `now`.
std::optional<Rejection> settings_refusal(const PromotionSettings& settings, Timestamp now) {
  HOTROW_ASSERT(last_target(settings.rule) >= 1);
  if (settings.ends_at && *settings.ends_at <= settings.starts_at) {
    return invalid("ends_at", "must be after starts_at");
  }
  if (settings.ends_at && *settings.ends_at <= now) return invalid("ends_at", "must be in the future");
  return unreachable_target(settings);
}

Ruling create(const PutPromotion& put, const Envelope& envelope, Timestamp now) {
  if (put.if_version) {
    return Rejection{.code = RejectionCode::precondition_failed, .detail = "There is no such promotion yet."};
  }
  if (auto refusal = settings_refusal(*put.settings, now)) return std::move(*refusal);
  const PromotionRow blank{.id = put.promotion, .settings = put.settings, .version = 1, .created_at = now};
  Revision revision(blank, envelope, now, RowWrite::How::insert);
  revision.add_event("promotion.changed", std::nullopt,
                     changed_data(nullptr, revision.row(), envelope, put.reason));
  return accept_promotion(revision, true);
}

/// After the freeze: the title at any time, and the end later while it has not come.
std::optional<Rejection> freeze_refusal(const PromotionRow& before, const PutPromotion& put, Timestamp now) {
  PromotionSettings thawed = *put.settings;
  thawed.title = before.settings->title;
  const bool end_moves = thawed.ends_at != before.settings->ends_at;
  thawed.ends_at = before.settings->ends_at;
  if (thawed != *before.settings) {
    return Rejection{
        .code = RejectionCode::promotion_frozen,
        .detail = "From its start or first entry on, only the title and a later end can change."};
  }
  if (!end_moves) return std::nullopt;
  if (before.phase == PromotionPhase::closed || has_ended(before, now)) return closed(before);
  const bool later = before.settings->ends_at &&
                     (!put.settings->ends_at || *put.settings->ends_at > *before.settings->ends_at);
  if (!later) {
    return Rejection{.code = RejectionCode::promotion_frozen, .detail = "The end can only move later."};
  }
  if (!put.if_version) {
    return Rejection{.code = RejectionCode::precondition_required,
                     .detail = "Moving the end needs If-Match with the version you saw."};
  }
  if (put.reason.empty()) return invalid("reason", "is required when the end moves");
  return std::nullopt;
}

}  // namespace

Rejection promotion_not_found(const std::string& promotion) {
  return {.code = RejectionCode::promotion_not_found,
          .detail = "There is no promotion with this id.",
          .figures = {{"promotion_id", promotion}}};
}

PromotionState state_at(const PromotionRow& promotion, Timestamp now) {
  if (promotion.phase == PromotionPhase::closed) return PromotionState::closed;
  if (has_ended(promotion, now)) return PromotionState::closing;
  if (now < promotion.settings->starts_at) return PromotionState::scheduled;
  return promotion.phase == PromotionPhase::paused ? PromotionState::paused : PromotionState::open;
}

bool is_sold_out(const PromotionRow& promotion) {
  const std::optional<std::int64_t> places = capacity(promotion.settings->rule);
  const std::optional<std::int64_t>& limit = promotion.settings->max_entries;
  return (places && promotion.entries >= *places) || (limit && promotion.entries >= *limit);
}

std::vector<std::int64_t> targets_unreached(const PromotionRow& promotion) {
  return targets_above(promotion.settings->rule, promotion.entries, targets_unreached_max);
}

std::int64_t targets_unreached_total(const PromotionRow& promotion) {
  const Rule& rule = promotion.settings->rule;
  return targets_total(rule) - targets_reached(rule, promotion.entries);
}

std::string winner_event_id(const std::string& promotion, std::int64_t ordinal) {
  return "promotion-winner:" + promotion + ":" + std::to_string(ordinal);
}

std::string closed_event_id(const std::string& promotion) { return "promotion-closed:" + promotion; }

std::optional<Rejection> unreachable_target(const PromotionSettings& settings) {
  const std::int64_t last = last_target(settings.rule);
  if (!settings.max_entries || *settings.max_entries >= last) return std::nullopt;
  return Rejection{.code = RejectionCode::target_unreachable,
                   .detail = "max_entries ends the promotion before its last winning place.",
                   .figures = {{"max_entries", *settings.max_entries}, {"last_target", last}}};
}

Ruling decide_put(const PutPromotion& put, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  HOTROW_ASSERT(put.settings != nullptr);
  const auto* before = rows.find<PromotionRow>(promotion_key(put.promotion));
  if (before == nullptr) return create(put, envelope, now);
  now = monotone(*before, now);
  if (put.only_create) return precondition_failed(*before, "The promotion exists already.", now);
  if (auto refusal = version_refusal(*before, put.if_version, now)) return std::move(*refusal);
  if (*put.settings == *before->settings) return unchanged(*before, now);

  const bool frozen =
      before->phase == PromotionPhase::closed || before->entries > 0 || now >= before->settings->starts_at;
  auto refusal = frozen ? freeze_refusal(*before, put, now) : settings_refusal(*put.settings, now);
  if (refusal) return std::move(*refusal);

  Revision revision(*before, envelope, now, RowWrite::How::update);
  revision.row().settings = put.settings;
  revision.row().version += 1;
  revision.add_event("promotion.changed", std::nullopt,
                     changed_data(before, revision.row(), envelope, put.reason));
  return accept_promotion(revision, false);
}

Ruling decide_change(const ChangePromotion& change, const Envelope& envelope, const RowSet& rows,
                     Timestamp now) {
  const auto* before = rows.find<PromotionRow>(promotion_key(change.promotion));
  if (before == nullptr) return promotion_not_found(change.promotion);
  now = monotone(*before, now);
  if (auto refusal = version_refusal(*before, change.if_version, now)) return std::move(*refusal);

  const bool closing =
      change.action == PromotionAction::close || change.action == PromotionAction::close_when_ended;
  if (before->phase == PromotionPhase::closed) {
    if (closing) return unchanged(*before, now);
    return closed(*before);
  }
  if (change.action == PromotionAction::close_when_ended && !has_ended(*before, now)) {
    return Rejection{.code = RejectionCode::not_ended, .detail = "The promotion's end has not come."};
  }

  Revision revision(*before, envelope, now, RowWrite::How::update);
  if (closing) {
    const bool by_schedule = change.action == PromotionAction::close_when_ended;
    revision.close(by_schedule ? "schedule" : "operator:" + envelope.actor, change.reason);
    return accept_promotion(revision, false);
  }
  if (has_ended(*before, now)) return closed(*before);
  const PromotionPhase after =
      change.action == PromotionAction::pause ? PromotionPhase::paused : PromotionPhase::active;
  if (before->phase == after) return unchanged(*before, now);
  revision.row().phase = after;
  revision.row().version += 1;
  revision.add_event("promotion.changed", std::nullopt,
                     changed_data(before, revision.row(), envelope, change.reason));
  return accept_promotion(revision, false);
}

Ruling decide_enter(const EnterPromotion& enter, const Envelope& envelope, const RowSet& rows,
                    Timestamp now) {
  const auto* promotion = rows.find<PromotionRow>(promotion_key(enter.promotion));
  if (promotion == nullptr) return promotion_not_found(enter.promotion);
  now = monotone(*promotion, now);
  // Whatever has happened since: who has a place is told that place.
  if (const auto* entry = rows.find<EntryRow>(entry_key(enter.promotion, enter.user))) {
    return Acceptance{.outcome = answer_of(*entry, *promotion, now, true)};
  }
  if (auto refusal = user_refusal(*promotion, enter.user)) return std::move(*refusal);
  if (auto refusal = desk_refusal(*promotion, now)) return std::move(*refusal);

  Revision revision(*promotion, envelope, now, RowWrite::How::update);
  EntryAnswer answer = admit(revision, enter.user, envelope);
  return Acceptance{.outcome = std::move(answer), .changes = revision.take()};
}

Ruling decide_enter_batch(const EnterPromotionBatch& batch, const Envelope& envelope, const RowSet& rows,
                          Timestamp now) {
  const auto* promotion = rows.find<PromotionRow>(promotion_key(batch.promotion));
  if (promotion == nullptr) return promotion_not_found(batch.promotion);
  now = monotone(*promotion, now);

  Revision revision(*promotion, envelope, now, RowWrite::How::update);
  std::map<std::string, EntryAnswer> admitted;  // A user named twice gets one place.
  EntriesAnswer answer{.promotion = batch.promotion, .server_time = now};
  for (const std::string& user : batch.users) {
    if (const auto* entry = rows.find<EntryRow>(entry_key(batch.promotion, user))) {
      answer.results.emplace_back(answer_of(*entry, *promotion, now, true));
    } else if (const auto earlier = admitted.find(user); earlier != admitted.end()) {
      answer.results.emplace_back(earlier->second);
      std::get<EntryAnswer>(answer.results.back()).already = true;
    } else if (auto refusal = user_refusal(*promotion, user)) {
      answer.results.emplace_back(EntryRefusal{.user = user, .rejection = std::move(*refusal)});
    } else if (auto shut = desk_refusal(revision.row(), now)) {
      answer.results.emplace_back(EntryRefusal{.user = user, .rejection = std::move(*shut)});
    } else {
      const EntryAnswer place = admit(revision, user, envelope);
      admitted.emplace(user, place);
      answer.results.emplace_back(place);
    }
  }
  HOTROW_ASSERT(answer.results.size() == batch.users.size());
  if (admitted.empty()) return Acceptance{.outcome = std::move(answer)};
  return Acceptance{.outcome = std::move(answer), .changes = revision.take()};
}

}  // namespace hotrow
