#include <chrono>
#include <functional>

#include "tests/store/conformance.hpp"

// Part one, the auction's evidence: every invariant counts nothing on what the rules wrote, and exactly what
// a strange hand has done to it.
namespace hotrow::conformance {
namespace {

using Counts = std::vector<std::string>;

/// "<invariant> <violations>" of those that are violated, in their order.
Counts broken_invariants(Queries& queries) {
  Counts broken;
  for (const MarketInvariant& invariant : market_invariants()) {
    const auto count = queries.check(invariant);
    if (!count) throw std::runtime_error(std::string(invariant.name) + ": " + count.error().detail);
    if (count->violations == 0 && count->example.empty()) continue;
    broken.push_back(std::string(invariant.name) + " " + std::to_string(count->violations));
  }
  return broken;
}

std::string example_of(Queries& queries, std::string_view name) {
  for (const MarketInvariant& invariant : market_invariants()) {
    if (invariant.name == name) return queries.check(invariant).value().example;
  }
  return "no such invariant";
}

MoveMoney deposit(const std::string& to, std::int64_t amount) {
  return {.owner = player(to), .amount = amount};
}

CreateListing create(const std::string& id) {
  return {.listing = id,
          .seller = "anna",
          .item = id,
          .facts = ItemFacts{.id = id, .family = "swords"},
          .start_price = 100,
          .buyout_price = 1000,
          .duration = std::chrono::hours(1)};
}

}  // namespace

/// A market in which all sorts of trades have been made by the rules, for one test.
class TradedMarket {
 public:
  explicit TradedMarket(StoreConformance& test) : test_(test) { trade(); }

  Counts broken() { return broken_invariants(*queries()); }
  std::unique_ptr<Queries> queries() { return StoreConformance::open_queries(test_.store()); }

  void change(const std::string& listing, ListingAction action) {
    accept(ChangeListing{.listing = listing, .action = action, .seller = "anna", .reason = "a test"});
  }

  template <class R>
  R row_of(const Key& key) {
    return std::get<R>(test_.find(key).value());
  }

  /// Changes a row by hand, looks, and puts it back as it was.
  template <class R>
  Counts after_changing(const Key& key, const std::function<void(R&)>& change_row) {
    const R before = row_of<R>(key);
    R after = before;
    change_row(after);
    test_.commit({update(after)});
    Counts found = broken();
    test_.commit({update(before)});
    return found;
  }

  Counts after_changing_wallet(const std::string& name, const std::function<void(WalletRow&)>& change_row) {
    return after_changing<WalletRow>(wallet_key(purse(name)), change_row);
  }
  Counts after_changing_listing(const std::string& id, const std::function<void(ListingRow&)>& change_row) {
    return after_changing<ListingRow>(listing_key(id), change_row);
  }

  /// Adds rows by hand and looks.
  Counts after_adding(std::vector<Row> rows) {
    std::vector<RowWrite> writes;
    for (Row& row : rows) writes.push_back(insert(std::move(row)));
    test_.commit(std::move(writes));
    return broken();
  }

 private:
  Answer accept(CommandBody body) {
    Answer answer = test_.run(std::move(body));
    EXPECT_TRUE(std::holds_alternative<Outcome>(answer)) << answer_result(answer);
    return answer;
  }

  void bid(const std::string& listing, const std::string& bidder, std::int64_t amount) {
    accept(PlaceBid{.listing = listing, .bidder = bidder, .amount = amount});
  }

