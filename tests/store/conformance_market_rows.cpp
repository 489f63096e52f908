#include <chrono>

#include "tests/store/conformance.hpp"

// Part one, the auction's rows: every column comes back exactly, and what a database must refuse is refused.
namespace hotrow::conformance {
namespace {

constexpr std::int64_t largest = 9007199254740991;
constexpr const char* difficult_text = "\xF0\x9F\x8E\x81\n\"because\" it's | \\ {1,2} %";

Timestamp last_moment() { return *parse_rfc3339("9999-12-31T23:59:59.999999Z"); }

ListingTerms full_terms() {
  return {
      .seller = "guild:5",
      .item = {.id = "item|'1'", .family = "two-handed \"swords\"", .attributes = R"({"a":"\" \\ ' 🎁"})"},
      .currency = "krw_2",
      .start_price = largest,
      .buyout_price = largest,
      .min_increment = largest,
      .anti_snipe = AntiSnipe{.window_seconds = 3600, .extend_seconds = 1, .max_extensions = 100},
      .on_close = OnClose::outside,
      .rates = {.deposit_bps = 1, .deposit_min = 2, .cut_bps = 10'000, .cut_min = largest},
      .deposit = largest,
      .first_ends_at = {-1},
      .created_at = last_moment()};
}

/// A row of each kind that is updated, with every column that an update changes changed.
std::vector<RowWrite> updates_of_all_kinds() {
  ListingRow listing = closed_listing_row("l", ListingStatus::sold,
                                          {.at = start_time(), .by = "buyout", .buyer = "bob", .price = 100});
  listing.ends_at = start_time();
  listing.bids = 3;
  listing.extensions = 2;
  listing.version = 9;
  listing.events = 8;
  listing.decided_at = last_moment();
  ItemRow item = item_row("i", player("anna"));
  item.owner = guild("g");
  item.location = ItemLocation::outside;
  item.events = 7;
  WalletRow wallet = wallet_row(purse("anna"), 5);
  wallet.held = 6;
  wallet.version = 7;
  wallet.leading_bids = 8;
  wallet.active_listings = 9;
  wallet.buyout_minute = last_moment();
  wallet.buyouts_in_minute = 10;
  PlayerRow someone{.id = "anna", .reason = "forgiven", .version = 2, .events = 2};
  MarketRow market{.paused_at = last_moment(),
                   .reason = "open again",
                   .extension = std::chrono::microseconds(largest),
                   .version = 2,
                   .events = 2};
  PolicyRow policy{.id = {.scope = PolicyScope::family, .id = "swords"},
                   .players = {.max_active_listings = 0},
                   .pressure = {.bid_window_ms = 5000},
                   .reason = "another",
                   .version = 2,
                   .events = 2};
  return {update(listing), update(item), update(wallet), update(someone), update(market), update(policy)};
}

std::vector<RowWrite> inserts_of_all_kinds() {
  return {insert(listing_row("l")),
          insert(escrow_row("i", player("anna"), "l")),
          insert(wallet_row(purse("anna"), 1)),
          insert(bid_row("l", 1, "bob", 100)),
          insert(ledger_line_row(purse("anna"), 1)),
          insert(house_line_row(purse("anna"), 1)),
          insert(external_id_row(player("anna"), "x")),
          insert(player_row("anna")),
          insert(market_row()),
          insert(policy_row({.scope = PolicyScope::family, .id = "swords"}))};
}

TEST_P(StoreConformance, EveryColumnOfAWalletComesBackAsWritten) {
  const WalletRow full{.id = {.owner = guild("g:'\"|\\"), .currency = "krw_2"},
                       .available = largest,
                       .held = largest - 1,
                       .version = largest - 2,
                       .leading_bids = largest - 3,
                       .active_listings = largest - 4,
                       .buyout_minute = {-1},
                       .buyouts_in_minute = largest - 5};
  commit({insert(full), insert(WalletRow{.id = purse("anna")})});
  EXPECT_EQ(to_text(find(wallet_key(full.id))), to_text(Row(full)));
  EXPECT_EQ(to_text(find(wallet_key(purse("anna")))), to_text(Row(WalletRow{.id = purse("anna")})));
}

TEST_P(StoreConformance, WalletsOfDifficultOwnersStayApart) {
  std::vector<RowWrite> writes;
  for (const std::string& id : difficult_ids()) {
    for (const Owner& owner : {player(id), guild(id)}) {
      for (const char* currency : {"gold", "gold_2"}) {
        writes.push_back(
            insert(wallet_row({.owner = owner, .currency = currency}, std::int64_t(writes.size()))));
      }
    }
  }
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
}

TEST_P(StoreConformance, EveryColumnOfAnItemComesBackAsWritten) {
  ItemRow outside{
      .facts = {.id = "i:'\"|\\", .family = difficult_text, .attributes = R"({"a":"\" \\ ' 🎁"})"},
      .owner = guild(difficult_ids()[1]),
      .location = ItemLocation::outside,
      .events = largest,
      .created_at = {-1},
      .created_for = player("player:")};
  const ItemRow escrow = escrow_row("e", player("anna"), "l:'\"|\\");
  const ItemRow inventory = item_row("v", player("anna"));
  commit({insert(outside), insert(escrow), insert(inventory)});
  EXPECT_EQ(to_text(find(key_of(outside))), to_text(Row(outside)));
  EXPECT_EQ(to_text(find(key_of(escrow))), to_text(Row(escrow)));
  EXPECT_EQ(to_text(find(key_of(inventory))), to_text(Row(inventory)));
}

TEST_P(StoreConformance, EveryColumnOfAListingComesBackAsWritten) {
  ListingRow active = listing_row("active|'\"\\", full_terms());
  active.lead = Lead{.bidder = difficult_text, .amount = largest, .n = largest - 1, .placed_at = {-1}};
  active.bids = largest - 1;
  active.extensions = 100;
  active.ends_at = last_moment();
  active.version = largest;
  active.events = largest - 2;
  active.decided_at = {1};
  active.set_aside = difficult_text;
  const ListingClosing sale{.at = {-1}, .by = "schedule", .buyer = "house", .price = largest};
  const ListingRow sold = closed_listing_row("sold", ListingStatus::sold, sale);
  const ListingClosing end{.at = {1}, .by = "operator:'\"|\\", .reason = difficult_text};
  commit({insert(active), insert(listing_row("plain")), insert(sold),
          insert(closed_listing_row("expired", ListingStatus::expired, end)),
          insert(closed_listing_row("cancelled", ListingStatus::cancelled, end)),
          insert(closed_listing_row("voided", ListingStatus::voided, end))});
  EXPECT_EQ(to_text(find(listing_key(active.id))), to_text(Row(active)));
  EXPECT_EQ(*std::get<ListingRow>(*find(listing_key(active.id))).terms, full_terms());
  EXPECT_EQ(to_text(find(listing_key("plain"))), to_text(Row(listing_row("plain"))));
  EXPECT_EQ(to_text(find(listing_key("sold"))), to_text(Row(sold)));
  for (const ListingStatus status :
       {ListingStatus::expired, ListingStatus::cancelled, ListingStatus::voided}) {
    const ListingRow row = closed_listing_row(std::string(to_string(status)), status, end);
    EXPECT_EQ(to_text(find(listing_key(row.id))), to_text(Row(row)));
  }
}

TEST_P(StoreConformance, DifficultIdsOfListingsAndItemsStayApart) {
  std::vector<RowWrite> writes;
  for (const std::string& id : difficult_ids()) {
    ListingRow listing = listing_row(id);
    listing.version = std::int64_t(writes.size()) + 1;
    writes.push_back(insert(listing));
    writes.push_back(insert(escrow_row(id, player(id), id)));
  }
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
}

TEST_P(StoreConformance, EveryColumnOfABidAndALedgerLineComesBackAsWritten) {
  const WalletId id{.owner = guild("g:'\"|\\"), .currency = "krw_2"};
  LedgerLineRow line{.wallet = id,
                     .n = largest,
                     .d_available = -largest,
                     .d_held = largest,
                     .available = largest - 1,
                     .held = largest - 2,
                     .reason = LedgerReason::sale,
                     .ref = difficult_text,
                     .note = difficult_text,
                     .at = {-1}};
  BidRow bid{
      .listing = "l:'\"|\\", .n = largest, .bidder = difficult_text, .amount = largest, .placed_at = {-1}};
  commit({insert(line), insert(bid)});
  const auto queries = open_queries(store());
  EXPECT_EQ(to_texts(*queries->ledger(id, 0, 10)), to_texts(std::vector{line}));
  EXPECT_EQ(to_texts(*queries->bids(bid.listing, 0, 10)), to_texts(std::vector{bid}));
}

TEST_P(StoreConformance, EveryReasonOfALedgerLineComesBackAsWritten) {
  std::vector<RowWrite> writes;
  std::vector<LedgerLineRow> lines;
  for (int reason = 0; reason <= int(LedgerReason::sale); ++reason) {
    LedgerLineRow line = ledger_line_row(purse("anna"), reason + 1);
    line.reason = LedgerReason(reason);
    line.note.clear();
    lines.push_back(line);
    writes.push_back(insert(line));
  }
  commit(writes);
  EXPECT_EQ(to_texts(*open_queries(store())->ledger(purse("anna"), 0, 100)), to_texts(lines));
}

TEST_P(StoreConformance, EveryColumnOfAnExternalIdComesBackAsWritten) {
  ExternalIdRow transfer{.owner = guild("g"),
                         .external_id = difficult_text,
                         .kind = LedgerReason::transfer,
                         .currency = "krw_2",
                         .amount = largest,
                         .to = "player:a:b",
                         .n = largest};
  const ExternalIdRow deposit = external_id_row(player("g"), difficult_text);
  commit({insert(transfer), insert(deposit)});
  EXPECT_EQ(to_text(find(key_of(transfer))), to_text(Row(transfer)));
  EXPECT_EQ(to_text(find(key_of(deposit))), to_text(Row(deposit)));
  EXPECT_FALSE(find(external_id_key(player("g"), "another")));
}

TEST_P(StoreConformance, EveryColumnOfAPlayerAndTheMarketComesBackAsWritten) {
  PlayerRow someone{.id = "p:'\"|\\", .reason = difficult_text, .version = largest, .events = largest - 1};
  MarketRow market{.paused = true,
                   .paused_at = {-1},
                   .reason = difficult_text,
                   .extension = std::chrono::microseconds(largest),
                   .version = largest - 1,
                   .events = largest - 2};
  commit({insert(someone), insert(player_row("blocked")), insert(market)});
  EXPECT_EQ(to_text(find(key_of(someone))), to_text(Row(someone)));
  EXPECT_EQ(to_text(find(player_key("blocked"))), to_text(Row(player_row("blocked"))));
  EXPECT_EQ(to_text(find(market_key())), to_text(Row(market)));
}

TEST_P(StoreConformance, EveryPolicyComesBackAsWritten) {
  std::vector<RowWrite> writes;
  for (const PolicyScope scope :
       {PolicyScope::player, PolicyScope::family, PolicyScope::listing, PolicyScope::promotion}) {
    for (const std::string& id : difficult_ids()) writes.push_back(insert(policy_row({scope, id})));
  }
  PolicyRow everybody{.id = {.scope = PolicyScope::players},
                      .players = {.max_leading_bids = largest, .max_active_listings = 0},
                      .pressure = {.bid_window_ms = 0,
                                   .buyouts_per_player_per_minute = largest,
                                   .buyout_quiet_seconds = largest - 1,
                                   .queue_max = 1},
                      .reason = difficult_text,
                      .version = largest,
                      .events = largest - 1};
  writes.push_back(insert(everybody));
  commit(writes);
  for (const RowWrite& write : writes) EXPECT_EQ(to_text(find(write.key)), to_text(write.row));

  const std::vector<PolicyId> asked = {{PolicyScope::players, ""}, {PolicyScope::family, "not there"}};
  const auto found = open_queries(store())->policies(asked);
  ASSERT_TRUE(found) << found.error().detail;
  EXPECT_EQ(to_texts(*found), to_texts(std::vector{everybody}));
}

TEST_P(StoreConformance, RowsOfTheAuctionThatAreNotThereAreAbsent) {
  commit({insert(wallet_row(purse("anna"), 1)), insert(item_row("i", player("anna"))),
          insert(external_id_row(player("anna"), "x"))});
  EXPECT_FALSE(find(listing_key("i")));
  EXPECT_FALSE(find(item_key("anna")));
  EXPECT_FALSE(find(wallet_key(purse("anna", "gems"))));
  EXPECT_FALSE(find(wallet_key({.owner = guild("anna")})));
  EXPECT_FALSE(find(external_id_key(guild("anna"), "x")));
  EXPECT_FALSE(find(player_key("anna")));
  EXPECT_FALSE(find(market_key()));
  EXPECT_FALSE(find(policy_key({.scope = PolicyScope::player, .id = "anna"})));
}

TEST_P(StoreConformance, OneLockAnswersForAllKindsOfTheAuction) {
  commit(inserts_of_all_kinds());
  const Keys keys = {listing_key("a"),
                     listing_key("l"),
                     item_key("i"),
                     item_key("j"),
                     wallet_key({.owner = guild("anna")}),
                     wallet_key(purse("anna")),
                     wallet_key(purse("bob")),
                     external_id_key(player("anna"), "x"),
                     external_id_key(player("anna"), "y"),
                     player_key("anna"),
                     player_key("bob"),
                     market_key(),
                     policy_key({.scope = PolicyScope::family, .id = "swords"}),
                     policy_key({.scope = PolicyScope::listing, .id = "swords"})};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  const Result<Locked> locked = transaction->lock(keys);
  ASSERT_TRUE(locked) << locked.error().detail;
  ASSERT_EQ(locked->rows.size(), keys.size());
  std::vector<bool> present;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    present.push_back(locked->rows[i].has_value());
    if (locked->rows[i]) {
      EXPECT_EQ(key_of(*locked->rows[i]), keys[i]);
    }
  }
  EXPECT_EQ(present, (std::vector<bool>{false, true, true, false, false, true, false, true, false, true,
                                        false, true, true, false}));
}

