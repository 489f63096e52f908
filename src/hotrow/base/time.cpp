#include "hotrow/base/time.hpp"

#include <array>
#include <cstdio>

namespace hotrow {
namespace {

/// Reads fixed-width decimal fields one after the other; once a field fails, everything after fails.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    if (rest_.size() < count) return fail();
    int value = 0;
    for (char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return fail();
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  /// Takes one character when it is among `allowed`; returns 0 and fails otherwise.
  char one_of(std::string_view allowed) {
    if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) {
      fail();
      return 0;
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  /// ".123456789" when it is there: microseconds, further digits cut.
  std::int64_t fraction_micros() {
    if (rest_.empty() || rest_.front() != '.') return 0;
    rest_.remove_prefix(1);
    std::int64_t micros = 0;
    int count = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++count) {
      if (count < 6) micros = micros * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (count == 0 || count > 9) return fail();
    for (; count < 6; ++count) micros *= 10;
    return micros;
  }

  bool done() const { return ok_ && rest_.empty(); }

 private:
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

Timestamp wall_clock_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

std::optional<Timestamp> parse_rfc3339(std::string_view text) {
  FieldReader in(text);
  const int year = in.digits(4);
  in.one_of("-");
  const int month = in.digits(2);
  in.one_of("-");
  const int day = in.digits(2);
  in.one_of("Tt");
  const int hour = in.digits(2);
  in.one_of(":");
  const int minute = in.digits(2);
  in.one_of(":");
  const int second = in.digits(2);
  const std::int64_t micros = in.fraction_micros();
  const char zone = in.one_of("Zz+-");
  int offset_minutes = 0;
  if (zone == '+' || zone == '-') {
    const int hours = in.digits(2);
    in.one_of(":");
    const int minutes = in.digits(2);
    if (hours > 23 || minutes > 59) return std::nullopt;
    offset_minutes = (hours * 60 + minutes) * (zone == '-' ? -1 : 1);
  }
  if (!in.done() || year < 1 || hour > 23 || minute > 59 || second > 59) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  return Timestamp{seconds * 1'000'000 + micros};
}

std::string format_rfc3339(Timestamp at) {
  using namespace std::chrono;
  const sys_time<microseconds> instant{microseconds(at.micros)};
  const auto midnight = floor<days>(instant);
  const year_month_day date{midnight};
  const hh_mm_ss<microseconds> clock{instant - midnight};
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                                   int(date.year()), unsigned(date.month()), unsigned(date.day()),
                                   int(clock.hours().count()), int(clock.minutes().count()),
                                   int(clock.seconds().count()), int(clock.subseconds().count()));
  return std::string(text.data(), std::size_t(length));
}

}  // namespace hotrow
