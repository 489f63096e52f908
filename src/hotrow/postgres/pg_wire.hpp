#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hotrow/base/time.hpp"

struct pg_result;

namespace hotrow {

/// The parameters of one statement in the binary form of the protocol (array_send, int8send, textsend):
/// lengths are explicit, so no byte needs quoting and a zero byte is refused by the server instead of cutting
/// the value short. A value, used by one thread.
class PgParameters {
 public:
  PgParameters& text(std::string_view value);
  PgParameters& bigint(std::int64_t value);
  PgParameters& bigint(std::optional<std::int64_t> value);
  PgParameters& boolean(bool value);

  /// text[] of `value_of(row)` for each row: a string_view, or an optional of one for NULL.
  template <class Rows, class ValueOf>
  PgParameters& text_array(const Rows& rows, ValueOf value_of) {
    return array(text_oid, rows, value_of);
  }

  /// bigint[] of `value_of(row)`: an int64, or an optional of one for NULL.
  template <class Rows, class ValueOf>
  PgParameters& bigint_array(const Rows& rows, ValueOf value_of) {
    return array(bigint_oid, rows, value_of);
  }

  /// bytea[] of `value_of(row)`.
  template <class Rows, class ValueOf>
  PgParameters& bytea_array(const Rows& rows, ValueOf value_of) {
    return array(bytea_oid, rows, value_of);
  }

  int count() const { return static_cast<int>(slots_.size()); }

  /// Pointers and lengths as PQsendQueryParams wants them; they hold until the next change.
  struct View {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  View view() const;

 private:
  static constexpr std::uint32_t bytea_oid = 17;
  static constexpr std::uint32_t bigint_oid = 20;
  static constexpr std::uint32_t text_oid = 25;

  static constexpr std::size_t null_offset = SIZE_MAX;
  struct Slot {
    std::size_t offset;  ///< In bytes_, or null_offset.
    std::size_t length;
  };

  template <class Rows, class ValueOf>
  PgParameters& array(std::uint32_t element_oid, const Rows& rows, ValueOf value_of) {
    const std::size_t start = begin_array(element_oid, std::size(rows));
    bool has_null = false;
    for (const auto& row : rows) {
      const auto value = value_of(row);
      if constexpr (std::is_convertible_v<decltype(value), std::string_view> ||
                    std::is_same_v<std::remove_const_t<decltype(value)>, std::int64_t>) {
        append_element(value);
      } else if (value) {
        append_element(*value);
      } else {
        append_int32(-1);
        has_null = true;
      }
    }
    end_array(start, has_null);
    return *this;
  }

  std::size_t begin_array(std::uint32_t element_oid, std::size_t count);
  void end_array(std::size_t start, bool has_null);
  void append_element(std::string_view value);
  void append_element(std::int64_t value);
  void append_int32(std::int32_t value);
  void append_int64(std::int64_t value);

  std::string bytes_;
  std::vector<Slot> slots_;
};

/// One statement's answer, in binary form. Owns libpq's result. A value, used by one thread.
class PgResult {
 public:
  explicit PgResult(pg_result* result);

  int rows() const;
  bool is_null(int row, int column) const;
  bool boolean(int row, int column) const;
  std::int64_t bigint(int row, int column) const;
  /// Holds as long as the result.
  std::string_view text(int row, int column) const;
  std::string string(int row, int column) const { return std::string(text(row, column)); }
  /// Of a timestamptz.
  Timestamp timestamptz(int row, int column) const;

  /// The command tag: "COMMIT", "INSERT 0 5".
  std::string_view tag() const;
  /// The number in the tag; 0 where there is none.
  std::int64_t affected() const;

 private:
  struct Free {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, Free> result_;
};

}  // namespace hotrow
