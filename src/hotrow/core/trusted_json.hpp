#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hotrow/base/time.hpp"

namespace hotrow {

/// Reads members that this program wrote itself, in stored answers and in tables. The first one that is not
/// as expected spoils the whole: look at ok() at the end. People's input is read by http, with an error a
/// field.
class TrustedReader {
 public:
  explicit TrustedReader(const boost::json::object& object) : object_(object) {}

  const boost::json::value* find(std::string_view name) const {
    const boost::json::value* value = object_.if_contains(name);
    return value != nullptr && !value->is_null() ? value : nullptr;
  }

  std::int64_t integer(std::string_view name) {
    const boost::json::value* value = find(name);
    if (value != nullptr && value->is_int64()) return value->get_int64();
    return spoil(std::int64_t{0});
  }

  bool flag(std::string_view name) {
    const boost::json::value* value = find(name);
    if (value != nullptr && value->is_bool()) return value->get_bool();
    return spoil(false);
  }

  std::string text(std::string_view name) {
    const boost::json::value* value = find(name);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    return spoil(std::string());
  }

  Timestamp time(std::string_view name) {
    const std::optional<Timestamp> at = parse_rfc3339(text(name));
    return at ? *at : spoil(Timestamp{});
  }

  /// A time that was written as its microseconds.
  Timestamp micros(std::string_view name) { return {integer(name)}; }

  template <class T>
  T spoil(T value) {
    ok_ = false;
    return value;
  }

  bool ok() const { return ok_; }

 private:
  const boost::json::object& object_;
  bool ok_ = true;
};

/// Reads an object as a row; nullopt when it is none or a member is not as expected.
template <class T, class F>
std::optional<T> read_object(const boost::json::value& value, F&& read) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader in(value.get_object());
  std::optional<T> row = read(in);
  if (!in.ok()) return std::nullopt;
  return row;
}

/// A member that is an object itself.
template <class T, class F>
std::optional<T> member(TrustedReader& in, std::string_view name, F&& from) {
  const boost::json::value* value = in.find(name);
  std::optional<T> row = value != nullptr ? from(*value) : std::nullopt;
  if (!row) in.spoil(0);
  return row;
}

}  // namespace hotrow
