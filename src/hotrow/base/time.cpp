#include "hotrow/base/time.hpp"

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

/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
constexpr std::int64_t first_second = -62'135'596'800;
constexpr std::int64_t last_second = 253'402'300'799;

/// Puts `value` into `count` characters, zeros in front. Quicker than printf: every answer has two times.
void write_digits(std::string& text, std::size_t at, std::size_t count, std::int64_t value) {
  for (std::size_t i = at + count; i > at; --i, value /= 10) {
    text[i - 1] = static_cast<char>('0' + value % 10);
  }
}

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
  // An offset can lead out of the years that format_rfc3339() writes.
  if (seconds < first_second || seconds > last_second) return std::nullopt;
  return Timestamp{seconds * 1'000'000 + micros};
}

std::string format_rfc3339(Timestamp at) {
  using namespace std::chrono;
  const sys_time<microseconds> instant{microseconds(at.micros)};
  const auto midnight = floor<days>(instant);
  const year_month_day date{midnight};
  const hh_mm_ss<microseconds> clock{instant - midnight};
  std::string text = "0000-00-00T00:00:00.000000Z";
  write_digits(text, 0, 4, int(date.year()));
  write_digits(text, 5, 2, unsigned(date.month()));
  write_digits(text, 8, 2, unsigned(date.day()));
  write_digits(text, 11, 2, clock.hours().count());
  write_digits(text, 14, 2, clock.minutes().count());
  write_digits(text, 17, 2, clock.seconds().count());
  write_digits(text, 20, 6, clock.subseconds().count());
  return text;
}

}  // namespace hotrow
