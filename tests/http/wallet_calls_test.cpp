#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "hotrow/http/target.hpp"
#include "tests/http/market_world.hpp"

// Wallets, transfers and items.
namespace hotrow::test {
namespace {

using http::percent_encode;

TEST(Wallet, OneThatNobodyHasNamedReadsAsZeros) {
  MarketWorld world;
  const ProbeAnswer answer = world.call("GET", "/v1/players/nobody/wallet");
  EXPECT_EQ(answer.body, R"({"owner":"player:nobody","currency":"gold","available":0,"held":0,"version":0})");
  EXPECT_EQ(answer.header("etag"), "") << "what does not exist has no tag";
  EXPECT_EQ(ids_of(world.call("GET", "/v1/guilds/nobody/wallet/ledger"), "n"), "");
}

TEST(Wallet, DepositsAndWithdrawalsTellTheWalletAndTheEntry) {
  MarketWorld world;
  const ProbeAnswer in = world.post("/v1/players/ann/wallet/deposits",
                                    R"({"amount":100,"reason":"quest \"7\"","external_id":"q7"})");
  EXPECT_EQ(in.status, 201);
  EXPECT_EQ(in.body, R"({"wallet":{"owner":"player:ann","currency":"gold","available":100,"held":0,)"
                     R"("version":1},"entry_id":"player:ann:gold:1"})");
  const ProbeAnswer out = world.post("/v1/players/ann/wallet/withdrawals", R"({"amount":30})");
  EXPECT_EQ(out.status, 201);
  EXPECT_EQ(text_member(object_of(out), "entry_id"), "player:ann:gold:2");
  const ProbeAnswer wallet = world.call("GET", "/v1/players/ann/wallet");
  EXPECT_EQ(wallet.header("etag"), "\"2\"");
  EXPECT_EQ(integer_member(object_of(wallet), "available"), 70);
  const boost::json::object ledger = object_of(world.call("GET", "/v1/players/ann/wallet/ledger"));
  EXPECT_EQ(boost::json::serialize(ledger.at("items").at(0)),
            R"({"n":1,"entry_id":"player:ann:gold:1","d_available":100,"d_held":0,"available":100,"held":0,)"
            R"("reason":"deposit","ref":"player:ann:gold:1","note":"quest \"7\"",)"
            R"("at":"2026-06-01T00:00:00.000000Z"})");
}

TEST(Wallet, CurrenciesAndKindsOfOwnersAreApart) {
  MarketWorld world;
  world.post("/v1/players/5/wallet/deposits", R"({"amount":1})");
  world.post("/v1/guilds/5/wallet/deposits", R"({"amount":2})");
  world.post("/v1/players/guild:5/wallet/deposits", R"({"amount":4})");
  world.post("/v1/players/5/wallet/deposits", R"({"amount":8,"currency":"gems"})");
  const auto available = [&](const std::string& target) {
    return integer_member(object_of(world.call("GET", target)), "available");
  };
  EXPECT_EQ(available("/v1/players/5/wallet"), 1);
  EXPECT_EQ(available("/v1/guilds/5/wallet"), 2);
  EXPECT_EQ(available("/v1/players/guild:5/wallet"), 4);
  EXPECT_EQ(available("/v1/players/5/wallet?currency=gems"), 8);
  EXPECT_EQ(available("/v1/guilds/5/wallet?currency=gems"), 0);
}

TEST(Wallet, NamesThatMeanSomethingElsewhereAreNamesHere) {
  MarketWorld world;
  std::int64_t amount = 0;
  for (const std::string player :
       {"guild:5", "player:", "player:guild:5", "house", "outside", ":", "|", "a\"b", "🎉"}) {
    EXPECT_EQ(world.deposit(player, ++amount).status, 201) << player;
    const boost::json::object wallet =
        object_of(world.call("GET", "/v1/players/" + percent_encode(player) + "/wallet"));
    EXPECT_EQ(text_member(wallet, "owner"), "player:" + player);
    EXPECT_EQ(integer_member(wallet, "available"), amount) << player;
  }
}

TEST(Wallet, NobodyTakesOutWhatIsNotThere) {
  MarketWorld world;
  world.deposit("ann", 10);
  const ProbeAnswer answer = world.post("/v1/players/ann/wallet/withdrawals", R"({"amount":11})");
  EXPECT_EQ(answer.status, 402);
  EXPECT_EQ(problem_code(answer), "insufficient_funds");
  EXPECT_EQ(integer_member(object_of(answer), "available"), 10);
  EXPECT_EQ(world.gold("ann"), "10/0");
}

