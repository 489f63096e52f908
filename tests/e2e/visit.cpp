#include "tests/e2e/visit.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <string_view>

namespace hotrow::test {
namespace {

namespace json = boost::json;

Tidings tidings_of(int status, std::string_view code) {
  if (status == 200 || status == 201) return Tidings::placed;
  if (status == 409) return Tidings::refused;
  if (status == 503 && code == "outcome_unknown") return Tidings::unknown;
  if (status == 503 && (code == "busy" || code == "unavailable")) return Tidings::busy;
  return Tidings::fault;
}

std::string text_of(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

void read_place(const json::object& body, Told& told) {
  const json::value* ordinal = body.if_contains("ordinal");
  const json::value* winner = body.if_contains("winner");
  const json::value* already = body.if_contains("already");
  told.entered_at = text_of(body, "entered_at");
  if (ordinal == nullptr || !ordinal->is_int64() || winner == nullptr || !winner->is_bool() ||
      already == nullptr || !already->is_bool() || told.entered_at.empty() ||
      already->get_bool() != (told.status == 200)) {
    told.tidings = Tidings::fault;
    return;
  }
  told.ordinal = ordinal->get_int64();
  told.winner = winner->get_bool();
  told.already = already->get_bool();
}

}  // namespace

Told read_told(const ProbeAnswer& answer) {
  Told told{.tidings = Tidings::fault, .status = answer.status, .body = answer.body};
  json::error_code error;
  const json::value body = json::parse(answer.body, error);
  if (error || !body.is_object()) return told;
  told.code = text_of(body.get_object(), "code");
  told.tidings = tidings_of(answer.status, told.code);
  if (told.tidings == Tidings::placed) read_place(body.get_object(), told);
  told.replayed = answer.header("idempotency-replayed") == "true";
  return told;
}

std::size_t count(const std::vector<Visit>& visits, Tidings tidings) {
  std::size_t times = 0;
  for (const Visit& visit : visits) {
    for (const Told& told : visit.told) times += told.tidings == tidings ? 1 : 0;
  }
  return times;
}

std::string summary(const std::vector<Visit>& visits) {
  constexpr std::array<std::string_view, 7> names = {"placed", "refused",   "busy", "unknown",
                                                     "lost",   "unreached", "fault"};
  std::string text = std::to_string(visits.size()) + " visits";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t times = count(visits, static_cast<Tidings>(i));
    if (times > 0) text += ", " + std::to_string(times) + " " + std::string(names[i]);
  }
  return text;
}

}  // namespace hotrow::test
