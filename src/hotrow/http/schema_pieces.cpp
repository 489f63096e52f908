#include "hotrow/http/schema_pieces.hpp"

namespace hotrow::http {
namespace {

struct Piece {
  std::string_view mark;
  std::string_view text;
};

// No mark begins with another that stands before it.
constexpr Piece pieces[] = {
    {"@id", R"({"type":"string","description":"1 to 128 bytes of UTF-8 without control characters."})"},
    {"@owner",
     R"({"type":"string","description":"player:<id> or guild:<id>, the kind before the first colon."})"},
    {"@currency", R"({"type":"string","pattern":"^[a-z0-9_]{1,16}$","default":"gold"})"},
    {"@ordinal", R"({"type":"integer","minimum":1,"maximum":9007199254740991})"},
    {"@amount",
     R"({"type":"integer","minimum":1,"maximum":9007199254740991,"description":"In minor units."})"},
    {"@maybe_amount", R"({"type":["integer","null"],"minimum":1,"maximum":9007199254740991})"},
    {"@count", R"({"type":"integer","minimum":0,"maximum":9007199254740991})"},
    {"@time", R"({"type":"string","format":"date-time"})"},
    {"@maybe_time", R"({"type":["string","null"],"format":"date-time"})"},
    {"@maybe_text", R"({"type":["string","null"]})"},
    {"@text", R"({"type":"string"})"},
    {"@flag", R"({"type":"boolean"})"},
    {"@bid_window", R"({"type":["integer","null"],"minimum":0,"maximum":5000,)"
                    R"("description":"Bids wait this long for others; then the highest is decided first."})"},
    {"@buyouts_per_minute",
     R"({"type":["integer","null"],"minimum":0,"maximum":9007199254740991,)"
     R"("description":"Buyouts of one player within one minute of the store's clock, on whatever listings."})"},
    {"@buyout_quiet", R"({"type":["integer","null"],"minimum":0,"maximum":2592000,)"
                      R"("description":"Nobody can buy a listing out until so long after it was made."})"},
    {"@queue_max",
     R"({"type":["integer","null"],"minimum":1,"maximum":9007199254740991,)"
     R"("description":"Requests that may wait in one server; who comes beyond is told busy."})"},
    {"@max_leading_bids", R"({"type":["integer","null"],"minimum":0,"maximum":9007199254740991,)"
                          R"("description":"Listings that a player leads at once."})"},
    {"@max_active_listings", R"({"type":["integer","null"],"minimum":0,"maximum":9007199254740991,)"
                             R"("description":"Active listings that a player has at once."})"},
    {"@policy_version",
     R"({"type":"integer","minimum":0,"description":"Counts changes; 0 when it was never set. The ETag."})"},
    {"@maybe_reason", R"({"type":["string","null"],"minLength":1,"maxLength":500})"},
    {"@cursor",
     R"({"type":["string","null"],"description":"For the next page; null when this is the last."})"},
};

}  // namespace

std::string with_pieces(std::string_view text) {
  std::string filled(text);
  for (const auto& [mark, piece] : pieces) {
    for (std::size_t at = filled.find(mark); at != std::string::npos; at = filled.find(mark, at + 1)) {
      filled.replace(at, mark.size(), piece);
    }
  }
  return filled;
}

}  // namespace hotrow::http
