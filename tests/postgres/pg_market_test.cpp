#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "hotrow/core/event.hpp"
#include "tests/postgres/pg_market.hpp"
#include "tests/postgres/pg_rows.hpp"
#include "tests/postgres/pg_world.hpp"

// What only PostgreSQL can do wrong with the auction's rows: locks of single rows, keys taken at the same
// moment, and updates that leave their page.
namespace hotrow {
namespace {

using std::chrono::milliseconds;

class PgMarketTest : public testing::Test {
 protected:
  void SetUp() override { store_ = world_.open(); }

  /// A seller, two bidders, and a listing that has no bid yet.
  void open_market() {
    for (const char* player : {"seller", "anna", "bert"}) run(*store_, deposit(player, 1'000'000));
    run(*store_, list("l", "seller", 500'000));
  }

  /// Updates of a table so far, and those that stayed within their page. A session reports them when it ends.
  std::pair<std::int64_t, std::int64_t> updates(const std::string& table) {
    while (world_.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'hotrow/test/%'") !=
           "0") {
    }
    const auto of = [&](const std::string& column) {
      return std::stoll(world_.sql("SELECT " + column + " FROM pg_stat_user_tables WHERE relname = '" +
                                   table + "' AND schemaname = current_schema()"));
    };
    return {of("n_tup_upd"), of("n_tup_hot_upd")};
  }

  /// Both commit at once; exactly one must be told of a conflict.
  void expect_one_conflict(std::array<std::unique_ptr<Transaction>, 2> transactions,
                           const std::vector<RowWrite>& writes) {
    std::array<Result<void>, 2> results;
    {
      std::latch ready(2);
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < 2; ++i) {
        threads.emplace_back([&, i] {
          transactions[i]->apply(writes);
          ready.arrive_and_wait();
          results[i] = transactions[i]->commit();
        });
      }
    }
    EXPECT_NE(results[0].has_value(), results[1].has_value());
    for (const Result<void>& result : results) {
      if (!result) {
        EXPECT_EQ(result.error().kind, ErrorKind::conflict) << result.error().detail;
      }
    }
  }

  PgWorld world_;
  std::unique_ptr<Store> store_;
};

TEST_F(PgMarketTest, BidsUpdateTheListingAndTheWalletsWithinTheirPages) {
  open_market();
  constexpr int bids = 200;
  {
    const auto transaction = std::move(*store_->open_transaction());
    for (int i = 0; i < bids; ++i) run(*transaction, bid("l", i % 2 == 0 ? "anna" : "bert", 10 + i));
  }
  EXPECT_EQ(world_.sql("SELECT count(*) FROM bid"), std::to_string(bids));
  for (const char* table : {"listing", "wallet"}) {
    const auto [all, hot] = updates(table);
    EXPECT_GE(all, bids) << table;
    EXPECT_EQ(hot, all) << table;
  }
}

TEST_F(PgMarketTest, AWalletHeldByAStrangerHoldsUpOnlyWhoNeedsIt) {
  open_market();
  const Keys held = {wallet_key(gold_of("bert"))};
  const auto stranger = with_lock(*store_, held);
  const Keys wanted = {listing_key("l"), item_key("item of l"), wallet_key(gold_of("anna")), held[0],
                       wallet_key(gold_of("nobody"))};

  const auto transaction = std::move(*store_->open_transaction());
  transaction->begin(new_attempt(milliseconds(50)));
  const Result<Locked> locked = transaction->lock(wanted);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::held);
  const Result<Keys> named = transaction->held_by_others(wanted);
  ASSERT_TRUE(named) << named.error().detail;
  EXPECT_EQ(*named, held);