TEST_P(StoreConformance, WhatAListingNamesIsLockedInAStepOfItsOwn) {
  commit(inserts_of_all_kinds());
  const Keys first = {listing_key("l")};
  const Keys second = {item_key("i"), wallet_key(purse("anna")), player_key("anna"), market_key()};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  ASSERT_TRUE(transaction->lock(first));
  const Result<Locked> locked = transaction->lock(second);
  ASSERT_TRUE(locked) << locked.error().detail;
  for (const std::optional<Row>& row : locked->rows) EXPECT_TRUE(row);
}

TEST_P(StoreConformance, AnUpdateReplacesEveryColumnOfTheAuctionThatChanges) {
  commit(inserts_of_all_kinds());
  commit({insert(listing_row("other")), insert(item_row("other", player("anna"))),
          insert(wallet_row(purse("other"), 1)), insert(player_row("other"))});
  commit(updates_of_all_kinds());
  for (const RowWrite& write : updates_of_all_kinds()) {
    EXPECT_EQ(to_text(find(write.key)), to_text(write.row));
  }
  EXPECT_EQ(to_text(find(listing_key("other"))), to_text(Row(listing_row("other"))));
  EXPECT_EQ(to_text(find(item_key("other"))), to_text(Row(item_row("other", player("anna")))));
  EXPECT_EQ(to_text(find(wallet_key(purse("other")))), to_text(Row(wallet_row(purse("other"), 1))));
  EXPECT_EQ(to_text(find(player_key("other"))), to_text(Row(player_row("other"))));
}

