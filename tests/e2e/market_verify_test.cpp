#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/e2e/cluster.hpp"
#include "tests/e2e/postgres.hpp"
#include "tests/e2e/site.hpp"

namespace hotrow::test {
namespace {

struct MarketTampering {
  std::string name;
  std::string sql;  ///< %s stands for the schema with its dot.
  std::vector<std::string> broken;
};

const std::vector<MarketTampering> tamperings = {
    {"AWalletChangedByHand",
     "UPDATE %swallet SET available = available + 5 WHERE owner = 'ann'",
     {"wallets_are_what_their_ledger_says", "ledgers_are_dense_and_add_up", "nothing_is_minted"}},
    {"AnItemMovedOutOfItsEscrow",
     "UPDATE %sitem SET location = 'inventory', listing = NULL WHERE id = 'bow'",
     {"escrow_is_active_listings"}},
    {"AnItemInTwoPlaces",
     "UPDATE %sitem SET location = 'escrow', listing = 'sold' WHERE id = 'sword'",
     {"escrow_is_active_listings"}},
    {"AHoldWithoutABid",
     "UPDATE %swallet SET available = available - 10, held = held + 10 WHERE owner = 'cem'",
     {"held_is_leads_and_deposits", "wallets_are_what_their_ledger_says"}},
    {"ASettledListingWithALiveHold",
     "UPDATE %slisting SET status = 'sold', buyer = bidder, price = current_bid, closed_at = ends_at,"
     " closed_by = 'schedule', close_reason = '', bidder = NULL, current_bid = NULL, bid_n = NULL, "
     "bid_placed_at = NULL"
     " WHERE id = 'open'",
     {"held_is_leads_and_deposits", "counters_are_leads_and_listings", "escrow_is_active_listings",
      "sales_are_paid_once", "listings_tell_everything"}},
    {"ABidRemoved", "DELETE FROM %sbid WHERE listing = 'open'", {"leads_are_the_latest_bids"}},
    {"ALeadLowered",
     "UPDATE %slisting SET current_bid = 1 WHERE id = 'open'",
     {"leads_are_the_latest_bids", "held_is_leads_and_deposits"}},
};

void post(HttpProbe& probe, const std::string& target, const std::string& body) {
  static int number = 0;
  const auto answer =
      probe.send("POST", target, body, {{"Idempotency-Key", "fill-" + std::to_string(++number)}});
  ASSERT_TRUE(answer && answer->status < 300) << target << ": " << (answer ? answer->body : "no answer");
}

/// Ann has sold her sword to cem, and bob leads on her bow; then the server stops.
void fill_and_stop(Site& site) {
  HttpProbe probe(site.server().port());
  for (const std::string player : {"ann", "bob", "cem"}) {
    post(probe, "/v1/players/" + player + "/wallet/deposits", R"({"amount":1000})");
  }
  post(probe, "/v1/listings",
       R"({"id":"sold","seller_id":"ann","item":{"id":"sword","family":"blades"},"start_price":100,)"
       R"("buyout_price":300,"duration_seconds":3600})");
  post(probe, "/v1/listings",
       R"({"id":"open","seller_id":"ann","item":{"id":"bow","family":"bows"},"start_price":100,)"
       R"("duration_seconds":3600})");
  post(probe, "/v1/listings/open/bids", R"({"bidder_id":"cem","amount":100})");
  post(probe, "/v1/listings/open/bids", R"({"bidder_id":"bob","amount":120})");
  post(probe, "/v1/listings/sold/buyout", R"({"buyer_id":"cem","expected_price":300})");
  site.server().process().signal(SIGTERM);
  ASSERT_EQ(site.server().process().wait(std::chrono::seconds(25)), 0) << site.server().log();
}

std::string in_schema(std::string sql, const std::string& schema) {
  for (std::size_t at = sql.find("%s"); at != std::string::npos; at = sql.find("%s")) {
    sql.replace(at, 2, schema);
  }
  return sql;
}

void expect_clean(const std::string& database) {
  const Finished clean = verify(database);
  ASSERT_EQ(clean.exit_code, 0) << clean.out << clean.err;
}

void expect_named(const std::string& database, const MarketTampering& tampering) {
  SCOPED_TRACE(tampering.name);
  const Finished verdict = verify(database);
  EXPECT_EQ(verdict.exit_code, 1) << verdict.out << verdict.err;
  for (const std::string& invariant : tampering.broken) {
    EXPECT_NE(verdict.out.find("violated: " + invariant + " of "), std::string::npos) << verdict.out;
  }
}

TEST(MarketVerify, WhatAHandDidToSqliteIsNamed) {
  Site site;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop(site));
  const std::string original = site.folder().file("hotrow.db");
  const std::string copy = site.folder().file("copy.db");
  for (const MarketTampering& tampering : tamperings) {
    std::filesystem::copy_file(original, copy, std::filesystem::copy_options::overwrite_existing);
    ASSERT_NO_FATAL_FAILURE(expect_clean("sqlite:" + copy));
    run_sql("sqlite:" + copy, in_schema(tampering.sql, ""));
    expect_named("sqlite:" + copy, tampering);
  }
}

TEST(MarketVerify, WhatAHandDidToPostgresIsNamed) {
  Site site({.database = fresh_database(), .flags = {"--migrate"}});
  ASSERT_NO_FATAL_FAILURE(fill_and_stop(site));
  std::string save;
  std::string restore = "BEGIN;";
  for (const std::string table : {"wallet", "item", "listing", "bid"}) {
    save += "CREATE TABLE public." + table + " AS TABLE hotrow." + table + ";";
    restore +=
        "DELETE FROM hotrow." + table + "; INSERT INTO hotrow." + table + " TABLE public." + table + ";";
  }
  PostgresSession session(site.database());
  session.query(save);
  for (const MarketTampering& tampering : tamperings) {
    ASSERT_NO_FATAL_FAILURE(expect_clean(site.database()));
    session.query(in_schema(tampering.sql, "hotrow."));
    expect_named(site.database(), tampering);
    session.query(restore + "COMMIT");
  }
}

}  // namespace
}  // namespace hotrow::test
