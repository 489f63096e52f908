#include "hotrow/base/time.hpp"

#include <gtest/gtest.h>

namespace hotrow {
namespace {

std::string normal_form(std::string_view text) {
  const std::optional<Timestamp> at = parse_rfc3339(text);
  return at ? format_rfc3339(*at) : "refused";
}

TEST(Rfc3339, IsReadWithAnyOffsetAndWrittenInUtcWithMicroseconds) {
  EXPECT_EQ(normal_form("2026-12-01T12:00:00+09:00"), "2026-12-01T03:00:00.000000Z");
  EXPECT_EQ(normal_form("2026-12-01T00:00:00-08:30"), "2026-12-01T08:30:00.000000Z");
  EXPECT_EQ(normal_form("2026-03-29t01:30:00.5z"), "2026-03-29T01:30:00.500000Z");
  EXPECT_EQ(normal_form("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(normal_form("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00.000000Z");
  EXPECT_EQ(normal_form("2024-02-29T00:00:00Z"), "2024-02-29T00:00:00.000000Z");
}

TEST(Rfc3339, CutsDigitsPastMicroseconds) {
  EXPECT_EQ(normal_form("2026-12-01T00:00:00.123456789Z"), "2026-12-01T00:00:00.123456Z");
}

TEST(Rfc3339, RefusesWhatIsNotAnInstant) {  // H02
  for (const char* text :
       {"", "2026-12-01", "2026-12-01T00:00:00", "2026-12-01 00:00:00Z", "2026-12-01T24:00:00Z",
        "2026-12-01T00:60:00Z", "2026-12-01T00:00:60Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-12-00T00:00:00Z", "0000-01-01T00:00:00Z", "2026-12-01T00:00:00.Z",
        "2026-12-01T00:00:00.1234567890Z", "2026-12-01T00:00:00Zx", "2026-12-01T00:00:00+24:00",
        "2026-12-01T00:00:00+0900", "1764547200", "+026-12-01T00:00:00Z"}) {
    EXPECT_EQ(normal_form(text), "refused") << text;
  }
}

}  // namespace
}  // namespace hotrow