TEST_P(StoreConformance, EachChangeOfAnActiveListingComesBackAsWritten) {
  commit({insert(listing_row("l"))});
  ListingRow row = led_listing_row("l", {.bidder = "bob", .amount = 100, .n = 1, .placed_at = start_time()});
  const auto check = [&](const char* what) {
    ++row.version;
    ++row.events;
    row.decided_at = row.decided_at + std::chrono::microseconds(1);
    commit({update(row)});
    EXPECT_EQ(to_text(find(listing_key("l"))), to_text(Row(row))) << what;
  };
  check("a bid");
  row.lead = Lead{.bidder = "carl", .amount = 200, .n = 2, .placed_at = start_time()};
  row.bids = 2;
  row.ends_at = row.ends_at + std::chrono::seconds(10);
  row.extensions = 1;
  check("a bid that moves the end");
  row.lead->amount = 201;
  check("a raise");
  row.set_aside = "astray";
  check("set aside");
  row.lead->amount = 202;
  check("while it is set aside");
  row.set_aside.clear();
  row.lead.reset();
  check("nobody leads");
}

TEST_P(StoreConformance, AnUpdateOfAMissingRowOfTheAuctionFailsAndLeavesNothing) {
  for (const RowWrite& write : updates_of_all_kinds()) {
    const Result<void> committed = try_commit({insert(promotion_row("p")), write});
    ASSERT_FALSE(committed) << describe(write.key);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << describe(write.key);
    EXPECT_FALSE(find(write.key));
    EXPECT_FALSE(find(promotion_key("p")));
  }
  const Result<void> active = try_commit({update(listing_row("l"))});
  ASSERT_FALSE(active);
  EXPECT_EQ(active.error().kind, ErrorKind::invalid);
}

