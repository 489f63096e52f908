#pragma once

#include <string_view>

// The data of the auction's events: JSON Schema 2020-12, a consumer's contract for ever once released.
namespace hotrow::http::event_schemas {

inline constexpr std::string_view created = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.created/1",
  "title": "An item was put up for sale",
  "type": "object",
  "required": ["listing_id", "seller_id", "item_id", "family", "currency", "start_price",
               "buyout_price", "ends_at", "deposit"],
  "properties": {
    "listing_id": {"type": "string"},
    "seller_id": {"type": "string"},
    "item_id": {"type": "string"},
    "family": {"type": "string"},
    "currency": {"type": "string"},
    "start_price": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
    "buyout_price": {"type": ["integer", "null"], "minimum": 1},
    "ends_at": {"type": "string", "format": "date-time"},
    "deposit": {"type": "integer", "minimum": 0, "maximum": 9007199254740991}
  }
})json";

inline constexpr std::string_view bid_placed = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.bid_placed/1",
  "title": "Somebody leads now, or raised his own bid",
  "type": "object",
  "required": ["listing_id", "bid_id", "bidder_id", "amount", "previous_bidder_id", "min_next_bid",
               "ends_at"],
  "properties": {
    "listing_id": {"type": "string"},
    "bid_id": {"type": "string"},
    "bidder_id": {"type": "string"},
    "amount": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
    "previous_bidder_id": {"type": ["string", "null"], "description": "The bidder himself when he raised."},
    "min_next_bid": {"type": ["integer", "null"], "minimum": 1, "maximum": 9007199254740991,
      "description": "null when no bid can follow."},
    "ends_at": {"type": "string", "format": "date-time"}
  }
})json";

inline constexpr std::string_view outbid = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.outbid/1",
  "title": "A leader lost his lead and has his money back",
  "type": "object",
  "required": ["listing_id", "bid_id", "outbid_bidder_id", "refunded", "by_amount"],
  "properties": {
    "listing_id": {"type": "string"},
    "bid_id": {"type": "string", "description": "The bid that no longer leads."},
    "outbid_bidder_id": {"type": "string"},
    "refunded": {
      "type": "array",
      "description": "What went back to whom.",
      "items": {
        "type": "object",
        "required": ["owner", "amount"],
        "properties": {"owner": {"type": "string"}, "amount": {"type": "integer", "minimum": 1}}
      }
    },
    "by_amount": {"type": "integer", "minimum": 1, "description": "The new bid, or the price of a buyout."}
  }
})json";

inline constexpr std::string_view extended = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.extended/1",
  "title": "A late bid moved the end",
  "type": "object",
  "required": ["listing_id", "ends_at", "extensions"],
  "properties": {
    "listing_id": {"type": "string"},
    "ends_at": {"type": "string", "format": "date-time"},
    "extensions": {"type": "integer", "minimum": 0, "maximum": 9007199254740991}
  }
})json";

inline constexpr std::string_view set_aside = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.set_aside/1",
  "title": "Nothing goes on until an operator has looked at the listing",
  "type": "object",
  "required": ["listing_id", "reason"],
  "properties": {
    "listing_id": {"type": "string"},
    "reason": {"type": "string"}
  }
})json";

inline constexpr std::string_view sold = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.sold/1",
  "title": "A listing was sold",
  "type": "object",
  "required": ["listing_id", "item_id", "seller_id", "buyer_id", "price", "cut", "seller_part",
               "deposit_released", "via"],
  "properties": {
    "listing_id": {"type": "string"},
    "item_id": {"type": "string"},
    "seller_id": {"type": "string"},
    "buyer_id": {"type": "string"},
    "price": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
    "cut": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
    "seller_part": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
    "deposit_released": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
    "via": {"type": "string", "enum": ["bid", "buyout"]}
  }
})json";

inline constexpr std::string_view expired = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.expired/1",
  "title": "A listing ended without a bid",
  "type": "object",
  "required": ["listing_id", "item_id", "seller_id", "item_to", "deposit_kept"],
  "properties": {
    "listing_id": {"type": "string"},
    "item_id": {"type": "string"},
    "seller_id": {"type": "string"},
    "item_to": {"type": "string", "description": "player:<id> or guild:<id>"},
    "deposit_kept": {"type": "integer", "minimum": 0, "maximum": 9007199254740991}
  }
})json";

