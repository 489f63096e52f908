#include <algorithm>

#include "hotrow/http/event_streams.hpp"
#include "hotrow/http/promotion_reading.hpp"
#include "hotrow/http/questions.hpp"

namespace hotrow::http {
namespace {

/// `winner` and `closed`, and the counters as progress.
class PromotionStream : public StreamSource {
 public:
  std::string_view subject_kind() const override { return "promotion"; }

  Result<OpeningOrRefusal> open(Queries& queries, const Exchange& exchange,
                                const std::string& id) const override {
    Result<std::optional<PromotionReading>> reading = read_promotion_state(queries, id);
    if (!reading) return failure(std::move(reading.error()));
    if (!*reading) return OpeningOrRefusal(tl::unexpect, promotion_not_found_response(exchange, id));
    Opening opening{.latest = (*reading)->row.events};
    JsonWriter json(opening.snapshot);
    write_promotion(json, (*reading)->view());
    return opening;
  }

  Result<State> state(Queries& queries, const std::string& id) const override {
    Result<std::optional<PromotionRow>> row = queries.promotion(id);
    if (!row) return failure(std::move(row.error()));
    if (!*row) return failure(ErrorKind::fatal, "PROMOTION_GONE", id);
    Result<Timestamp> now = queries.now();
    if (!now) return failure(std::move(now.error()));
    const PromotionRow& promotion = **row;
    State state{.latest = promotion.events, .server_time = std::max(*now, promotion.decided_at)};
    JsonWriter json(state.progress);
    json.key("entries").integer(promotion.entries).key("winner_count").integer(promotion.winners);
    json.key("state").text(to_string(state_at(promotion, state.server_time)));
    return state;
  }

  std::string_view name_of(const EventRow& event) const override {
    if (event.type == "promotion.winner_determined") return "winner";
    return event.type == "promotion.closed" ? "closed" : "";
  }
};

}  // namespace

const StreamSource& promotion_stream() {
  static const PromotionStream source;
  return source;
}

}  // namespace hotrow::http
