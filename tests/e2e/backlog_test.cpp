#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/e2e/auction.hpp"

// Servers that start with a backlog: listings that ended long ago, as many as end while everything is down
// for a day. Nobody waits for them, and each is settled once.
namespace hotrow::test {
namespace {

/// One text for both stores. Every third listing has a bid of 150. Rows are as if the API had made them: who
/// sells holds his deposits and who leads his bids, every line of a ledger has its command.
constexpr const char* fill_sql = R"sql(
BEGIN;
CREATE TEMP TABLE past AS
WITH RECURSIVE series(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM series WHERE i < <backlog> - 1)
SELECT 'old-' || i AS id, 's-' || (i % 100) AS seller, i / 100 AS nth_sale, <end> + i AS ends_at,
       CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END AS led, 'b-' || (i / 3 % 50) AS bidder, i / 150 AS nth_bid
FROM series;

INSERT INTO item (id, family, attributes, owner_kind, owner, location, listing, events, created_at, first_owner_kind,
                  first_owner)
SELECT id, 'swords', '{}', 'player', seller, 'escrow', id, 0, <made>, 'player', seller FROM past;

INSERT INTO listing (id, terms, seller, family, item, currency, start_price, deposit, created_at, status, bidder,
                     current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, version, events, decided_at)
SELECT id,
       '{"seller":"' || seller || '","item":{"id":"' || id || '","family":"swords","attributes":"{}"},' ||
       '"currency":"gold","start_price":100,"min_increment":1,"on_close":"inventory","deposit_bps":100,' ||
       '"deposit_min":1,"cut_bps":500,"cut_min":1,"deposit":1,"first_ends_at":' || ends_at ||
       ',"created_at":<made>}',
       seller, 'swords', id, 'gold', 100, 1, <made>, 'active', CASE WHEN led = 1 THEN bidder END,
       CASE WHEN led = 1 THEN 150 END, CASE WHEN led = 1 THEN 1 END, CASE WHEN led = 1 THEN <made> END,
       led, 0, ends_at, 1 + led, 1 + led, <made>
FROM past;

INSERT INTO bid (listing, n, bidder, amount, placed_at) SELECT id, 1, bidder, 150, <made> FROM past WHERE led = 1;

INSERT INTO event (subject_kind, subject, sequence, type, id, data, occurred_at, traceparent)
SELECT 'listing', id, 1, 'listing.created', 'listing:' || id || ':1', '{}', <made>, '' FROM past;
INSERT INTO event (subject_kind, subject, sequence, type, id, data, occurred_at, traceparent)
SELECT 'listing', id, 2, 'listing.bid_placed', 'listing:' || id || ':2', '{}', <made>, '' FROM past WHERE led = 1;

INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note, at)
SELECT 'player', seller, 'gold', nth_sale + 2, -1, 1, 999999 - nth_sale, nth_sale + 1, 'listing_deposit',
       'listing:' || id || ':1', '', <made>
FROM past;
INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note, at)
SELECT 'player', bidder, 'gold', nth_bid + 2, -150, 150, 1000000 - 150 * (nth_bid + 1), 150 * (nth_bid + 1), 'bid_hold',
       'listing:' || id || ':2', '', <made>
FROM past WHERE led = 1;
INSERT INTO house_line (owner_kind, owner, currency, n, account, amount, reason, ref, at)
SELECT owner_kind, owner, currency, 1, 'outside', -1000000, 'deposit', 'deposit:' || owner, <made>
FROM ledger_line WHERE n = 2 AND reason IN ('listing_deposit', 'bid_hold') AND at = <made>;
INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note, at)
SELECT owner_kind, owner, currency, 1, 1000000, 0, 1000000, 0, 'deposit', ref, '', at
FROM house_line WHERE at = <made>;

INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings)
SELECT owner_kind, owner, currency, sum(d_available), sum(d_held), max(n),
       sum(CASE WHEN reason = 'bid_hold' THEN 1 ELSE 0 END),
       sum(CASE WHEN reason = 'listing_deposit' THEN 1 ELSE 0 END)
FROM ledger_line WHERE at = <made> GROUP BY owner_kind, owner, currency;
COMMIT;
)sql";

std::string with(std::string text, const std::map<std::string, std::int64_t>& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "<" + name + ">";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), std::to_string(value));
    }
  }
  return text;
}

