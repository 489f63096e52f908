#include "hotrow/http/openapi_schemas.hpp"

#include <boost/json/parse.hpp>
#include <string_view>

#include "hotrow/http/schema_pieces.hpp"

namespace hotrow::http {
namespace {

constexpr std::string_view promotion_schemas = R"json({
"NthRule": {"type":"object","description":"Exactly these places win.","required":["kind","targets"],
  "properties":{"kind":{"type":"string","const":"nth"},
    "targets":{"type":"array","minItems":1,"maxItems":100,"uniqueItems":true,"items":@ordinal}}},
"EveryRule": {"type":"object","description":"Every interval-th place wins, `winners` times.",
  "required":["kind","interval","winners"],
  "properties":{"kind":{"type":"string","const":"every"},"interval":@ordinal,
    "winners":{"type":"integer","minimum":1,"maximum":1000000}}},
"FirstRule": {"type":"object","description":"The first `count` places win, and there are no others.",
  "required":["kind","count"],
  "properties":{"kind":{"type":"string","const":"first"},"count":@ordinal,
    "shards":{"type":"integer","const":1}}},
"Rule": {"oneOf":[{"$ref":"#/components/schemas/NthRule"},{"$ref":"#/components/schemas/EveryRule"},
    {"$ref":"#/components/schemas/FirstRule"}],
  "discriminator":{"propertyName":"kind","mapping":{"nth":"#/components/schemas/NthRule",
    "every":"#/components/schemas/EveryRule","first":"#/components/schemas/FirstRule"}}},
"Prize": {"type":"object","description":"hotrow carries it and never pays it.","required":["amount","currency"],
  "properties":{"amount":{"type":"integer","minimum":1,"maximum":9007199254740991,
      "description":"In minor units of the currency."},
    "currency":{"type":"string","pattern":"^[A-Za-z0-9_]{1,16}$"},
    "description":{"type":"string","maxLength":500}}},
"PromotionInput": {"type":"object","required":["title","rule","starts_at"],"additionalProperties":false,
  "properties":{"title":{"type":"string","minLength":1,"maxLength":200},
    "rule":{"$ref":"#/components/schemas/Rule"},
    "starts_at":@time,
    "ends_at":{"type":["string","null"],"format":"date-time","description":"An entry at exactly ends_at is too late."},
    "max_entries":{"type":["integer","null"],"minimum":1,"maximum":9007199254740991},
    "close_on_last_winner":{"type":"boolean","default":false},
    "prize":{"$ref":"#/components/schemas/Prize"},
    "terms":{"type":["string","null"],"maxLength":32768,"description":"Winners' events carry its SHA-256."},
    "user_id_pattern":{"type":["string","null"],"maxLength":1000,
      "description":"RE2; must match a whole user_id."},
    "intake":{"type":"string","const":"direct"},
    "reason":{"type":"string","minLength":1,"maxLength":500,"description":"Required when a frozen promotion's end moves."}}},
"Promotion": {"type":"object",
  "required":["id","title","rule","starts_at","ends_at","max_entries","close_on_last_winner","prize","terms",
    "user_id_pattern","intake","state","entries","winner_count","closed_at","closed_by","close_reason",
    "created_at","version","server_time"],
  "properties":{"id":@id,"title":@text,"rule":{"$ref":"#/components/schemas/Rule"},
    "starts_at":@time,"ends_at":@maybe_time,"max_entries":{"type":["integer","null"]},
    "close_on_last_winner":@flag,
    "prize":{"oneOf":[{"$ref":"#/components/schemas/Prize"},{"type":"null"}]},
    "terms":@maybe_text,"user_id_pattern":@maybe_text,"intake":{"type":"string","const":"direct"},
    "state":{"$ref":"#/components/schemas/PromotionState"},
    "entries":@count,"winner_count":@count,
    "winners":{"type":"array","maxItems":1000,"items":{"$ref":"#/components/schemas/Winner"},
      "description":"The first 1000; more at /winners. Left out of a command's answer when there are any."},
    "targets_unreached":{"type":"array","maxItems":1000,"items":@ordinal,
      "description":"Once closed: winning places that nobody reached, the first 1000."},
    "targets_unreached_total":{"type":"integer","description":"All of them, where there are more than 1000."},
    "closed_at":@maybe_time,
    "closed_by":{"type":["string","null"],"description":"operator:<API key>, schedule or last_winner."},
    "close_reason":@maybe_text,"created_at":@time,
    "version":{"type":"integer","minimum":1,"description":"Counts changes of settings and state, not entries. The ETag."},
    "server_time":@time}},
"PromotionState": {"type":"string","enum":["scheduled","open","paused","closing","closed"]},
"PromotionList": {"type":"object","required":["items","next_cursor"],
  "properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Promotion"}},"next_cursor":@cursor}},
