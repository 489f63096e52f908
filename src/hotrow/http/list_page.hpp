#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/http/cursor.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/query.hpp"

namespace hotrow::http {

/// One page of a list: `limit` and `cursor` of the query. Take it, then the other parameters, then bind it.
class ListPage {
 public:
  explicit ListPage(Query& query) : limit_(query.limit()), cursor_(query.text("cursor")) {}

  /// `list` names the list and its filters: a cursor of another one, or of another store, is refused. Call it
  /// when every parameter was taken; the answer when something is wrong with the query.
  std::optional<Response> bind(Query& query, const std::string& list, const Exchange& exchange);
  /// The same for a list whose positions are numbers.
  std::optional<Response> bind_numbers(Query& query, const std::string& list, const Exchange& exchange);

  /// Where to go on; nullopt from the beginning.
  const std::optional<std::string>& after() const { return after_; }
  std::string after_id() const { return after_.value_or(""); }
  std::int64_t after_number() const { return after_number_; }

  /// How many rows to read: the one beyond the page tells whether there is more.
  std::size_t read_limit() const { return limit_ + 1; }

  /// Cuts the row beyond the page and says where the list goes on. `position` gives a row's, as text or
  /// number.
  template <class Row, class Position>
  std::optional<std::string> take_next_cursor(std::vector<Row>& rows, Position position) const {
    if (rows.size() <= limit_) return std::nullopt;
    rows.resize(limit_);
    return encode_cursor(list_, position(rows.back()));
  }

 private:
  std::size_t limit_;
  std::optional<std::string> cursor_;
  std::string list_;
  std::optional<std::string> after_;
  std::int64_t after_number_ = 0;
};

/// 400 for a cursor that the list did not make.
Response invalid_cursor_response(const Exchange& exchange);

}  // namespace hotrow::http
