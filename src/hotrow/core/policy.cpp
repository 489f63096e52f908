#include "hotrow/core/policy.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/core/auction_steps.hpp"
#include "hotrow/core/event.hpp"
#include "hotrow/core/policy_json.hpp"
#include "hotrow/core/promotion.hpp"

namespace hotrow {
namespace {

const PolicyRow* find_policy(const RowSet& rows, PolicyScope scope, const std::string& id) {
  const Row* row = rows.peek(policy_key({.scope = scope, .id = id}));
  return row != nullptr ? &std::get<PolicyRow>(*row) : nullptr;
}

Pressure pressure_in(const RowSet& rows, PolicyScope scope, const std::string& id) {
  const PolicyRow* policy = find_policy(rows, scope, id);
  return policy != nullptr ? policy->pressure : Pressure{};
}

/// The row that must exist for a policy of its own; nullopt when the scope has none.
std::optional<Key> subject_of(const PolicyId& id) {
  if (id.scope == PolicyScope::listing) return listing_key(id.id);
  if (id.scope == PolicyScope::promotion) return promotion_key(id.id);
  return std::nullopt;
}

std::optional<Rejection> subject_refusal(const PolicyId& id, const RowSet& rows) {
  const std::optional<Key> subject = subject_of(id);
  if (!subject || rows.peek(*subject) != nullptr) return std::nullopt;
  return id.scope == PolicyScope::listing ? listing_not_found(id.id) : promotion_not_found(id.id);
}

/// If-Match: a policy that was never set has no version that anybody could have seen.
std::optional<Rejection> version_refusal(const PolicyRow& policy, const VersionMatch& expected,
                                         Timestamp now) {
  if (!expected || (expected.admits(policy.version) && policy.version > 0)) return std::nullopt;
  PresentState current{.state = PolicyAnswer{.policy = policy, .server_time = now}};
  return Rejection{.code = RejectionCode::precondition_failed,
                   .detail = "The policy has changed since that version.",
                   .figures = {{"version", policy.version}},
                   .current = std::make_shared<const PresentState>(std::move(current))};
}

RowWrite policy_write(PolicyRow policy) {
  const auto how = policy.version == 1 ? RowWrite::How::insert : RowWrite::How::update;
  return {.key = policy_key(policy.id), .row = std::move(policy), .how = how};
}

/// The copy that entries see.
RowWrite promotion_write(const PolicyRow& policy, const RowSet& rows) {
  const Key key = promotion_key(policy.id.id);
  PromotionRow promotion = *rows.find<PromotionRow>(key);
  promotion.queue_max = policy.pressure.queue_max;
  return {.key = key, .row = std::move(promotion), .how = RowWrite::How::update};
}

}  // namespace

void policy_needs(const SetPolicy& set, Keys& out) {
  if (std::optional<Key> subject = subject_of(set.policy)) out.push_back(std::move(*subject));
  out.push_back(policy_key(set.policy));
}

Ruling decide_set_policy(const SetPolicy& set, const Envelope& envelope, const RowSet& rows, Timestamp now) {
  if (auto refusal = subject_refusal(set.policy, rows)) return std::move(*refusal);
  const auto* before = rows.find<PolicyRow>(policy_key(set.policy));
  const PolicyRow was = before != nullptr ? *before : PolicyRow{.id = set.policy};
  if (auto refusal = version_refusal(was, set.if_version, now)) return std::move(*refusal);
  PolicyRow policy = was;
  if (set.players) policy.players = *set.players;
  if (set.pressure) policy.pressure = *set.pressure;
  if (policy.players == was.players && policy.pressure == was.pressure) {
    return Acceptance{.outcome = PolicyAnswer{.policy = policy, .server_time = now}};
  }
  policy.reason = set.reason;
  ++policy.version;
  HOTROW_ASSERT(policy.version >= 1);
  const EventSubject subject{
      .kind = "policy", .id = to_string(policy.id), .events = policy.events, .at = now};
  Acceptance acceptance;
  acceptance.changes.push_back(next_event(subject, "policy.changed",
                                          {{"policy", to_string(policy.id)},
                                           {"before", limits_json(was)},
                                           {"after", limits_json(policy)},
                                           {"reason", set.reason},
                                           {"by", envelope.actor}},
                                          envelope));
  if (policy.id.scope == PolicyScope::promotion) acceptance.changes.push_back(promotion_write(policy, rows));
  acceptance.outcome = PolicyAnswer{.policy = policy, .server_time = now};
  acceptance.changes.push_back(policy_write(std::move(policy)));
  return acceptance;
}

void limit_needs(const std::string& player, Keys& out) {
  out.push_back(policy_key({.scope = PolicyScope::players}));
  out.push_back(policy_key({.scope = PolicyScope::player, .id = player}));
}

PlayerLimits limits_of(const RowSet& rows, const std::string& player) {
  const PolicyRow* everybody = find_policy(rows, PolicyScope::players, {});
  const PolicyRow* own = find_policy(rows, PolicyScope::player, player);
  return merged(own != nullptr ? own->players : PlayerLimits{},
                everybody != nullptr ? everybody->players : PlayerLimits{});
}

void pressure_needs(const std::string& listing, const std::string& family, Keys& out) {
  out.push_back(policy_key({.scope = PolicyScope::listing, .id = listing}));
  out.push_back(policy_key({.scope = PolicyScope::family, .id = family}));
}

std::optional<Pressure> pressure_on(const ListingRow& listing, const RowSet& rows) {
  HOTROW_ASSERT(listing.terms != nullptr);
  const PolicyId family{.scope = PolicyScope::family, .id = listing.terms->item.family};
  if (!rows.fetched(policy_key(family))) return std::nullopt;
  return merged(pressure_in(rows, PolicyScope::listing, listing.id),
                pressure_in(rows, PolicyScope::family, listing.terms->item.family));
}

Pressure pressure_on(const Row& hot_row, const RowSet& rows) {
  if (const auto* promotion = std::get_if<PromotionRow>(&hot_row)) return {.queue_max = promotion->queue_max};
  const auto* listing = std::get_if<ListingRow>(&hot_row);
  return listing != nullptr ? pressure_on(*listing, rows).value_or(Pressure{}) : Pressure{};
}

std::optional<Rejection> limit_refusal(const char* what, const std::optional<std::int64_t>& limit,
                                       std::int64_t used) {
  if (!limit || used < *limit) return std::nullopt;
  return Rejection{.code = RejectionCode::limit_reached,
                   .detail = "A limit is reached.",
                   .figures = {{"limit_name", std::string(what)}, {"limit", *limit}, {"used", used}}};
}

}  // namespace hotrow
