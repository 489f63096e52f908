#include "hotrow/core/market_codec.hpp"

#include <gtest/gtest.h>

#include "hotrow/core/listing_codec.hpp"
#include "tests/core/market_world.hpp"

// The texts below stand in databases. Whatever changes, they must stay readable and mean the same.
namespace hotrow {
namespace {

using std::chrono::microseconds;

const Owner player{.kind = OwnerKind::player, .id = "guild:5"};
constexpr Timestamp at{1'780'272'000'000'000};

WalletRow wallet(std::int64_t available, std::int64_t held, std::int64_t version) {
  return {.id = {.owner = player}, .available = available, .held = held, .version = version};
}

ListingRow active() {
  return {.id = "sword",
          .lead = Lead{.bidder = "B", .amount = 150, .n = 2, .placed_at = at},
          .bids = 2,
          .extensions = 1,
          .ends_at = at + microseconds(5),
          .version = 3,
          .events = 6,
          .decided_at = at};
}

ListingRow sold() {
  ListingRow listing = active();
  listing.status = ListingStatus::sold;
  listing.lead.reset();
  listing.closing =
      ListingClosing{.at = at, .by = "operator:ops", .buyer = "B", .price = 150, .reason = "\"why\""};
  return listing;
}

const std::string active_text =
    R"("listing":{"id":"sword","status":"active","bids":2,"extensions":1,"ends_at":1780272000000005,)"
    R"("version":3,"events":6,"decided_at":1780272000000000,)"
    R"("lead":{"bidder":"B","amount":150,"n":2,"at":1780272000000000}})";
const std::string sold_text =
    R"("listing":{"id":"sword","status":"sold","bids":2,"extensions":1,"ends_at":1780272000000005,)"
    R"("version":3,"events":6,"decided_at":1780272000000000,"closing":{"at":1780272000000000,)"
    R"("by":"operator:ops","buyer":"B","price":150,"reason":"\"why\""}})";
const std::string wallet_text =
    R"({"owner":"player:guild:5","currency":"gold","available":7,"held":9007199254740991,"version":4})";

/// What was written once comes back and is written in the same way.
void expect_form(const Outcome& outcome, const std::string& text) {
  EXPECT_EQ(encode_answer(outcome), R"({"v":1,)" + text + "}");
  const std::optional<Answer> read = decode_answer(R"({"v":1,)" + text + "}");
  ASSERT_TRUE(read) << text;
  EXPECT_EQ(encode_answer(*read), R"({"v":1,)" + text + "}");
  EXPECT_EQ(std::get<Outcome>(*read).index(), outcome.index());
}

TEST(StoredMarketAnswer, OfMoneyKeepsItsForm) {
  expect_form(MoneyAnswer{.kind = LedgerReason::withdrawal, .wallet = wallet(7, 9007199254740991, 4), .n = 4},
              R"("money":{"kind":"withdrawal","wallet":)" + wallet_text + R"(,"n":4,"already":false})");
  expect_form(MoneyAnswer{.kind = LedgerReason::transfer,
                          .wallet = wallet(7, 9007199254740991, 4),
                          .to = wallet(7, 9007199254740991, 4),
                          .n = 4,
                          .already = true},
              R"("money":{"kind":"transfer","wallet":)" + wallet_text + R"(,"n":4,"already":true,"to":)" +
                  wallet_text + "}");
}

TEST(StoredMarketAnswer, OfAnItemKeepsItsForm) {
  const ItemRow item{.facts = {.id = "i", .family = "swords", .attributes = R"({"edge":1})"},
                     .owner = {.kind = OwnerKind::guild, .id = "5"},
                     .location = ItemLocation::escrow,
                     .listing = "sword",
                     .events = 2,
                     .created_at = at,
                     .created_for = player};
  expect_form(ItemAnswer{.item = item, .created = true},
              R"("item":{"item":{"facts":{"id":"i","family":"swords","attributes":"{\"edge\":1}"},)"
              R"("owner":"guild:5","location":"escrow","listing":"sword","events":2,)"
              R"("created_at":1780272000000000,"created_for":"player:guild:5"},"created":true})");
}

TEST(StoredMarketAnswer, OfAListingKeepsItsFormInEveryStatus) {
  const std::string rest = R"(,"extension":8,"server_time":1780272000000000,)";
  expect_form(ListingAnswer{.listing = active(), .extension = microseconds(8), .server_time = at},
              R"("listing":{)" + active_text + rest + R"("created":false})");
  expect_form(
      ListingAnswer{.listing = sold(), .extension = microseconds(8), .server_time = at, .created = true},
      R"("listing":{)" + sold_text + rest + R"("created":true})");
  for (const char* status : {"expired", "cancelled", "voided"}) {
    ListingRow listing = sold();
    listing.status = *listing_status_from_string(status);
    const Answer answer = Outcome(ListingAnswer{.listing = listing, .server_time = at});
    EXPECT_EQ(encode_answer(*decode_answer(encode_answer(answer))), encode_answer(answer));
  }
}