"Winner": {"type":"object","required":["ordinal","user_id","entered_at"],
  "properties":{"ordinal":@ordinal,"user_id":@id,"entered_at":@time}},
"WinnerList": {"type":"object","required":["items","next_cursor"],
  "properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Winner"}},"next_cursor":@cursor}},
"ReasonInput": {"type":"object","required":["reason"],"additionalProperties":false,
  "properties":{"reason":{"type":"string","minLength":1,"maxLength":500}}}
})json";

constexpr std::string_view entry_schemas = R"json({
"EntryInput": {"type":"object","required":["user_id"],"additionalProperties":false,"properties":{"user_id":@id}},
"EntriesInput": {"type":"object","required":["user_ids"],"additionalProperties":false,
  "properties":{"user_ids":{"type":"array","minItems":1,"maxItems":1000,"items":@id}}},
"Entry": {"type":"object",
  "required":["promotion_id","user_id","ordinal","winner","already","entered_at","server_time"],
  "properties":{"promotion_id":@id,"user_id":@id,
    "ordinal":{"type":"integer","minimum":1,"maximum":9007199254740991,
      "description":"The place in commit order: 1, 2, 3, ... without a gap or a repeat."},
    "winner":@flag,
    "already":{"type":"boolean","description":"The place was given out by an earlier request."},
    "entered_at":@time,"server_time":@time}},
"EntryItem": {"type":"object","required":["promotion_id","user_id","ordinal","winner","entered_at"],
  "properties":{"promotion_id":@id,"user_id":@id,"ordinal":@ordinal,"winner":@flag,"entered_at":@time}},
"EntryList": {"type":"object","required":["items","next_cursor"],
  "properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/EntryItem"}},"next_cursor":@cursor}},
"EntryRefusal": {"type":"object","required":["user_id","problem"],
  "properties":{"user_id":@id,"problem":{"$ref":"#/components/schemas/Problem"}}},
"EntryResult": {"oneOf":[{"$ref":"#/components/schemas/Entry"},{"$ref":"#/components/schemas/EntryRefusal"}]},
"EntryResults": {"type":"object","required":["results"],
  "properties":{"results":{"type":"array","description":"In the order asked.",
    "items":{"$ref":"#/components/schemas/EntryResult"}}}},
"Neighbours": {"type":"object","required":["before","after"],
  "properties":{"before":{"type":"array","maxItems":3,"items":{"$ref":"#/components/schemas/EntryItem"}},
    "after":{"type":"array","maxItems":3,"items":{"$ref":"#/components/schemas/EntryItem"}}}},
"WinnerStory": {"type":"object",
  "required":["promotion_id","ordinal","entry","neighbours","rule","terms_sha256","request_id","api_key",
    "server","place_in_batch","event","deliveries","operator_actions","server_time"],
  "properties":{"promotion_id":@id,"ordinal":@ordinal,"entry":{"$ref":"#/components/schemas/EntryItem"},
    "neighbours":{"$ref":"#/components/schemas/Neighbours"},"rule":{"$ref":"#/components/schemas/Rule"},
    "terms_sha256":@maybe_text,
    "request_id":{"type":"string","description":"X-Request-Id of the request that took the place."},
    "api_key":{"type":"string","description":"Name of the API key that made it."},
    "server":{"type":"string","description":"Name of the server that took it."},
    "place_in_batch":{"type":"integer","minimum":1,"description":"1 for the first of those that were decided together."},
    "event":{"oneOf":[{"$ref":"#/components/schemas/Event"},{"type":"null"}]},
    "deliveries":{"type":"array","description":"Of the event, by those who deliver it.","items":{"type":"object"}},
    "operator_actions":{"type":"array","items":{"$ref":"#/components/schemas/Event"}},
    "server_time":@time}},
"Violation": {"type":"object","required":["invariant","subject","count","detail"],
  "properties":{"invariant":@text,"subject":@text,"count":@count,"detail":@text}},
