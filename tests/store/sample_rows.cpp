#include "tests/store/sample_rows.hpp"

#include <boost/json/serialize.hpp>
#include <sstream>

#include "hotrow/core/json.hpp"
#include "hotrow/core/promotion.hpp"
#include "hotrow/core/promotion_events.hpp"

namespace hotrow::conformance {
namespace {

Key key_of_row(const PromotionRow& row) { return promotion_key(row.id); }
Key key_of_row(const EntryRow& row) { return entry_key(row.promotion, row.user); }
Key key_of_row(const WinnerRow& row) { return winner_key(row.promotion, row.ordinal); }
Key key_of_row(const EventRow& row) {
  return {.kind = KeyKind::event, .first = row.subject_kind, .second = row.subject, .number = row.sequence};
}
Key key_of_row(const AnswerRow& row) {
  return {.kind = KeyKind::answer, .first = row.owner, .second = row.principal, .third = row.key};
}

void print(std::ostream& out, const PromotionRow& row) {
  out << "promotion [" << row.id << "] " << encode_settings(*row.settings) << ' ' << to_string(row.phase)
      << " entries " << row.entries << " winners " << row.winners << " version " << row.version << " events "
      << row.events << " created " << row.created_at.micros << " decided " << row.decided_at.micros
      << " queue " << row.queue_max.value_or(-1);
  if (!row.closing) return;
  out << " closed " << row.closing->at.micros << " [" << row.closing->by << "] [" << row.closing->reason
      << ']';
}

void print(std::ostream& out, const EntryRow& row) {
  out << "entry [" << row.promotion << "] [" << row.user << "] #" << row.ordinal << " at "
      << row.entered_at.micros << " [" << row.request_id << "] [" << row.actor << ']';
}

void print(std::ostream& out, const WinnerRow& row) {
  out << "winner [" << row.promotion << "] #" << row.ordinal << " [" << row.user << "] at "
      << row.entered_at.micros << ' ' << row.rule << " [" << row.event_id << "] [" << row.server << ']';
}

void print(std::ostream& out, const EventRow& row) {
  out << "event [" << row.subject_kind << "] [" << row.subject << "] #" << row.sequence << " [" << row.type
      << "] [" << row.id << "] " << row.data << " at " << row.occurred_at.micros << " [" << row.traceparent
      << ']';
}

void print(std::ostream& out, const AnswerRow& row) {
  out << "answer [" << row.owner << "] [" << row.principal << "] [" << row.key << "] "
      << to_hex(row.fingerprint) << ' ' << row.answer << " at " << row.decided_at.micros;
}

}  // namespace

Timestamp start_time() { return *parse_rfc3339("2026-12-01T03:00:00Z"); }

PromotionSettings sample_settings() {
  return {.title = "Third visitor", .rule = NthRule{.targets = {3}}, .starts_at = start_time()};
}

PromotionRow promotion_row(std::string id) { return promotion_row(std::move(id), sample_settings()); }

PromotionRow promotion_row(std::string id, PromotionSettings settings) {
  return {.id = std::move(id),
          .settings = std::make_shared<const PromotionSettings>(std::move(settings)),
          .version = 1,
          .created_at = start_time(),
          .decided_at = start_time()};
}

EntryRow entry_row(std::string promotion, std::string user, std::int64_t ordinal) {
  return {.promotion = std::move(promotion),
          .user = std::move(user),
          .ordinal = ordinal,
          .entered_at = start_time() + std::chrono::seconds(ordinal),
          .request_id = "request-" + std::to_string(ordinal),
          .actor = "shop"};
}

WinnerRow winner_row(std::string promotion, std::string user, std::int64_t ordinal) {
  std::string event_id = winner_event_id(promotion, ordinal);
  return {.promotion = std::move(promotion),
          .ordinal = ordinal,
          .user = std::move(user),
          .entered_at = start_time() + std::chrono::seconds(ordinal),
          .rule = encode_rule(sample_settings().rule),
          .event_id = std::move(event_id),
          .server = "server-1"};
}

EventRow winner_event(std::string promotion, std::string user, std::int64_t ordinal, std::int64_t sequence) {
  EventRow event = event_row(std::move(promotion), sequence);
  event.type = "promotion.winner_determined";
  event.id = winner_event_id(event.subject, ordinal);
  const EntryRow entry = entry_row(event.subject, std::move(user), ordinal);
  event.data = boost::json::serialize(winner_determined_data(promotion_row(event.subject), entry));
  event.occurred_at = entry.entered_at;
  return event;
}

EventRow changed_event(const PromotionRow& promotion, std::int64_t sequence) {
  EventRow event = event_row(promotion.id, sequence);
  event.data = boost::json::serialize(boost::json::object{{"after", promotion_view(promotion)}});
  return event;
}

EventRow event_row(std::string promotion, std::int64_t sequence) {
  std::string id = "promotion:" + promotion + ":" + std::to_string(sequence);
  return {.subject_kind = "promotion",
          .subject = std::move(promotion),
          .sequence = sequence,
          .type = "promotion.changed",
          .id = std::move(id),
          .data = R"({"by":"operator"})",
          .occurred_at = start_time() + std::chrono::seconds(sequence),
          .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
}

AnswerRow answer_row(std::string key, Timestamp decided_at) {
  return {.owner = "shop",
          .principal = "user-1",
          .key = std::move(key),
          .fingerprint = sha256("request"),
          .answer = R"({"v":1,"entry":{}})",
          .decided_at = decided_at};
}

const std::vector<std::string>& difficult_ids() {
  static const std::vector<std::string> ids = {
      std::string(128, 'x'),
      "\xF0\x9F\x8E\x81\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",  // Emoji, one of them joined.
      "j\xC3\xBCrgen",                                                 // NFC.
      "ju\xCC\x88rgen",                                                // NFD of the same name.
      "JÜRGEN",
      "testo",
      "test\xD0\xBE",  // A Cyrillic letter at the end.
      "it's \"quoted\"",
      "back\\slash\\n",
      "a|b",
      "a",
      "a ",
      " a",
      "A",
      "%00%",
      "null",
      "NULL",
      "{1,2}",
      "guild:5",
      "$1 ?1 :x",
      "12",
      "012",
      "1e1",
  };
  return ids;
}

Key key_of(const Row& row) {
  return std::visit([](const auto& typed) { return key_of_row(typed); }, row);
}

RowWrite insert(Row row) {
  Key key = key_of(row);
  return {.key = std::move(key), .row = std::move(row), .how = RowWrite::How::insert};
}

RowWrite update(Row row) {
  Key key = key_of(row);
  return {.key = std::move(key), .row = std::move(row), .how = RowWrite::How::update};
}

std::string to_text(const Row& row) {
  std::ostringstream out;
  std::visit([&out](const auto& typed) { print(out, typed); }, row);
  return out.str();
}

std::string to_text(const std::optional<Row>& row) { return row ? to_text(*row) : "absent"; }

}  // namespace hotrow::conformance