TEST_P(StoreConformance, AnInsertOfATakenKeyOfTheAuctionIsAConflictAndChangesNothing) {
  commit(inserts_of_all_kinds());
  for (RowWrite& repeat : inserts_of_all_kinds()) {
    if (auto* item = std::get_if<ItemRow>(&repeat.row)) *item = item_row("i", player("bob"));
    const Result<void> committed = try_commit({insert(promotion_row("p")), repeat});
    ASSERT_FALSE(committed) << describe(repeat.key);
    EXPECT_EQ(committed.error().kind, ErrorKind::conflict) << describe(repeat.key);
    EXPECT_FALSE(find(promotion_key("p")));
  }
  EXPECT_EQ(to_text(find(item_key("i"))), to_text(Row(escrow_row("i", player("anna"), "l"))));
}

// C19, C40: the last line of defence stands in the database.
TEST_P(StoreConformance, ARowThatCanNeverBeTrueIsInvalid) {
  WalletRow overdrawn = wallet_row(purse("anna"), -1);
  WalletRow overheld = wallet_row(purse("anna"), 1);
  overheld.held = -1;
  WalletRow fewer_leads = wallet_row(purse("anna"), 1);
  fewer_leads.leading_bids = -1;
  WalletRow fewer_listings = wallet_row(purse("anna"), 1);
  fewer_listings.active_listings = -1;
  ItemRow nowhere = escrow_row("i", player("anna"), "");
  ItemRow twice = escrow_row("i", player("anna"), "l");
  twice.location = ItemLocation::inventory;
  ListingRow over = listing_row("l");
  over.status = ListingStatus::expired;
  ListingRow going_on = listing_row("l");
  going_on.closing = ListingClosing{.at = start_time(), .by = "schedule"};
  ListingRow led = led_listing_row("l", {.bidder = "bob", .amount = 100, .n = 1});
  led.status = ListingStatus::voided;
  led.closing = ListingClosing{.at = start_time(), .by = "schedule"};
  const ListingRow to_nobody = closed_listing_row("l", ListingStatus::sold, {.by = "buyout", .price = 100});
  const ListingRow for_nothing =
      closed_listing_row("l", ListingStatus::sold, {.by = "buyout", .buyer = "bob"});
  const ListingRow bought_back =
      closed_listing_row("l", ListingStatus::expired, {.by = "buyout", .buyer = "bob", .price = 100});
  const std::vector<Row> rows = {overdrawn,
                                 overheld,
                                 fewer_leads,
                                 fewer_listings,
                                 nowhere,
                                 twice,
                                 over,
                                 going_on,
                                 led,
                                 to_nobody,
                                 for_nothing,
                                 bought_back,
                                 bid_row("l", 0, "bob", 100),
                                 bid_row("l", 1, "bob", 0)};
  for (const Row& row : rows) {
    const Result<void> committed = try_commit({insert(row)});
    ASSERT_FALSE(committed) << to_text(row);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << to_text(row) << committed.error().detail;
  }
}

