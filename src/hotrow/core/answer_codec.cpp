#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/core/json.hpp"
#include "hotrow/core/market_codec.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/core/trusted_json.hpp"

// The form of stored answers. Version 1: {"v":1,"<kind>":{...}}. A later version may add members and kinds;
// what is written here once is read for as long as answers are kept.
namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 1;

json::value to_json(const Figure& figure) {
  if (const auto* number = std::get_if<std::int64_t>(&figure)) return *number;
  if (const auto* at = std::get_if<Timestamp>(&figure)) return json::object{{"at", format_rfc3339(*at)}};
  return json::value(std::get<std::string>(figure));
}

std::optional<Figure> figure_from(const json::value& value) {
  if (value.is_int64()) return Figure(value.get_int64());
  if (value.is_string()) return Figure(std::string(value.get_string()));
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  const Timestamp at = in.time("at");
  if (!in.ok()) return std::nullopt;
  return Figure(at);
}

json::object to_json(const Rejection& rejection) {
  json::object figures;
  for (const auto& [name, figure] : rejection.figures) figures[name] = to_json(figure);
  json::array errors;
  for (const FieldError& error : rejection.errors) {
    errors.push_back(json::object{{"field", error.field}, {"message", error.message}});
  }
  json::object object{{"code", traits(rejection.code).code},
                      {"detail", rejection.detail},
                      {"figures", std::move(figures)},
                      {"errors", std::move(errors)}};
  if (!rejection.request_id.empty()) object["request_id"] = rejection.request_id;
  return object;
}

std::optional<Rejection> rejection_from(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  const std::optional<RejectionCode> code = rejection_code(in.text("code"));
  const json::value* figures = in.find("figures");
  const json::value* errors = in.find("errors");
  if (!code || figures == nullptr || errors == nullptr) return std::nullopt;
  Rejection rejection{.code = *code, .detail = in.text("detail")};
  for (const auto& member : figures->get_object()) {
    std::optional<Figure> figure = figure_from(member.value());
    if (!figure) return std::nullopt;
    rejection.figures.emplace_back(std::string(member.key()), std::move(*figure));
  }
  for (const json::value& error : errors->get_array()) {
    TrustedReader field(error.get_object());
    rejection.errors.push_back({.field = field.text("field"), .message = field.text("message")});
  }
  if (in.find("request_id") != nullptr) rejection.request_id = in.text("request_id");
  if (!in.ok()) return std::nullopt;
  return rejection;
}

json::object to_json(const EntryAnswer& entry) {
  return {{"promotion", entry.promotion},
          {"user", entry.user},
          {"ordinal", entry.ordinal},
          {"winner", entry.winner},
          {"already", entry.already},
          {"entered_at", format_rfc3339(entry.entered_at)},
          {"server_time", format_rfc3339(entry.server_time)}};
}

std::optional<EntryAnswer> entry_from(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  EntryAnswer entry{.promotion = in.text("promotion"),
                    .user = in.text("user"),
                    .ordinal = in.integer("ordinal"),
                    .winner = in.flag("winner"),
                    .already = in.flag("already"),
                    .entered_at = in.time("entered_at"),
                    .server_time = in.time("server_time")};
  if (!in.ok()) return std::nullopt;
  return entry;
}

json::object to_json(const EntriesAnswer& entries) {
  json::array results;
  for (const auto& result : entries.results) {
    if (const auto* entry = std::get_if<EntryAnswer>(&result)) {
      results.push_back(to_json(*entry));
    } else {
      const auto& refusal = std::get<EntryRefusal>(result);
      results.push_back(json::object{{"refused", refusal.user}, {"rejection", to_json(refusal.rejection)}});
    }
  }
  return {{"promotion", entries.promotion},
          {"results", std::move(results)},
          {"server_time", format_rfc3339(entries.server_time)}};
}

