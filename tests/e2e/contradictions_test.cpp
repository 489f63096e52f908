#include <gtest/gtest.h>

#include "tests/e2e/table.hpp"

// The judge of all other tests here: each thing that it must object to, by itself.
namespace hotrow::test {
namespace {

constexpr const char* noon = "2026-01-01T12:00:00.000000Z";
constexpr const char* later = "2026-01-01T12:00:01.000000Z";

Told placed(std::int64_t ordinal, bool winner = false, bool already = false, std::string at = noon) {
  return {.tidings = Tidings::placed,
          .status = already ? 200 : 201,
          .ordinal = ordinal,
          .winner = winner,
          .already = already,
          .entered_at = std::move(at)};
}

Told replay_of(Told told) {
  told.replayed = true;
  return told;
}

Told told(Tidings tidings) { return {.tidings = tidings}; }

/// Ann, bob, who won, and cid; and what they were told.
struct World {
  Table table{.counter = 3,
              .entries = {{1, "ann", *parse_rfc3339(noon)},
                          {2, "bob", *parse_rfc3339(noon)},
                          {3, "cid", *parse_rfc3339(noon)}},
              .winners = {{2, "bob"}}};
  std::vector<Visit> visits{{.user = "ann", .key = "k", .told = {placed(1), replay_of(placed(1))}},
                            {.user = "bob", .key = "", .told = {told(Tidings::lost), placed(2, true, true)}},
                            {.user = "cid", .key = "", .told = {told(Tidings::unknown)}},
                            {.user = "dan", .key = "", .told = {told(Tidings::busy)}}};

  std::size_t objections() const { return contradictions(visits, table).size(); }
};

TEST(Contradictions, NoneInATrueStory) { EXPECT_EQ(World().objections(), 0U); }

TEST(Contradictions, PlaceOfSomebodyElse) {
  World world;
  world.visits[3].told = {placed(1)};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, PlaceThatIsNotInTheTable) {
  World world;
  world.visits[3].told = {placed(4)};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, OtherTimeThanTheTables) {
  World world;
  world.visits[0].told = {placed(1, false, false, later)};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, WinnerWhoWasNotTold) {
  World world;
  world.visits[1].told = {placed(2, false)};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, LoserWhoWasToldToHaveWon) {
  World world;
  world.visits[0].told = {placed(1, true)};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, TwiceNew) {
  World world;
  world.visits.push_back({.user = "ann", .key = "", .told = {placed(1)}});
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, TwoPlacesForOnePerson) {
  World world;
  world.table.entries[2].user = "ann";
  world.visits.push_back({.user = "ann", .key = "", .told = {placed(3, false, true)}});
  EXPECT_EQ(world.objections(), 2U) << "in the table, and in what ann was told";
}

TEST(Contradictions, PlaceAfterNothingButBusy) {
  World world;
  world.table.entries[2].user = "dan";
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, PlaceOfSomebodyWhoWasNeverThere) {
  World world;
  world.table.entries[2].user = "eve";
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, StoredAnswerThatIsToldOtherwise) {
  World world;
  world.visits[0].told[1].body = "other";
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, SecondAnswerUnderAKeyThatIsNoReplay) {
  World world;
  world.visits[0].told[1] = placed(1, false, true);
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, ReplayOfWhatWasNeverAsked) {
  World world;
  world.visits[0].told.erase(world.visits[0].told.begin());
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, GapInThePlaces) {
  World world;
  world.table.entries[2].ordinal = world.table.counter = 4;
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, CounterBeyondTheTable) {
  World world;
  world.table.counter = 4;
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, WinnerWhoDoesNotHaveThePlace) {
  World world;
  world.table.winners[2] = "ann";
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, FaultOfTheServer) {
  World world;
  world.visits[3].told = {read_told({.status = 500, .headers = {}, .body = R"({"code":"internal_error"})"})};
  EXPECT_EQ(world.objections(), 1U);
}

TEST(Contradictions, PlaceWithoutANumber_A07) {
  EXPECT_EQ(read_told({.status = 201, .headers = {}, .body = R"({"user_id":"ann"})"}).tidings,
            Tidings::fault);
  EXPECT_EQ(read_told({.status = 201, .headers = {}, .body = ""}).tidings, Tidings::fault);
}

}  // namespace
}  // namespace hotrow::test
