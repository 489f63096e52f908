#include "hotrow/http/promotion_json.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <string>

#include "hotrow/core/json.hpp"

namespace hotrow::http {
namespace {

constexpr std::array<std::string_view, 5> state_names = {"scheduled", "open", "paused", "closing", "closed"};

void write_settings(JsonWriter& json, const PromotionSettings& settings) {
  const auto text = [&](const std::string& value) { json.text(value); };
  json.key("title").text(settings.title);
  json.key("rule").raw(encode_rule(settings.rule));
  json.key("starts_at").time(settings.starts_at);
  write_optional(json.key("ends_at"), settings.ends_at, [&](Timestamp at) { json.time(at); });
  write_optional(json.key("max_entries"), settings.max_entries, [&](std::int64_t n) { json.integer(n); });
  json.key("close_on_last_winner").flag(settings.close_on_last_winner);
  write_optional(json.key("prize"), settings.prize,
                 [&](const Prize& prize) { json.raw(boost::json::serialize(to_json(prize))); });
  write_optional(json.key("terms"), settings.terms, text);
  write_optional(json.key("user_id_pattern"), settings.user_id_pattern,
                 [&](const Pattern& pattern) { json.text(pattern.expression()); });
  json.key("intake").text("direct");
}

void write_closing(JsonWriter& json, const PromotionRow& row) {
  if (!row.closing) {
    json.key("closed_at").null().key("closed_by").null().key("close_reason").null();
    return;
  }
  json.key("closed_at").time(row.closing->at);
  json.key("closed_by").text(row.closing->by);
  json.key("close_reason").text(row.closing->reason);
  json.key("targets_unreached").begin_array();
  for (const std::int64_t ordinal : targets_unreached(row)) json.integer(ordinal);
  json.end_array();
  const std::int64_t total = targets_unreached_total(row);
  if (total > std::int64_t(targets_unreached_max)) json.key("targets_unreached_total").integer(total);
}

}  // namespace

std::string_view to_string(PromotionState state) { return state_names[std::size_t(state)]; }

std::optional<PromotionState> promotion_state_from_string(std::string_view name) {
  for (std::size_t i = 0; i < state_names.size(); ++i) {
    if (state_names[i] == name) return PromotionState(i);
  }
  return std::nullopt;
}

PromotionView promotion_view(const PromotionAnswer& answer) {
  PromotionView view{.row = answer.promotion, .server_time = answer.server_time};
  if (answer.promotion.winners == 0) view.winners = std::span<const WinnerRow>();
  return view;
}

void write_promotion(JsonWriter& json, const PromotionView& view) {
  const PromotionRow& row = view.row;
  json.begin_object();
  json.key("id").text(row.id);
  write_settings(json, *row.settings);
  json.key("state").text(to_string(state_at(row, view.server_time)));
  json.key("entries").integer(row.entries);
  json.key("winner_count").integer(row.winners);
  if (view.winners) {
    json.key("winners").begin_array();
    for (const WinnerRow& winner : *view.winners) write_winner(json, winner);
    json.end_array();
  }
  write_closing(json, row);
  json.key("created_at").time(row.created_at);
  json.key("version").integer(row.version);
  json.key("server_time").time(view.server_time);
  json.end_object();
}

void write_entry(JsonWriter& json, const EntryAnswer& entry) {
  json.begin_object();
  json.key("promotion_id").text(entry.promotion);
  json.key("user_id").text(entry.user);
  json.key("ordinal").integer(entry.ordinal);
  json.key("winner").flag(entry.winner);
  json.key("already").flag(entry.already);
  json.key("entered_at").time(entry.entered_at);
  json.key("server_time").time(entry.server_time);
  json.end_object();
}

void write_entry_item(JsonWriter& json, const EntryRow& entry, const Rule& rule) {
  json.begin_object();
  json.key("promotion_id").text(entry.promotion);
  json.key("user_id").text(entry.user);
  json.key("ordinal").integer(entry.ordinal);
  json.key("winner").flag(is_target(rule, entry.ordinal));
  json.key("entered_at").time(entry.entered_at);
  json.end_object();
}

void write_winner(JsonWriter& json, const WinnerRow& winner) {
  json.begin_object();
  json.key("ordinal").integer(winner.ordinal);
  json.key("user_id").text(winner.user);
  json.key("entered_at").time(winner.entered_at);
  json.end_object();
}

}  // namespace hotrow::http