TEST(StoredMarketAnswer, OfABidAndABuyoutKeepTheirForms) {
  expect_form(BidAnswer{.listing = active(),
                        .wallet = wallet(7, 9007199254740991, 4),
                        .bid = {.bidder = "B", .amount = 150, .n = 2, .placed_at = at},
                        .extension = microseconds(0),
                        .server_time = at},
              R"("bid":{)" + active_text + R"(,"extension":0,"server_time":1780272000000000,"wallet":)" +
                  wallet_text + R"(,"bid":{"bidder":"B","amount":150,"n":2,"at":1780272000000000}})");
  expect_form(BuyoutAnswer{.listing = sold(), .wallet = wallet(7, 9007199254740991, 4), .server_time = at},
              R"("buyout":{)" + sold_text + R"(,"extension":0,"server_time":1780272000000000,"wallet":)" +
                  wallet_text + "}");
}

TEST(StoredMarketAnswer, OfAPlayerAndTheMarketKeepTheirForms) {
  expect_form(
      PlayerAnswer{.player = {.id = "B", .trade_blocked = true, .reason = "a bot", .version = 1, .events = 1},
                   .server_time = at},
      R"("player":{"id":"B","trade_blocked":true,"reason":"a bot","version":1,"events":1,)"
      R"("server_time":1780272000000000})");
  expect_form(MarketAnswer{.market = {.paused = true,
                                      .paused_at = at,
                                      .reason = "a patch",
                                      .extension = microseconds(8),
                                      .version = 3,
                                      .events = 3},
                           .server_time = at},
              R"("market":{"paused":true,"paused_at":1780272000000000,"reason":"a patch","extension":8,)"
              R"("version":3,"events":3,"server_time":1780272000000000})");
}

TEST(StoredMarketAnswer, OfARefusalKeepsItsFiguresOfEveryKind) {
  const std::string text =
      R"({"v":1,"rejection":{"code":"listing_closed","detail":"The listing is over.",)"
      R"("figures":{"listing_status":"sold","closed_at":{"at":"2026-06-01T00:00:00.000000Z"},"price":150},)"
      R"("errors":[],"request_id":"request"}})";
  const std::optional<Answer> answer = decode_answer(text);
  ASSERT_TRUE(answer);
  EXPECT_EQ(encode_answer(*answer), text);
  const auto& figures = std::get<Rejection>(*answer).figures;
  EXPECT_EQ(std::get<std::string>(figures[0].second), "sold");
  EXPECT_EQ(std::get<Timestamp>(figures[1].second), at);
  EXPECT_EQ(std::get<std::int64_t>(figures[2].second), 150);
}

TEST(StoredMarketAnswer, ThatAListingWasSetAsideIsNeverStored) {
  EXPECT_FALSE(is_stored(Outcome(SetAsideAnswer{.listing = "sword", .reason = "it fails"})));
}

TEST(StoredMarketAnswer, OfAnotherFormIsNotGuessedAt) {
  for (const char* text :
       {R"({"v":1,"money":{}})", R"({"v":1,"money":[]})", R"({"v":1,"item":{"created":true}})",
        R"({"v":1,"listing":{"listing":{},"extension":0,"server_time":0,"created":true}})",
        R"({"v":1,"bid":{}})", R"({"v":1,"buyout":1})", R"({"v":1,"player":{"id":"B"}})",
        R"({"v":1,"market":{"paused":1}})",
        R"({"v":1,"money":{"kind":"gift","wallet":{"owner":"player:B","currency":"gold","available":0,)"
        R"("held":0,"version":0},"n":1,"already":false}})",
        R"({"v":1,"money":{"kind":"deposit","wallet":{"owner":"nobody","currency":"gold","available":0,)"
        R"("held":0,"version":0},"n":1,"already":false}})"}) {
    EXPECT_FALSE(decode_answer(text)) << text;
  }
}

TEST(Terms, KeepTheirFormForEver) {
  ListingTerms terms{.seller = "S",
                     .item = {.id = "i", .family = "swords", .attributes = "{}"},
                     .currency = "krw",
                     .start_price = 100,
                     .min_increment = 5,
                     .on_close = OnClose::outside,
                     .rates = {.deposit_bps = 1, .deposit_min = 2, .cut_bps = 3, .cut_min = 4},
                     .deposit = 2,
                     .first_ends_at = at,
                     .created_at = at};
  const std::string plain =
      R"({"seller":"S","item":{"id":"i","family":"swords","attributes":"{}"},"currency":"krw",)"
      R"("start_price":100,"min_increment":5,"on_close":"outside","deposit_bps":1,"deposit_min":2,)"
      R"("cut_bps":3,"cut_min":4,"deposit":2,"first_ends_at":1780272000000000,)"
      R"("created_at":1780272000000000)";
  EXPECT_EQ(encode_terms(terms), plain + "}");
  EXPECT_EQ(decode_terms(plain + "}"), terms);
  terms.buyout_price = 9007199254740991;
  terms.anti_snipe = AntiSnipe{.window_seconds = 20, .extend_seconds = 10, .max_extensions = 3};
  const std::string whole = plain +
                            R"(,"buyout_price":9007199254740991,)"
                            R"("anti_snipe":{"window_seconds":20,"extend_seconds":10,"max_extensions":3}})";
  EXPECT_EQ(encode_terms(terms), whole);
  EXPECT_EQ(decode_terms(whole), terms);
}

TEST(Terms, OfAnotherFormAreNotGuessedAt) {
  for (const char* text : {"", "{}", "[]", "null", R"({"seller":"S"})"}) {
    EXPECT_EQ(decode_terms(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hotrow