class Backlog : public AuctionTest {
 protected:
  /// All servers are down when the listings end.
  void fill_while_down() {
    house_.set_up({list("live", {.buyout_price = 1'000'000}), deposit("bob", 1'000'000)});
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).process().kill_hard();
    const Timestamp now = wall_clock_now();
    run_sql(house_.database(), with(fill_sql, {{"backlog", backlog_},
                                               {"made", (now - std::chrono::hours(3)).micros},
                                               {"end", (now - std::chrono::hours(2)).micros}}));
    const Finished verdict = verify(house_.database());
    ASSERT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
  }

  /// Each has said at /readyz that it is ready.
  void start_all() {
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).launch();
    for (std::size_t i = 0; i < house_.site().size(); ++i) house_.site().server(i).wait_until_ready();
  }

  std::int64_t count(const std::string& which) {
    return read_number(house_.database(), "SELECT count(*) FROM " + which);
  }
  std::int64_t unsettled() { return count("listing WHERE status = 'active' AND id <> 'live'"); }

  double metric(std::size_t server, const std::string& name) {
    const auto answer = HttpProbe(house_.port(server)).get("/metrics");
    if (!answer) return 0;
    std::istringstream lines(answer->body);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + " ")) return std::stod(line.substr(name.size()));
    }
    return 0;
  }

  void expect_settled_once() {
    EXPECT_EQ(unsettled(), 0);
    const std::int64_t led = (backlog_ + 2) / 3;
    EXPECT_EQ(count("listing WHERE status = 'sold' AND price = 150"), led);
    EXPECT_EQ(count("listing WHERE status = 'expired'"), backlog_ - led);
    EXPECT_EQ(count("event WHERE type = 'listing.sold'"), led);
    EXPECT_EQ(count("event WHERE type = 'listing.expired'"), backlog_ - led);
    EXPECT_EQ(count("ledger_line WHERE reason = 'purchase'"), led);
    EXPECT_EQ(house_.house(), led * 7 + backlog_ - led) << "a cut of each sale, the deposit of what expired";
    EXPECT_EQ(house_.status("live"), "active");
  }

  const std::int64_t backlog_ = soak_rounds(0) == 0 ? 3'000 : 100'000;
};

constexpr std::chrono::minutes patience(4);

TEST_P(Backlog, KeepsNeitherReadinessNorBidsOnLiveListingsWaiting_C32) {
  ASSERT_NO_FATAL_FAILURE(fill_while_down());
  start_all();
  Client client(house_.port(0));
  const Heard first = client.call(bid("live", "bob", 100));
  ASSERT_EQ(first.result(), "201") << first.text;
  EXPECT_TRUE(eventually([&] { return metric(0, "hotrow_settlement_lag_seconds") > 3'600; }))
      << "nobody tells of what waits";
  std::int64_t price = 100;
  ASSERT_TRUE(eventually(
      [&] {
        const Heard heard = client.call(bid("live", "bob", ++price));
        EXPECT_EQ(heard.result(), "201") << heard.text;
        return unsettled() == 0;
      },
      patience));
  // The store's clock dates both: the server was ready, then took the bid, then settled these.
  const auto placed_at = parse_rfc3339(std::string(first.body.at("bid").at("placed_at").as_string())).value();
  EXPECT_GT(count("listing WHERE id <> 'live' AND closed_at > " + std::to_string(placed_at.micros)), 0);
  expect_settled_once();
  EXPECT_EQ(house_.gold("bob"), std::to_string(1'000'000 - price) + "/" + std::to_string(price));
  double settled = 0;
  for (std::size_t i = 0; i < house_.site().size(); ++i) {
    EXPECT_TRUE(eventually([&] { return metric(i, "hotrow_settlement_lag_seconds") == 0; }));
    settled += metric(i, "hotrow_listings_settled_total");
  }
  EXPECT_EQ(settled, double(backlog_)) << "what a server found settled is not its own doing";
}

TEST_P(Backlog, IsSettledOnceThoughServersAreKilledMeanwhile_C14) {
  ASSERT_NO_FATAL_FAILURE(fill_while_down());
  start_all();
  for (std::int64_t kill = 1; kill <= 4; ++kill) {
    ASSERT_TRUE(eventually([&] { return unsettled() <= backlog_ - backlog_ * kill / 6; }, patience));
    Server& server = house_.site().server(std::size_t(kill) % house_.site().size());
    server.process().kill_hard();
    server.start();
  }
  ASSERT_TRUE(eventually([&] { return unsettled() == 0; }, patience));
  expect_settled_once();
}

INSTANTIATE_TEST_SUITE_P(Stores, Backlog, testing::Values(Backend::sqlite, Backend::postgres),
                         name_of_backend);

}  // namespace
}  // namespace hotrow::test
