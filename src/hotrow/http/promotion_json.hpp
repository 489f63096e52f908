#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "hotrow/core/outcome.hpp"
#include "hotrow/core/promotion.hpp"
#include "hotrow/http/json_text.hpp"

// The one JSON form of promotions, entries and winners in bodies, streams and exports. Pure: the same
// value gives the same bytes.
namespace hotrow::http {

std::string_view to_string(PromotionState state);
std::optional<PromotionState> promotion_state_from_string(std::string_view name);

/// A promotion as seen at one time.
struct PromotionView {
  const PromotionRow& row;
  Timestamp server_time;
  /// Left out of the body when unknown: the answer of a command is rendered without reading.
  std::optional<std::span<const WinnerRow>> winners = {};
};

/// A command's answer knows its winners only when there are none.
PromotionView promotion_view(const PromotionAnswer& answer);

void write_promotion(JsonWriter& json, const PromotionView& view);

void write_entry(JsonWriter& json, const EntryAnswer& entry);

/// As it stands in lists and exports. `rule` is the promotion's.
void write_entry_item(JsonWriter& json, const EntryRow& entry, const Rule& rule);

void write_winner(JsonWriter& json, const WinnerRow& winner);

}  // namespace hotrow::http
