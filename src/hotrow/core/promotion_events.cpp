#include "hotrow/core/promotion_events.hpp"

#include "hotrow/base/assert.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/core/promotion.hpp"

namespace hotrow {

namespace json = boost::json;

json::object winner_determined_data(const PromotionRow& promotion, const EntryRow& entry) {
  const PromotionSettings& settings = *promotion.settings;
  json::object data{{"promotion_id", promotion.id}, {"ordinal", entry.ordinal}, {"user_id", entry.user}};
  data["prize"] = settings.prize ? json::value(to_json(*settings.prize)) : json::value(nullptr);
  data["entered_at"] = format_rfc3339(entry.entered_at);
  data["terms_sha256"] = settings.terms ? json::value(to_hex(sha256(*settings.terms))) : json::value(nullptr);
  return data;
}

void tell_entry(json::object& data, const EntryRow& entry) {
  data["ordinal"] = entry.ordinal;
  data["user_id"] = entry.user;
  data["entered_at"] = format_rfc3339(entry.entered_at);
}

json::object promotion_closed_data(const PromotionRow& promotion) {
  HOTROW_ASSERT(promotion.closing.has_value());
  json::array unreached;
  for (const std::int64_t ordinal : targets_unreached(promotion)) unreached.emplace_back(ordinal);
  json::object data{{"promotion_id", promotion.id},
                    {"entries", promotion.entries},
                    {"winners", promotion.winners},
                    {"targets_unreached", std::move(unreached)},
                    {"closed_by", promotion.closing->by},
                    {"reason", promotion.closing->reason},
                    {"closed_at", format_rfc3339(promotion.closing->at)}};
  const std::int64_t total = targets_unreached_total(promotion);
  if (total > std::int64_t(targets_unreached_max)) data["targets_unreached_total"] = total;
  return data;
}

json::object promotion_view(const PromotionRow& promotion) {
  json::object view = to_json(*promotion.settings);
  view["phase"] = to_string(promotion.phase);
  view["version"] = promotion.version;
  return view;
}

}  // namespace hotrow