std::optional<EntriesAnswer> entries_from(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  EntriesAnswer entries{.promotion = in.text("promotion"), .server_time = in.time("server_time")};
  const json::value* results = in.find("results");
  if (results == nullptr || !results->is_array() || !in.ok()) return std::nullopt;
  for (const json::value& result : results->get_array()) {
    const json::object& object = result.get_object();
    if (const json::value* user = object.if_contains("refused")) {
      std::optional<Rejection> rejection = rejection_from(object.at("rejection"));
      if (!rejection) return std::nullopt;
      entries.results.emplace_back(
          EntryRefusal{.user = std::string(user->as_string()), .rejection = std::move(*rejection)});
    } else if (std::optional<EntryAnswer> entry = entry_from(result)) {
      entries.results.emplace_back(std::move(*entry));
    } else {
      return std::nullopt;
    }
  }
  return entries;
}

json::object to_json(const PromotionAnswer& answer) {
  const PromotionRow& row = answer.promotion;
  json::object object{{"created", answer.created},
                      {"id", row.id},
                      {"settings", to_json(*row.settings)},
                      {"phase", to_string(row.phase)},
                      {"entries", row.entries},
                      {"winners", row.winners},
                      {"version", row.version},
                      {"events", row.events},
                      {"created_at", format_rfc3339(row.created_at)},
                      {"decided_at", format_rfc3339(row.decided_at)},
                      {"server_time", format_rfc3339(answer.server_time)}};
  if (row.closing) {
    object["closing"] = json::object{
        {"at", format_rfc3339(row.closing->at)}, {"by", row.closing->by}, {"reason", row.closing->reason}};
  }
  return object;
}

std::optional<PromotionAnswer> promotion_from(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  const json::value* settings = in.find("settings");
  std::optional<PromotionSettings> parsed =
      settings != nullptr ? settings_from_json(*settings) : std::nullopt;
  const std::optional<PromotionPhase> phase = phase_from_string(in.text("phase"));
  if (!parsed || !phase) return std::nullopt;
  PromotionAnswer answer{.created = in.flag("created"), .server_time = in.time("server_time")};
  answer.promotion = {.id = in.text("id"),
                      .settings = std::make_shared<const PromotionSettings>(std::move(*parsed)),
                      .phase = *phase,
                      .entries = in.integer("entries"),
                      .winners = in.integer("winners"),
                      .version = in.integer("version"),
                      .events = in.integer("events"),
                      .created_at = in.time("created_at"),
                      .decided_at = in.time("decided_at")};
  if (const json::value* closing = in.find("closing")) {
    TrustedReader inner(closing->as_object());
    answer.promotion.closing =
        PromotionClosing{.at = inner.time("at"), .by = inner.text("by"), .reason = inner.text("reason")};
  }
  if (!in.ok()) return std::nullopt;
  return answer;
}

template <class T>
std::optional<Answer> outcome(std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return Answer(Outcome(std::move(*parsed)));
}

std::optional<Answer> answer_from(const json::object& object) {
  if (const json::value* entry = object.if_contains("entry")) return outcome(entry_from(*entry));
  if (const json::value* entries = object.if_contains("entries")) return outcome(entries_from(*entries));
  if (const json::value* row = object.if_contains("promotion")) return outcome(promotion_from(*row));
  if (const json::value* refused = object.if_contains("rejection")) {
    std::optional<Rejection> rejection = rejection_from(*refused);
    if (!rejection) return std::nullopt;
    return Answer(std::move(*rejection));
  }
  std::optional<Outcome> market = market_answer_from(object);
  if (!market) return std::nullopt;
  return Answer(std::move(*market));
}

}  // namespace

std::string encode_answer(const Answer& answer) {
  json::object object{{"v", format_version}};
  if (const auto* rejection = std::get_if<Rejection>(&answer)) {
    object["rejection"] = to_json(*rejection);
    return json::serialize(object);
  }
  const Outcome& outcome = std::get<Outcome>(answer);
  if (const auto* entry = std::get_if<EntryAnswer>(&outcome)) object["entry"] = to_json(*entry);
  if (const auto* entries = std::get_if<EntriesAnswer>(&outcome)) object["entries"] = to_json(*entries);
  if (const auto* row = std::get_if<PromotionAnswer>(&outcome)) object["promotion"] = to_json(*row);
  add_market_answer(object, outcome);
  return json::serialize(object);
}

std::optional<Answer> decode_answer(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) return std::nullopt;
  const json::value* version = value.get_object().if_contains("v");
  if (version == nullptr || *version != format_version) return std::nullopt;
  return answer_from(value.get_object());
}

}  // namespace hotrow