  /// Active and led by carl: "sword". Sold: "shield" by buyout, "axe" by its end. Cancelled: "helm". Voided:
  /// "bow". Expired: "stick".
  void trade() {
    for (const char* name : {"anna", "bob", "carl"}) accept(deposit(name, 5000));
    MoveMoney gems = deposit("anna", 100);
    gems.currency = "gems";
    accept(gems);
    accept(MoveMoney{.kind = LedgerReason::withdrawal, .owner = player("anna"), .amount = 10});
    accept(MoveMoney{.kind = LedgerReason::transfer, .owner = player("bob"), .to = guild("g"), .amount = 50});
    for (const char* id : {"sword", "shield", "helm", "bow"}) accept(create(id));
    for (const char* id : {"axe", "stick"}) {
      CreateListing brief = create(id);
      brief.duration = std::chrono::seconds(10);
      accept(brief);
    }
    bid("sword", "bob", 100);
    bid("sword", "bob", 120);
    bid("sword", "carl", 150);
    bid("shield", "bob", 200);
    accept(BuyOut{.listing = "shield", .buyer = "carl"});
    bid("axe", "bob", 120);
    bid("bow", "bob", 100);
    change("helm", ListingAction::cancel);
    change("bow", ListingAction::void_it);
    test_.clock_.advance(std::chrono::seconds(10));
    change("axe", ListingAction::settle);
    change("stick", ListingAction::settle);
  }

  StoreConformance& test_;
};

namespace {

TEST_P(StoreConformance, WhatTheRulesWritePassesEveryInvariant) {
  TradedMarket market(*this);
  EXPECT_EQ(market.broken(), Counts{});
}

TEST_P(StoreConformance, AStoreWithoutAnAuctionPassesEveryInvariant) {
  EXPECT_EQ(broken_invariants(*open_queries(store())), Counts{});
}

TEST_P(StoreConformance, AWalletChangedByHandShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_changing_wallet("bob", [](WalletRow& row) { row.available += 1; }),
            (Counts{"wallets_are_what_their_ledger_says 1", "ledgers_are_dense_and_add_up 1",
                    "nothing_is_minted 1"}));
  EXPECT_EQ(market.after_changing_wallet("bob",
                                         [](WalletRow& row) {
                                           row.available -= 1;
                                           row.held += 1;
                                         }),
            (Counts{"wallets_are_what_their_ledger_says 1", "ledgers_are_dense_and_add_up 1",
                    "held_is_leads_and_deposits 1"}));
  EXPECT_EQ(market.after_changing_wallet("bob", [](WalletRow& row) { row.version += 1; }),
            (Counts{"wallets_are_what_their_ledger_says 1", "ledgers_are_dense_and_add_up 1"}));
  EXPECT_EQ(market.after_changing_wallet("bob", [](WalletRow& row) { row.version -= 1; }),
            (Counts{"wallets_are_what_their_ledger_says 1", "ledgers_are_dense_and_add_up 1"}));
  EXPECT_EQ(market.after_changing_wallet("bob", [](WalletRow& row) { row.version = 0; }),
            (Counts{"wallets_are_what_their_ledger_says 1", "ledgers_are_dense_and_add_up 1"}));
  EXPECT_EQ(market.after_changing_wallet("carl", [](WalletRow& row) { row.leading_bids = 0; }),
            (Counts{"counters_are_leads_and_listings 1"}));
  EXPECT_EQ(market.after_changing_wallet("bob", [](WalletRow& row) { row.active_listings = 1; }),
            (Counts{"counters_are_leads_and_listings 1"}));
}

TEST_P(StoreConformance, AWalletFromNowhereShowsByItsName) {
  TradedMarket market(*this);
  WalletRow ghost{.id = purse("ghost"), .available = 5, .held = 5};
  EXPECT_EQ(market.after_adding({ghost}), (Counts{"wallets_are_what_their_ledger_says 1",
                                                  "nothing_is_minted 1", "held_is_leads_and_deposits 1"}));
  const auto queries = open_queries(store());
  EXPECT_EQ(example_of(*queries, "held_is_leads_and_deposits"), "wallet player:ghost gold");
  EXPECT_EQ(example_of(*queries, "nothing_is_minted"), "currency gold");
  EXPECT_EQ(example_of(*queries, "bids_rise"), "");
}

TEST_P(StoreConformance, ALedgerLineTooManyShows) {
  TradedMarket market(*this);
  LedgerLineRow line =
      ledger_line_row(purse("bob"), market.row_of<WalletRow>(wallet_key(purse("bob"))).version + 1);
  EXPECT_EQ(market.after_adding({line}),
            (Counts{"ledgers_are_dense_and_add_up 1", "every_command_sums_to_zero 1"}));
}

TEST_P(StoreConformance, ALedgerWithoutAWalletShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_adding({ledger_line_row(purse("ghost"), 1), ledger_line_row(purse("ghost"), 2)}),
            (Counts{"ledgers_are_dense_and_add_up 1", "every_command_sums_to_zero 2"}));
}

