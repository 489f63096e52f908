#include "hotrow/postgres/pg_wire.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <cstring>
#include <limits>

#include "hotrow/base/assert.hpp"

namespace hotrow {
namespace {

/// 2000-01-01T00:00:00Z, where PostgreSQL counts from.
constexpr std::int64_t postgres_epoch_micros = 946'684'800'000'000;

std::uint64_t load_big_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void store_big_endian(std::string& out, std::uint64_t value, std::size_t count) {
  char bytes[8];
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(value >> (8 * (count - 1 - i)));
  out.append(bytes, count);
}

}  // namespace

PgParameters& PgParameters::text(std::string_view value) {
  slots_.push_back({bytes_.size(), value.size()});
  bytes_ += value;
  return *this;
}

PgParameters& PgParameters::bigint(std::int64_t value) {
  slots_.push_back({bytes_.size(), 8});
  append_int64(value);
  return *this;
}

PgParameters& PgParameters::bigint(std::optional<std::int64_t> value) {
  if (value) return bigint(*value);
  slots_.push_back({null_offset, 0});
  return *this;
}

PgParameters& PgParameters::boolean(bool value) {
  slots_.push_back({bytes_.size(), 1});
  bytes_.push_back(value ? '\1' : '\0');
  return *this;
}

std::size_t PgParameters::begin_array(std::uint32_t element_oid, std::size_t count) {
  const std::size_t start = bytes_.size();
  append_int32(count == 0 ? 0 : 1);  // Dimensions.
  append_int32(0);                   // Whether there are NULLs: end_array() knows.
  append_int32(static_cast<std::int32_t>(element_oid));
  if (count == 0) return start;
  HOTROW_ASSERT(count <= std::size_t(std::numeric_limits<std::int32_t>::max()));
  append_int32(static_cast<std::int32_t>(count));
  append_int32(1);  // Lower bound.
  return start;
}

void PgParameters::end_array(std::size_t start, bool has_null) {
  if (has_null) bytes_[start + 7] = '\1';
  slots_.push_back({start, bytes_.size() - start});
}

void PgParameters::append_element(std::string_view value) {
  append_int32(static_cast<std::int32_t>(value.size()));
  bytes_ += value;
}

void PgParameters::append_element(std::int64_t value) {
  append_int32(8);
  append_int64(value);
}

void PgParameters::append_int32(std::int32_t value) { store_big_endian(bytes_, std::uint32_t(value), 4); }

void PgParameters::append_int64(std::int64_t value) { store_big_endian(bytes_, std::uint64_t(value), 8); }

PgParameters::View PgParameters::view() const {
  View view;
  view.formats.assign(slots_.size(), 1);
  for (const Slot& slot : slots_) {
    HOTROW_ASSERT(slot.length <= std::size_t(std::numeric_limits<int>::max()));
    view.values.push_back(slot.offset == null_offset ? nullptr : bytes_.data() + slot.offset);
    view.lengths.push_back(static_cast<int>(slot.length));
  }
  return view;
}

PgResult::PgResult(pg_result* result) : result_(result) {}

void PgResult::Free::operator()(pg_result* result) const noexcept { PQclear(result); }

int PgResult::rows() const { return PQntuples(result_.get()); }

bool PgResult::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }

std::string_view PgResult::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), std::size_t(PQgetlength(result_.get(), row, column))};
}

bool PgResult::boolean(int row, int column) const {
  const std::string_view bytes = text(row, column);
  HOTROW_ASSERT(bytes.size() == 1);
  return bytes[0] != '\0';
}

std::int64_t PgResult::bigint(int row, int column) const {
  const std::string_view bytes = text(row, column);
  HOTROW_ASSERT(bytes.size() == 8);
  return static_cast<std::int64_t>(load_big_endian(bytes.data(), bytes.size()));
}

Timestamp PgResult::timestamptz(int row, int column) const {
  return {bigint(row, column) + postgres_epoch_micros};
}

std::string_view PgResult::tag() const { return PQcmdStatus(result_.get()); }

std::int64_t PgResult::affected() const {
  const std::string_view digits = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

}  // namespace hotrow
