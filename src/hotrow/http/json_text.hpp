#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/base/time.hpp"

namespace hotrow::http {

/// Appends `text`, which is valid UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

void append_integer(std::string& out, std::int64_t number);

/// Writes JSON from left to right into a string that outlives it. Members come out in the order written, so
/// that the same value gives the same bytes. Used by one thread.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  /// The name of the next value. `name` needs no escapes.
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& flag(bool value);
  JsonWriter& time(Timestamp value);
  JsonWriter& null();
  /// `json` is a complete JSON value.
  JsonWriter& raw(std::string_view json);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool comma_ = false;
};

/// A member that may be null: `write` writes the value.
template <class T, class Write>
void write_optional(JsonWriter& json, const std::optional<T>& value, Write write) {
  value ? void(write(*value)) : void(json.null());
}

/// A list's body: `write_items` writes its elements.
template <class WriteItems>
void write_page(JsonWriter& json, const std::optional<std::string>& next_cursor, WriteItems&& write_items) {
  json.begin_object().key("items").begin_array();
  write_items();
  json.end_array().key("next_cursor");
  next_cursor ? json.text(*next_cursor) : json.null();
  json.end_object();
}

}  // namespace hotrow::http