TEST(Wallet, HeldMoneyCannotBeTakenOut) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 150);
  EXPECT_EQ(world.bid("l", "ann", 100).status, 201);
  EXPECT_EQ(problem_code(world.post("/v1/players/ann/wallet/withdrawals", R"({"amount":51})")),
            "insufficient_funds");
  EXPECT_EQ(world.post("/v1/players/ann/wallet/withdrawals", R"({"amount":50})").status, 201);
  EXPECT_EQ(world.gold("ann"), "0/100");
}

TEST(Wallet, AnExternalIdMovesItsMoneyOnce) {
  MarketWorld world;
  const std::string target = "/v1/players/ann/wallet/deposits";
  EXPECT_EQ(world.post(target, R"({"amount":5,"external_id":"x"})").status, 201);
  const ProbeAnswer again = world.post(target, R"({"amount":5,"external_id":"x"})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(text_member(object_of(again), "entry_id"), "player:ann:gold:1");
  for (const std::string body :
       {R"({"amount":6,"external_id":"x"})", R"({"amount":5,"external_id":"x","currency":"gems"})"}) {
    const ProbeAnswer other = world.post(target, body);
    EXPECT_EQ(other.status, 409) << body;
    EXPECT_EQ(problem_code(other), "external_id_used") << body;
  }
  EXPECT_EQ(world.post("/v1/players/bob/wallet/deposits", R"({"amount":6,"external_id":"x"})").status, 201)
      << "external ids are an owner's own";
  EXPECT_EQ(world.gold("ann"), "5/0");
}

TEST(Wallet, HoldsNoMoreThanANumberCanSay) {
  MarketWorld world;
  EXPECT_EQ(world.deposit("ann", 9007199254740991).status, 201);
  EXPECT_EQ(problem_code(world.deposit("ann", 1)), "balance_limit");
  EXPECT_EQ(world.gold("ann"), "9007199254740991/0");
}

TEST(Wallet, AChangeCanAskForTheVersionSeen) {
  MarketWorld world;
  const std::string target = "/v1/players/ann/wallet/deposits";
  EXPECT_EQ(world.post(target, R"({"amount":5})", {{"If-Match", "\"1\""}}).status, 412) << "not there yet";
  world.deposit("ann", 5);
  EXPECT_EQ(world.post(target, R"({"amount":5})", {{"If-Match", "\"1\""}}).status, 201);
  const ProbeAnswer stale = world.post(target, R"({"amount":5})", {{"If-Match", "\"1\""}});
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(stale.header("etag"), "\"2\"");
  EXPECT_EQ(integer_member(object_of(stale).at("current").as_object(), "available"), 10);
}

TEST(Transfer, MovesBothWalletsOrNone) {
  MarketWorld world;
  world.deposit("ann", 10);
  const ProbeAnswer answer =
      world.post("/v1/transfers", R"({"from":"player:ann","to":"guild:red","amount":4,"reason":"dues"})");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body,
            R"({"from":{"owner":"player:ann","currency":"gold","available":6,"held":0,"version":2},)"
            R"("to":{"owner":"guild:red","currency":"gold","available":4,"held":0,"version":1},)"
            R"("entry_id":"player:ann:gold:2"})");
  EXPECT_EQ(problem_code(world.post("/v1/transfers", R"({"from":"player:ann","to":"guild:red","amount":7})")),
            "insufficient_funds");
  EXPECT_EQ(world.gold("ann"), "6/0");
  EXPECT_EQ(ids_of(world.call("GET", "/v1/guilds/red/wallet/ledger"), "reason"), "transfer");
}

TEST(Transfer, NeedsTwoOwners) {
  MarketWorld world;
  const auto fields = [&](const std::string& from, const std::string& to) {
    return error_fields(
        world.post("/v1/transfers", R"({"from":)" + from + R"(,"to":)" + to + R"(,"amount":1})"));
  };
  EXPECT_EQ(fields(R"("player:a")", R"("player:a")"), "to");
  EXPECT_EQ(fields(R"("a")", R"("npc:b")"), "from to") << "an owner says of which kind";
  EXPECT_EQ(fields(R"("player:")", R"("Player:b")"), "from to");
  EXPECT_EQ(fields("5", "null"), "from to");
  EXPECT_EQ(world.post("/v1/transfers", R"({"from":"player:player:","to":"player:","amount":1})").status,
            422);
  world.deposit("player:", 1);
  EXPECT_EQ(
      world.post("/v1/transfers", R"({"from":"player:player:","to":"player:guild:5","amount":1})").status,
      201);
  EXPECT_EQ(world.gold("guild:5"), "1/0");
}