TEST_P(StoreConformance, AnUpdateToWhatCanNeverBeTrueIsInvalidAndLeavesTheRow) {
  commit({insert(wallet_row(purse("anna"), 5)), insert(wallet_row(purse("bob"), 5))});
  const Result<void> committed =
      try_commit({update(wallet_row(purse("anna"), 6)), update(wallet_row(purse("bob"), -1))});
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::invalid);
  EXPECT_EQ(to_text(find(wallet_key(purse("anna")))), to_text(Row(wallet_row(purse("anna"), 5))));
  EXPECT_EQ(to_text(find(wallet_key(purse("bob")))), to_text(Row(wallet_row(purse("bob"), 5))));
}

TEST_P(StoreConformance, ASecondItemInOneEscrowIsInvalid) {
  commit({insert(escrow_row("i", player("anna"), "l")), insert(item_row("j", player("anna")))});
  for (const RowWrite& write :
       {insert(escrow_row("k", player("anna"), "l")), update(escrow_row("j", player("anna"), "l"))}) {
    const Result<void> committed = try_commit({write});
    ASSERT_FALSE(committed) << describe(write.key);
    EXPECT_EQ(committed.error().kind, ErrorKind::invalid) << describe(write.key);
  }
  commit({update(item_row("i", player("anna")))});
  commit({update(escrow_row("j", player("anna"), "l"))});  // The escrow is free again.
}

}  // namespace
}  // namespace hotrow::conformance
