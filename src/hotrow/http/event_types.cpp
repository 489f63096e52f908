#include "hotrow/http/event_types.hpp"

#include <algorithm>
#include <array>

#include "hotrow/http/market_event_schemas.hpp"

namespace hotrow::http {
namespace {

constexpr std::string_view winner_schema = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/promotion.winner_determined/1",
  "title": "A winner was determined",
  "description": "Written in the transaction that gave out the place. Pay once per event id.",
  "type": "object",
  "required": ["promotion_id", "ordinal", "user_id", "prize", "entered_at", "terms_sha256"],
  "properties": {
    "promotion_id": {"type": "string"},
    "ordinal": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
    "user_id": {"type": "string"},
    "prize": {
      "type": ["object", "null"],
      "required": ["amount", "currency"],
      "properties": {
        "amount": {"type": "integer", "minimum": 1, "description": "In minor units of the currency."},
        "currency": {"type": "string"},
        "description": {"type": "string"}
      }
    },
    "entered_at": {"type": "string", "format": "date-time"},
    "terms_sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"}
  }
})json";

constexpr std::string_view closed_schema = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/promotion.closed/1",
  "title": "A promotion was closed for ever",
  "type": "object",
  "required": ["promotion_id", "entries", "winners", "targets_unreached", "closed_by", "reason", "closed_at"],
  "properties": {
    "promotion_id": {"type": "string"},
    "entries": {"type": "integer", "minimum": 0},
    "winners": {"type": "integer", "minimum": 0},
    "targets_unreached": {
      "type": "array",
      "maxItems": 1000,
      "description": "Winning places that nobody reached, ascending; the first 1000.",
      "items": {"type": "integer", "minimum": 1}
    },
    "targets_unreached_total": {"type": "integer", "description": "All of them, where there are more than 1000."},
    "closed_by": {"type": "string", "description": "operator:<API key>, schedule or last_winner."},
    "reason": {"type": "string"},
    "closed_at": {"type": "string", "format": "date-time"}
  }
})json";

constexpr std::string_view changed_schema = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/promotion.changed/1",
  "title": "A promotion was created, its settings changed, or it was paused or resumed",
  "type": "object",
  "required": ["promotion_id", "before", "after", "reason", "by"],
  "properties": {
    "promotion_id": {"type": "string"},
    "before": {
      "description": "null when it was created.",
      "type": ["object", "null"],
      "$ref": "#/$defs/state"
    },
    "after": {"type": "object", "$ref": "#/$defs/state"},
    "reason": {"type": "string"},
    "by": {"type": "string", "description": "Name of the API key."}
  },
  "$defs": {
    "state": {
      "properties": {
        "title": {"type": "string"},
        "rule": {"type": "object"},
        "starts_at": {"type": "string", "format": "date-time"},
        "ends_at": {"type": ["string", "null"], "format": "date-time"},
        "max_entries": {"type": ["integer", "null"]},
        "close_on_last_winner": {"type": "boolean"},
        "prize": {"type": ["object", "null"]},
        "terms": {"type": ["string", "null"]},
        "user_id_pattern": {"type": ["string", "null"]},
        "intake": {"type": "string"},
        "phase": {"type": "string", "enum": ["active", "paused", "closed"]},
        "version": {"type": "integer", "minimum": 1}
      }
    }
  }
})json";

constexpr std::array types = {
    EventType{"promotion.winner_determined", winner_schema},
    EventType{"promotion.closed", closed_schema},
    EventType{"promotion.changed", changed_schema},
    EventType{"listing.created", event_schemas::created},
    EventType{"listing.bid_placed", event_schemas::bid_placed},
    EventType{"listing.outbid", event_schemas::outbid},
    EventType{"listing.extended", event_schemas::extended},
    EventType{"listing.set_aside", event_schemas::set_aside},
    EventType{"listing.sold", event_schemas::sold},
    EventType{"listing.expired", event_schemas::expired},
    EventType{"listing.cancelled", event_schemas::cancelled},
    EventType{"listing.voided", event_schemas::voided},
    EventType{"item.withdrawn", event_schemas::item_withdrawn},
    EventType{"player.restricted", event_schemas::player_restricted},
    EventType{"market.changed", event_schemas::market_changed},
    EventType{"policy.changed", event_schemas::policy_changed},
};

}  // namespace

std::span<const EventType> event_types() { return types; }

const EventType* find_event_type(std::string_view type) {
  const auto found = std::ranges::find(types, type, &EventType::type);
  return found != types.end() ? &*found : nullptr;
}

}  // namespace hotrow::http