TEST(Ledger, IsDenseAndPagesThroughIt) {
  MarketWorld world;
  for (int i = 1; i <= 7; ++i) world.deposit("ann", i);
  EXPECT_EQ(walk(world, "/v1/players/ann/wallet/ledger", 3, "n"), "1 2 3 4 5 6 7");
  EXPECT_EQ(walk(world, "/v1/players/ann/wallet/ledger", 7, "d_available"), "1 2 3 4 5 6 7");
  const std::string cursor =
      text_member(object_of(world.call("GET", "/v1/players/ann/wallet/ledger?limit=3")), "next_cursor");
  for (const std::string other :
       {"/v1/players/bob/wallet/ledger?cursor=", "/v1/guilds/ann/wallet/ledger?cursor=",
        "/v1/players/ann/wallet/ledger?currency=gems&cursor="}) {
    EXPECT_EQ(problem_code(world.call("GET", other + cursor)), "invalid_cursor") << other;
  }
}

TEST(Item, IsCreatedOnceAndTheSameAgainIs200) {
  MarketWorld world;
  const ProbeAnswer created = world.put_item("s1", "player:ann");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.body, R"({"id":"s1","family":"sword","attributes":{"a":"x","b":[1,{"c":null,"d":2}]},)"
                          R"("owner":"player:ann","location":"inventory","listing_id":null,)"
                          R"("created_at":"2026-06-01T00:00:00.000000Z"})");
  const ProbeAnswer again = world.put_item("s1", "player:ann");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, created.body);
  EXPECT_EQ(problem_code(world.put_item("s1", "player:bob")), "item_exists");
  EXPECT_EQ(problem_code(world.call("PUT", "/v1/items/s1", R"({"owner":"player:ann","family":"bow"})")),
            "item_exists");
  EXPECT_EQ(world.call("GET", "/v1/items/s1").body, created.body);
  EXPECT_EQ(problem_code(world.call("GET", "/v1/items/s2")), "item_not_found");
}

TEST(Item, LeavesForTheGameOnceAndStaysThere) {
  MarketWorld world;
  world.put_item("s1", "guild:red");
  const std::string target = "/v1/items/s1/withdrawals";
  EXPECT_EQ(problem_code(world.post("/v1/items/s2/withdrawals", R"({"owner":"guild:red"})")),
            "item_not_found");
  const ProbeAnswer other = world.post(target, R"({"owner":"player:red"})");
  EXPECT_EQ(other.status, 403);
  EXPECT_EQ(problem_code(other), "not_item_owner");
  const ProbeAnswer left = world.post(target, R"({"owner":"guild:red"})");
  EXPECT_EQ(left.status, 201);
  EXPECT_EQ(text_member(object_of(left), "location"), "outside");
  EXPECT_EQ(problem_code(world.post(target, R"({"owner":"guild:red"})")), "item_outside");
  const ProbeAnswer put = world.put_item("s1", "guild:red");
  EXPECT_EQ(put.status, 200) << "the same creation, as it is now";
  EXPECT_EQ(text_member(object_of(put), "location"), "outside");
}

TEST(Item, StaysInTheEscrowOfItsListing) {
  MarketWorld world;
  world.put_item("s1", "player:seller");
  world.deposit("seller", 10);
  const std::string body =
      R"({"id":"l","seller_id":"seller","item_id":"s1","start_price":100,"duration_seconds":60})";
  EXPECT_EQ(world.post("/v1/listings", body).status, 201);
  EXPECT_EQ(text_member(object_of(world.call("GET", "/v1/items/s1")), "listing_id"), "l");
  EXPECT_EQ(problem_code(world.post("/v1/items/s1/withdrawals", R"({"owner":"player:seller"})")),
            "item_in_escrow");
}

TEST(Item, APlayersItemsAreListedById) {
  MarketWorld world;
  for (const std::string id : {"b", "a|", "c", "ä"}) world.put_item(id, "player:ann");
  world.put_item("g", "guild:ann");
  EXPECT_EQ(walk(world, "/v1/players/ann/items", 2), "a| b c ä");
  EXPECT_EQ(walk(world, "/v1/players/bob/items", 2), "");
}

}  // namespace
}  // namespace hotrow::test