inline constexpr std::string_view cancelled = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.cancelled/1",
  "title": "The seller took a listing back",
  "type": "object",
  "required": ["listing_id", "item_id", "seller_id", "item_to", "deposit_kept"],
  "properties": {
    "listing_id": {"type": "string"},
    "item_id": {"type": "string"},
    "seller_id": {"type": "string"},
    "item_to": {"type": "string", "description": "player:<id> or guild:<id>"},
    "deposit_kept": {"type": "integer", "minimum": 0, "maximum": 9007199254740991}
  }
})json";

inline constexpr std::string_view voided = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/listing.voided/1",
  "title": "An operator gave everything back to where it came from",
  "type": "object",
  "required": ["listing_id", "item_id", "seller_id", "item_to", "deposit_kept", "refunded", "reason",
               "by"],
  "properties": {
    "listing_id": {"type": "string"},
    "item_id": {"type": "string"},
    "seller_id": {"type": "string"},
    "item_to": {"type": "string", "description": "player:<id> or guild:<id>"},
    "deposit_kept": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
    "refunded": {
      "type": "array",
      "description": "What went back to whom.",
      "items": {
        "type": "object",
        "required": ["owner", "amount"],
        "properties": {"owner": {"type": "string"}, "amount": {"type": "integer", "minimum": 1}}
      }
    },
    "reason": {"type": "string"},
    "by": {"type": "string", "description": "Name of the API key."}
  }
})json";

inline constexpr std::string_view item_withdrawn = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/item.withdrawn/1",
  "title": "An item left for the game",
  "type": "object",
  "required": ["item_id", "owner"],
  "properties": {
    "item_id": {"type": "string"},
    "owner": {"type": "string", "description": "player:<id> or guild:<id>"}
  }
})json";

inline constexpr std::string_view player_restricted = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/player.restricted/1",
  "title": "An operator blocked a player from trade, or allowed it again",
  "type": "object",
  "required": ["player_id", "trade", "reason", "by"],
  "properties": {
    "player_id": {"type": "string"},
    "trade": {"type": "string", "enum": ["allowed", "blocked"]},
    "reason": {"type": "string"},
    "by": {"type": "string", "description": "Name of the API key."}
  }
})json";

inline constexpr std::string_view market_changed = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/market.changed/1",
  "title": "An operator paused or resumed all trade",
  "type": "object",
  "required": ["paused", "extended_by_us", "reason", "by"],
  "properties": {
    "paused": {"type": "boolean"},
    "extended_by_us": {"type": "integer", "minimum": 0, "description": "Microseconds by which every active end moved."},
    "reason": {"type": "string"},
    "by": {"type": "string", "description": "Name of the API key."}
  }
})json";

inline constexpr std::string_view policy_changed = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/policy.changed/1",
  "title": "An operator changed what is limited, and for whom",
  "type": "object",
  "required": ["policy", "before", "after", "reason", "by"],
  "properties": {
    "policy": {"type": "string",
      "description": "players, player/<id>, family/<family>, listing/<id> or promotion/<id>"},
    "before": {"type": "object", "$ref": "#/$defs/limits"},
    "after": {"type": "object", "$ref": "#/$defs/limits"},
    "reason": {"type": "string", "description": "Empty when none was given."},
    "by": {"type": "string", "description": "Name of the API key."}
  },
  "$defs": {
    "limits": {
      "description": "What is set; a limit that is not stands for nothing.",
      "properties": {
        "max_leading_bids": {"type": "integer", "minimum": 0},
        "max_active_listings": {"type": "integer", "minimum": 0},
        "bid_window_ms": {"type": "integer", "minimum": 0, "maximum": 5000},
        "buyouts_per_player_per_minute": {"type": "integer", "minimum": 0},
        "buyout_quiet_seconds": {"type": "integer", "minimum": 0, "maximum": 2592000},
        "queue_max": {"type": "integer", "minimum": 1}
      }
    }
  }
})json";

}  // namespace hotrow::http::event_schemas
