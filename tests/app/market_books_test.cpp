#include "hotrow/app/market_books.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hotrow/app/market_crowd.hpp"

namespace hotrow {
namespace {

using Act = MarketCall::Act;
using What = TradeAnswer::What;
using std::chrono::seconds;

constexpr const char* listing_json =
    R"({"id":"m-l0","seller_id":"ann","item":{"id":"sword","family":"f","attributes":{}},"status":"active",)"
    R"("currency":"gold","start_price":100,"buyout_price":500,"min_increment":5,"deposit":1,"cut_bps":500,)"
    R"("cut_min":1,"created_at":"2026-06-01T00:00:00.000000Z","current_bid":120,"bidder_id":"bob",)"
    R"("bid_count":2,"min_next_bid":125,"extensions":0,"ends_at":"2026-06-01T00:01:00.000000Z",)"
    R"("buyer_id":null,"price":null,"closed_at":null,"closed_by":null,"close_reason":null,"set_aside":null,)"
    R"("version":3,"server_time":"2026-06-01T00:00:30.000000Z"})";

std::string bid_json(const char* bid) {
  return std::string(R"({"bid":)") + bid + R"(,"listing":)" + listing_json +
         R"(,"wallet":{"owner":"player:bob","currency":"gold","available":880,"held":120,"version":2}})";
}

/// Ann has listed her sword; bob bids.
MarketBooks books_of_a_listing() {
  MarketBooks books;
  books.players = {{"ann", 1'000}, {"bob", 1'000}};
  books.items = {{.id = "sword", .family = "f"}};
  books.listings = {
      {.id = "m-l0", .start_price = 100, .min_increment = 5, .buyout_price = 500, .duration = seconds(60)}};
  return books;
}

constexpr MarketCall bobs_bid{.act = Act::bid, .player = 1, .amount = 120};

struct Reading {
  const char* what;
  int status;
  const char* body;
  What comes_to;
  bool stored;
};

TEST(MarketAnswers, AreReadByWhatACallerCanDo) {
  const std::vector<Reading> cases{
      {"accepted", 201, listing_json, What::accepted, true},
      {"a stored no", 409, R"({"code":"bid_too_low","retryable":false,"min_next_bid":7})", What::refused,
       true},
      {"no money", 402, R"({"code":"insufficient_funds","retryable":false})", What::refused, true},
      {"a no that is not stored", 404, R"({"code":"listing_not_found","retryable":false})", What::refused,
       false},
      {"a no for now", 409, R"({"code":"market_paused","retryable":true})", What::again, false},
      {"an operator's matter", 409, R"({"code":"listing_set_aside","retryable":true})", What::refused, false},
      {"busy", 503, R"({"code":"busy","retryable":true})", What::again, false},
      {"unknown", 503, R"({"code":"outcome_unknown","retryable":true})", What::again, false},
      {"too many", 429, R"({"code":"too_many_undecided","retryable":true})", What::again, false},
      {"our bug", 500, "no JSON at all", What::again, false},
      {"a wrong key", 401, R"({"code":"unauthorized","retryable":false})", What::hopeless, false},
      {"another server", 404, "<html>", What::hopeless, false},
  };
  for (const Reading& reading : cases) {
    const TradeAnswer answer = read_trade_answer({.status = reading.status, .body = reading.body});
    EXPECT_EQ(answer.what, reading.comes_to) << reading.what;
    EXPECT_EQ(answer.stored, reading.stored) << reading.what;
  }
}

TEST(MarketAnswers, ShowTheListingTheBidAndTheWallet) {
  const std::string body =
      bid_json(R"({"id":"m-l0:2","amount":120,"placed_at":"2026-06-01T00:00:30.000000Z"})");
  const TradeAnswer answer = read_trade_answer({.status = 201, .body = body});
  ASSERT_TRUE(answer.listing && answer.bid && answer.wallet);
  EXPECT_EQ(answer.listing->bidder, "bob");
  EXPECT_EQ(answer.listing->min_next_bid, 125);
  EXPECT_FALSE(answer.listing->closed_at);
  EXPECT_EQ(answer.bid->n, 2);
  EXPECT_EQ(answer.wallet->held, 120);
}

struct Telling {
  const char* what;
  const char* bid;  ///< As answered to bob's bid of 120.
  const char* contradiction;
};

TEST(MarketBooks, AnAcceptedBidThatIsNotWhatWasBidIsAContradiction) {
  const std::vector<Telling> cases{
      {"as bid", R"({"id":"m-l0:2","amount":120,"placed_at":"2026-06-01T00:00:30.000000Z"})", nullptr},
      {"another amount", R"({"id":"m-l0:2","amount":121,"placed_at":"2026-06-01T00:00:30.000000Z"})",
       "bob's bid of 120 on listing m-l0 was told a bid of 121"},
      {"not the latest", R"({"id":"m-l0:1","amount":120,"placed_at":"2026-06-01T00:00:30.000000Z"})",
       "bob's bid of 120 on listing m-l0 was accepted and does not lead"},
      {"at the end", R"({"id":"m-l0:2","amount":120,"placed_at":"2026-06-01T00:01:00.000000Z"})",
       "bob's bid of 120 on listing m-l0 was accepted after the end"},
      {"none", R"({"id":"nameless"})", "bob's bid of 120 on listing m-l0 was told no bid"},
  };
  for (const Telling& telling : cases) {
    MarketBooks books = books_of_a_listing();
    note(books, bobs_bid, read_trade_answer({.status = 201, .body = bid_json(telling.bid)}));
    if (telling.contradiction == nullptr) {
      EXPECT_EQ(books.contradictions, std::vector<std::string>{}) << telling.what;
      ASSERT_EQ(books.listings[0].bids.size(), 1U);
      EXPECT_EQ(books.listings[0].bids[0].n, 2);
    } else {
      EXPECT_EQ(books.contradictions, std::vector<std::string>{telling.contradiction}) << telling.what;
    }
  }
}

TEST(MarketBooks, ARefusalThatIsNotTrueIsAContradiction) {
  MarketBooks books = books_of_a_listing();
  const auto refused = [](const char* body) { return read_trade_answer({.status = 409, .body = body}); };
  note(books, bobs_bid, refused(R"({"code":"bid_too_low","retryable":false,"min_next_bid":121})"));
  EXPECT_TRUE(books.contradictions.empty());
  note(books, bobs_bid, refused(R"({"code":"bid_too_low","retryable":false,"min_next_bid":120})"));
  note(books, bobs_bid, refused(R"({"code":"has_bids","retryable":false})"));
  EXPECT_EQ(books.contradictions, (std::vector<std::string>{
                                      "bob's bid of 120 on listing m-l0 was too low, and the least was 120",
                                      "bob's bid of 120 on listing m-l0 was refused with has_bids",
                                  }));
}

TEST(MarketBooks, RequestsCarryWhatTheContractAsksFor) {
  MarketBooks books = books_of_a_listing();
  books.players[1].id = "guild:5/x";
  const MarketRequest bid = request_of(bobs_bid, books);
  EXPECT_EQ(bid.method + " " + bid.target, "POST /v1/listings/m-l0/bids");
  EXPECT_EQ(bid.body, R"({"bidder_id":"guild:5/x","amount":120})");
  const MarketRequest deposit = request_of({.act = Act::deposit, .player = 1, .amount = 7}, books);
  EXPECT_EQ(deposit.target, "/v1/players/guild%3A5%2Fx/wallet/deposits");
  EXPECT_TRUE(deposit.keyed);
  EXPECT_FALSE(request_of({.act = Act::look}, books).keyed);
}

std::vector<std::string> described(MarketCrowd& crowd, int calls) {
  std::vector<std::string> all;
  for (int i = 0; i < calls; ++i) {
    const std::optional<MarketCall> call = crowd.next(SteadyTime(seconds(1)));
    if (call) all.push_back(describe(*call, crowd.books()));
  }
  return all;
}

constexpr std::size_t players = 100;

MarketCrowd crowd_of(std::uint64_t seed, const char* prefix) {
  return MarketCrowd({.players = players, .listings = 20, .seed = seed, .prefix = prefix});
}

TEST(MarketCrowds, TheSameSeedMakesTheSameCrowd) {
  MarketCrowd one = crowd_of(7, "a");
  MarketCrowd same = crowd_of(7, "a");
  MarketCrowd other = crowd_of(8, "a");
  const std::vector<std::string> calls = described(one, 130);
  EXPECT_EQ(calls, described(same, 130));
  EXPECT_NE(calls, described(other, 130));
}

TEST(MarketCrowds, AnotherPrefixMeetsNobodyAgain) {
  std::set<std::string> ids;
  for (const char* prefix : {"a", "b"}) {
    const MarketCrowd crowd = crowd_of(7, prefix);
    for (const MarketPlayer& player : crowd.books().players) ids.insert(player.id);
    for (const MarketItem& item : crowd.books().items) ids.insert(item.id);
  }
  EXPECT_EQ(ids.size(), 2 * (players + 20));
}

TEST(MarketCrowds, EverybodyHasADepositBeforeAnythingIsListed) {
  MarketCrowd crowd = crowd_of(7, "a");
  std::set<std::uint32_t> depositors;
  for (std::size_t i = 0; i < players; ++i) {
    const std::optional<MarketCall> call = crowd.next(SteadyTime(seconds(1)));
    ASSERT_TRUE(call);
    ASSERT_EQ(call->act, Act::deposit);
    depositors.insert(call->player);
  }
  EXPECT_EQ(depositors.size(), players);
}

TEST(MarketCrowds, EveryItemIsListedOnceAndNotAgainBeforeTheAnswer) {
  MarketCrowd crowd = crowd_of(7, "a");
  std::vector<int> listed(20, 0);
  for (int i = 0; i < 500; ++i) {
    const std::optional<MarketCall> call = crowd.next(SteadyTime(seconds(1)));
    if (call && call->act == Act::list) ++listed[crowd.books().listings[call->subject].item];
  }
  EXPECT_EQ(std::ranges::count(listed, 0), 0);
  EXPECT_LE(std::ranges::max(listed), 2) << "two are a double click, three are impatience with oneself";
}

TEST(MarketCrowds, NobodyBeginsAnythingAfterTheClose) {
  MarketCrowd crowd = crowd_of(7, "a");
  while (crowd.next(SteadyTime(seconds(1)))) continue;
  crowd.close(SteadyTime(seconds(1)));
  EXPECT_FALSE(crowd.next(SteadyTime(seconds(100))));
}

}  // namespace
}  // namespace hotrow