  run(*transaction, bid("l", "anna", 10));
  stranger->rollback();
  run(*transaction, bid("l", "bert", 11));
}

TEST_F(PgMarketTest, HeldRowsOfEveryLockedKindAreNamed) {
  open_market();
  create(*store_, "p");
  const Keys all = {promotion_key("p"), listing_key("l"), item_key("item of l"), wallet_key(gold_of("anna"))};
  const auto stranger = std::move(*store_->open_transaction());
  const auto transaction = std::move(*store_->open_transaction());
  for (const Key& key : all) {
    stranger->begin(new_attempt());
    ASSERT_TRUE(stranger->lock(std::span(&key, 1)));
    const Result<Keys> named = transaction->held_by_others(all);
    ASSERT_TRUE(named) << named.error().detail;
    EXPECT_EQ(*named, Keys{key});
  }
  stranger->begin(new_attempt());
  ASSERT_TRUE(stranger->lock({}));
  EXPECT_EQ(*transaction->held_by_others(all), Keys{});
}

TEST_F(PgMarketTest, WhatLocksDoNotGuardIsReadWhoeverHoldsWhat) {
  open_market();
  run(*store_, RestrictPlayer{.player = "anna", .trade_blocked = true, .reason = "bot"});
  const Keys all = {player_key("anna"), market_key()};
  const auto stranger = with_lock(*store_, {listing_key("l")});
  const auto transaction = std::move(*store_->open_transaction());
  transaction->begin(new_attempt(milliseconds(50)));
  const Result<Locked> locked = transaction->lock(all);
  ASSERT_TRUE(locked) << locked.error().detail;
  EXPECT_TRUE(std::get<PlayerRow>(locked->rows[0].value()).trade_blocked);
  EXPECT_FALSE(locked->rows[1]);
}

TEST_F(PgMarketTest, AnAbsentWalletIsMadeByOneOfTwo) {
  const Keys keys = {wallet_key(gold_of("new"))};
  expect_one_conflict({with_lock(*store_, keys), with_lock(*store_, keys)},
                      {{.key = keys[0], .row = WalletRow{.id = gold_of("new"), .available = 5}}});
  EXPECT_EQ(world_.sql("SELECT count(*) || ' ' || sum(available) FROM wallet"), "1 5");
}

TEST_F(PgMarketTest, TheMarketIsChangedByOneOfTwoThatSawTheSameState) {
  const Keys keys = {market_key()};
  MarketRow market;
  for (const RowWrite::How how : {RowWrite::How::insert, RowWrite::How::update}) {
    market.paused = !market.paused;
    ++market.version;
    const RowWrite event = next_event({.kind = "market", .id = "market", .events = market.events, .at = {1}},
                                      "market.changed", {}, {});
    expect_one_conflict({with_lock(*store_, keys), with_lock(*store_, keys)},
                        {{.key = keys[0], .row = market, .how = how}, event});
    EXPECT_EQ(world_.sql("SELECT version || ' ' || events FROM market"),
              std::to_string(market.version) + " " + std::to_string(market.events));
  }
}

TEST_F(PgMarketTest, AnUpdateOfARowThatIsNotThereFails) {
  open_market();
  const auto transaction = std::move(*store_->open_transaction());
  transaction->begin(new_attempt());
  ListingRow listing =
      std::get<ListingRow>(transaction->lock(Keys{listing_key("l")}).value().rows.at(0).value());
  listing.id = "m";
  const std::vector<RowWrite> updates = {
      {.key = listing_key("m"), .row = listing},
      {.key = item_key("i"), .row = ItemRow{.facts = {.id = "i"}}},
      {.key = wallet_key(gold_of("w")), .row = WalletRow{.id = gold_of("w")}},
      {.key = player_key("x"), .row = PlayerRow{.id = "x"}},
      {.key = market_key(), .row = MarketRow{}},
  };
  for (RowWrite update : updates) {
    update.how = RowWrite::How::update;
    transaction->begin(new_attempt());
    ASSERT_TRUE(transaction->lock({}));
    transaction->apply(std::span(&update, 1));
    const Result<void> committed = transaction->commit();
    ASSERT_FALSE(committed) << describe(update.key);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid);
    EXPECT_EQ(committed.error().code, "rows_affected");
  }
}

TEST_F(PgMarketTest, EveryInvariantIsCountedAndAWalletChangedByHandIsFound) {
  open_market();
  run(*store_, bid("l", "anna", 10));
  run(*store_, buyout("l", "bert"));
  run(*store_, list("m", "anna"));
  run(*store_, bid("m", "bert", 20));
  const auto queries = std::move(*store_->open_queries());
  for (const MarketInvariant& invariant : market_invariants()) {
    const Result<InvariantCount> count = queries->check(invariant);
    ASSERT_TRUE(count) << invariant.name << ": " << count.error().detail;
    EXPECT_EQ(count->violations, 0) << invariant.name << ": " << count->example;
  }
  EXPECT_EQ(queries->house()->at(0).cut, 25'000);

  world_.sql("UPDATE wallet SET available = available + 1 WHERE owner IN ('anna', 'bert')");
  std::vector<std::string_view> violated;
  for (const MarketInvariant& invariant : market_invariants()) {
    const Result<InvariantCount> count = queries->check(invariant);
    ASSERT_TRUE(count) << invariant.name << ": " << count.error().detail;
    if (count->violations == 0) continue;
    violated.push_back(invariant.name);
    const bool per_wallet = count->example == "wallet player:anna gold" && count->violations == 2;
    EXPECT_TRUE(per_wallet || count->example == "currency gold") << invariant.name << ": " << count->example;
  }
  EXPECT_EQ(violated, (std::vector<std::string_view>{"wallets_are_what_their_ledger_says",
                                                     "ledgers_are_dense_and_add_up", "nothing_is_minted"}));
}

}  // namespace
}  // namespace hotrow