TEST_P(StoreConformance, MoneyOfTheHouseFromNowhereShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_adding({house_line_row(purse("bob"), 999)}),
            (Counts{"every_command_sums_to_zero 1", "nothing_is_minted 1"}));
}

TEST_P(StoreConformance, AnItemMovedByHandShows) {
  TradedMarket market(*this);
  const auto moved = [](ItemLocation location, std::string listing) {
    return [location, listing](ItemRow& row) {
      row.location = location;
      row.listing = listing;
    };
  };
  EXPECT_EQ(market.after_changing<ItemRow>(item_key("sword"), moved(ItemLocation::inventory, "")),
            (Counts{"escrow_is_active_listings 1"}));
  EXPECT_EQ(market.after_changing<ItemRow>(item_key("sword"), moved(ItemLocation::escrow, "axe")),
            (Counts{"escrow_is_active_listings 2"}));
  EXPECT_EQ(market.after_changing<ItemRow>(item_key("helm"), moved(ItemLocation::escrow, "helm")),
            (Counts{"escrow_is_active_listings 1"}));
  EXPECT_EQ(market.after_changing<ItemRow>(item_key("helm"), moved(ItemLocation::escrow, "nowhere")),
            (Counts{"escrow_is_active_listings 1"}));
}

TEST_P(StoreConformance, AnItemFromNowhereInAnEscrowShowsByItsName) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_adding({escrow_row("ghost", player("bob"), "shield")}),
            (Counts{"escrow_is_active_listings 1"}));
  EXPECT_EQ(example_of(*open_queries(store()), "escrow_is_active_listings"), "item ghost");
}

TEST_P(StoreConformance, ALeadChangedByHandShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.lead->amount += 1; }),
            (Counts{"held_is_leads_and_deposits 1", "leads_are_the_latest_bids 1"}));
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.lead->bidder = "bob"; }),
            (Counts{"held_is_leads_and_deposits 2", "counters_are_leads_and_listings 2",
                    "leads_are_the_latest_bids 1"}));
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.lead->n -= 1; }),
            (Counts{"leads_are_the_latest_bids 1"}));
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.lead.reset(); }),
            (Counts{"held_is_leads_and_deposits 1", "counters_are_leads_and_listings 1",
                    "leads_are_the_latest_bids 1"}));
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.bids += 1; }),
            (Counts{"leads_are_the_latest_bids 2", "listings_tell_everything 1"}));
}

TEST_P(StoreConformance, ABidTooManyShows) {
  TradedMarket market(*this);
  BidRow bid = bid_row("sword", 4, "bob", 151);
  bid.placed_at = clock_.now();
  EXPECT_EQ(market.after_adding({bid}), (Counts{"leads_are_the_latest_bids 1"}));
}

TEST_P(StoreConformance, BidsThatDoNotRiseShowOneByOne) {
  TradedMarket market(*this);
  std::vector<Row> bids = {bid_row("sword", 4, "bob", 150), bid_row("sword", 5, "bob", 99),
                           bid_row("sword", 6, "bob", 200), bid_row("sword", 7, "bob", 201)};
  for (Row& bid : bids) std::get<BidRow>(bid).placed_at = clock_.now();
  std::get<BidRow>(bids[3]).placed_at = start_time();
  EXPECT_EQ(market.after_adding(bids), (Counts{"leads_are_the_latest_bids 1", "bids_rise 3"}));
}

TEST_P(StoreConformance, ABidOnNoListingShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_adding({bid_row("ghost", 1, "bob", 1)}), (Counts{"leads_are_the_latest_bids 1"}));
}