"Audit": {"type":"object",
  "required":["ok","entries","max_ordinal","gaps","duplicates","winners_expected","winners_pinned",
    "outbox_missing","violations"],
  "properties":{"ok":@flag,"entries":@count,"max_ordinal":@count,"gaps":@count,"duplicates":@count,
    "winners_expected":@count,"winners_pinned":@count,"outbox_missing":@count,
    "violations":{"type":"array","items":{"$ref":"#/components/schemas/Violation"}}}}
})json";

constexpr std::string_view common_schemas = R"json({
"Event": {"type":"object","description":"A CloudEvent 1.0.",
  "required":["specversion","id","source","type","subject","sequence","time","datacontenttype","dataschema","data"],
  "properties":{"specversion":{"type":"string","const":"1.0"},
    "id":{"type":"string","description":"Unique within the source: consumers dedupe by it."},
    "source":{"type":"string","description":"/hotrow/<instance id>"},"type":@text,
    "subject":{"type":"string","description":"promotion/<id>, listing/<id>, item/<id>, player/<id>, market/market or policy/<policy>"},
    "sequence":{"type":"string","pattern":"^[0-9]{20}$","description":"Dense within the subject."},
    "time":@time,"datacontenttype":{"type":"string","const":"application/json"},
    "dataschema":{"type":"string","description":"Served here: /schemas/<type>/1"},
    "traceparent":@text,"data":{"type":"object","description":"As `dataschema` says."}}},
"EventList": {"type":"object","required":["items","next_cursor"],
  "properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Event"}},
    "next_cursor":{"type":"string","description":"For `after`: there is always more to come."}}},
"Status": {"type":"object","required":["status"],
  "properties":{"status":{"type":"string","enum":["ok","ready","draining","store_unreachable"]}}},
"FieldError": {"type":"object","required":["field","message"],"properties":{"field":@text,"message":@text}},
"Problem": {"type":"object","description":"RFC 9457. `code` is what programs look at.",
  "required":["type","title","status","detail","request_id","code","retryable"],
  "properties":{"type":{"type":"string","description":"/problems/<code with hyphens>, served here."},
    "title":@text,"status":{"type":"integer"},"detail":@text,
    "request_id":{"type":"string","description":"Of a stored refusal: that of the request told it first."},
    "code":{"$ref":"#/components/schemas/ProblemCode"},
    "retryable":{"type":"boolean","description":"The same request may succeed later, unchanged."},
    "errors":{"type":"array","items":{"$ref":"#/components/schemas/FieldError"}},
    "current":{"$ref":"#/components/schemas/PresentState"},
    "listing_id":@id,"listing_status":{"$ref":"#/components/schemas/ListingStatus"},"buyer_id":@id,
    "price":@ordinal,"current_bid":@ordinal,"min_next_bid":{"type":"integer","minimum":1},"buyout_price":@ordinal,
    "available":@count,"needed":@count,"held":@count,"external_id":@id,"amount":@ordinal,
    "promotion_id":@id,"starts_at":@time,"ends_at":@time,"closed_at":@time,"server_time":@time,
    "entries":@count,"max_entries":@count,"last_target":@ordinal,"version":@count,
    "limit_name":{"type":"string","enum":["max_leading_bids","max_active_listings"]},"limit":@count,"used":@count,
    "resets_at":@time,"buyout_quiet_seconds":@count,"quiet_until":@time,
    "oldest_cursor":@text}},
"PresentState": {"oneOf":[{"$ref":"#/components/schemas/Promotion"},{"$ref":"#/components/schemas/Listing"},
    {"$ref":"#/components/schemas/Wallet"}]},
"ProblemDescription": {"type":"object","required":["type","code","title","status","retryable","explanation"],
  "properties":{"type":@text,"code":{"$ref":"#/components/schemas/ProblemCode"},"title":@text,
    "status":{"type":"integer"},"retryable":@flag,"explanation":@text}}
})json";

}  // namespace

boost::json::object openapi_schemas() {
  boost::json::object all;
  for (const std::string_view group :
       {promotion_schemas, entry_schemas, market_schema_texts(), common_schemas}) {
    const boost::json::value schemas = boost::json::parse(with_pieces(group));
    for (const auto& member : schemas.get_object()) all.emplace(member.key(), member.value());
  }
  return all;
}

}  // namespace hotrow::http
