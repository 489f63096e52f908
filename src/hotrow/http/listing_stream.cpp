#include "hotrow/http/event_streams.hpp"
#include "hotrow/http/listing_reading.hpp"

namespace hotrow::http {
namespace {

/// Every event of the listing, named by its type: `bid_placed`, `outbid`, ... until it is over.
class ListingStream : public StreamSource {
 public:
  std::string_view subject_kind() const override { return "listing"; }

  Result<OpeningOrRefusal> open(Queries& queries, const Exchange& exchange,
                                const std::string& id) const override {
    Result<std::optional<ListingReading>> reading = read_listing(queries, id);
    if (!reading) return failure(std::move(reading.error()));
    if (!*reading) {
      return OpeningOrRefusal(tl::unexpect, listing_not_found_response(id, exchange.context()));
    }
    const ListingRow& row = (*reading)->row;
    Opening opening{.latest = row.events, .is_over = row.status != ListingStatus::active};
    JsonWriter json(opening.snapshot);
    write_listing(json, (*reading)->view());
    return opening;
  }

  Result<State> state(Queries& queries, const std::string& id) const override {
    Result<std::optional<ListingRow>> row = queries.listing(id);
    if (!row) return failure(std::move(row.error()));
    if (!*row) return failure(ErrorKind::fatal, "LISTING_GONE", id);
    return State{.latest = (*row)->events, .is_over = (*row)->status != ListingStatus::active};
  }

  std::string_view name_of(const EventRow& event) const override {
    const std::string_view type(event.type);
    return type.substr(type.find('.') + 1);
  }
};

}  // namespace

const StreamSource& listing_stream() {
  static const ListingStream source;
  return source;
}

}  // namespace hotrow::http