TEST_P(StoreConformance, AListingClosedByHandShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_changing_listing("sword",
                                          [](ListingRow& row) {
                                            row.status = ListingStatus::expired;
                                            row.lead.reset();
                                            row.closing = ListingClosing{.at = row.decided_at, .by = "hand"};
                                          }),
            (Counts{"held_is_leads_and_deposits 2", "counters_are_leads_and_listings 2",
                    "escrow_is_active_listings 1", "listings_tell_everything 1"}));
  EXPECT_EQ(market.after_changing_listing("helm",
                                          [](ListingRow& row) {
                                            row.status = ListingStatus::active;
                                            row.closing.reset();
                                          }),
            (Counts{"held_is_leads_and_deposits 1", "counters_are_leads_and_listings 1",
                    "escrow_is_active_listings 1", "listings_tell_everything 1"}));
}

TEST_P(StoreConformance, ASaleChangedByHandShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_changing_listing("shield", [](ListingRow& row) { row.closing->price = 50; }),
            (Counts{"closed_listings_hold_nothing 1", "sales_are_paid_once 1"}));
  EXPECT_EQ(market.after_changing_listing("axe", [](ListingRow& row) { row.closing->price += 1; }),
            (Counts{"sales_are_paid_once 1"}));
  EXPECT_EQ(market.after_changing_listing("axe", [](ListingRow& row) { row.closing->buyer = "carl"; }),
            (Counts{"sales_are_paid_once 1"}));
}

TEST_P(StoreConformance, ASecondPaymentShows) {
  TradedMarket market(*this);
  const std::vector<EventRow> events = *open_queries(store())->timeline("listing", "axe", 0, 100);
  LedgerLineRow payment = ledger_line_row(purse("bob"), 999);
  payment.d_available = -120;
  payment.reason = LedgerReason::purchase;
  payment.ref = events.back().id;
  EXPECT_EQ(
      market.after_adding({payment}),
      (Counts{"ledgers_are_dense_and_add_up 1", "every_command_sums_to_zero 1", "sales_are_paid_once 1"}));
}

TEST_P(StoreConformance, AnEventTooManyOrTooFewShows) {
  TradedMarket market(*this);
  EXPECT_EQ(market.after_changing_listing("helm", [](ListingRow& row) { row.events += 1; }),
            (Counts{"listings_tell_everything 1"}));
  EXPECT_EQ(market.after_changing_listing("sword", [](ListingRow& row) { row.events -= 1; }),
            (Counts{"listings_tell_everything 1"}));
  EventRow event = event_row("helm", market.row_of<ListingRow>(listing_key("helm")).events + 1);
  event.subject_kind = "listing";
  event.type = "listing.sold";
  EXPECT_EQ(market.after_adding({event}), (Counts{"listings_tell_everything 1"}));
}

TEST_P(StoreConformance, AListingThatWaitsForAnOperatorShowsByItsName) {
  TradedMarket market(*this);
  market.change("sword", ListingAction::set_aside);
  const auto queries = open_queries(store());
  EXPECT_EQ(broken_invariants(*queries), (Counts{"no_listing_is_set_aside 1"}));
  EXPECT_EQ(example_of(*queries, "no_listing_is_set_aside"), "listing sword");
}

// What only a hand with the database's own tools could do.
TEST_P(StoreConformance, WhatTheTablesRefuseCannotShow) {
  TradedMarket market(*this);
  WalletRow wallet = market.row_of<WalletRow>(wallet_key(purse("bob")));
  wallet.available = -1;
  EXPECT_FALSE(try_commit({update(wallet)}));
  ListingRow listing = market.row_of<ListingRow>(listing_key("axe"));
  listing.lead = Lead{.bidder = "bob", .amount = 1, .n = 1};
  EXPECT_FALSE(try_commit({update(listing)}));
  EXPECT_EQ(market.broken(), Counts{});
}

}  // namespace
}  // namespace hotrow::conformance
