#include "hotrow/store/market_invariants.hpp"

#include <array>

namespace hotrow {
namespace {

// A violation's subject is told in words: owners as in the API, so that it can be pasted into a request.
constexpr std::array invariants = {
    MarketInvariant{"wallets_are_never_negative", "No wallet has less than nothing, available or held.", R"(
SELECT 'wallet ' || owner_kind || ':' || owner || ' ' || currency AS subject
FROM wallet WHERE available < 0 OR held < 0)"},

    MarketInvariant{"wallets_are_what_their_ledger_says",
                    "A wallet's version and balances are those of its latest ledger line.", R"(
SELECT 'wallet ' || w.owner_kind || ':' || w.owner || ' ' || w.currency AS subject
FROM wallet AS w
LEFT JOIN ledger_line AS l
  ON l.owner_kind = w.owner_kind AND l.owner = w.owner AND l.currency = w.currency AND l.n = w.version
WHERE CASE WHEN w.version = 0 THEN w.available <> 0 OR w.held <> 0
           ELSE l.n IS NULL OR l.available <> w.available OR l.held <> w.held END)"},

    MarketInvariant{"ledgers_are_dense_and_add_up",
                    "A wallet's lines are 1, 2, 3 and so on, and their differences sum to its balances.", R"(
SELECT 'wallet ' || l.owner_kind || ':' || l.owner || ' ' || l.currency AS subject
FROM ledger_line AS l
LEFT JOIN wallet AS w
  ON w.owner_kind = l.owner_kind AND w.owner = l.owner AND w.currency = l.currency
GROUP BY l.owner_kind, l.owner, l.currency, w.version, w.available, w.held
HAVING w.version IS NULL OR count(*) <> w.version OR min(l.n) <> 1 OR max(l.n) <> w.version
    OR sum(l.d_available) <> w.available OR sum(l.d_held) <> w.held)"},

    MarketInvariant{"every_command_sums_to_zero",
                    "What one command moves between wallets, house and outside is zero in sum.", R"(
SELECT 'command ' || ref AS subject
FROM (SELECT ref, currency, d_available + d_held AS moved FROM ledger_line
      UNION ALL
      SELECT ref, currency, amount FROM house_line) AS line
GROUP BY ref, currency HAVING sum(moved) <> 0)"},

    MarketInvariant{"nothing_is_minted",
                    "All wallets of a currency and the house have what came in and did not go out.", R"(
-- In two parts, thousands of millions and the rest: SQLite's sums end at 2^63.
SELECT 'currency ' || currency AS subject
FROM (SELECT currency, available + held AS amount FROM wallet
      UNION ALL
      SELECT currency, amount FROM house_line) AS part
GROUP BY currency
HAVING sum(amount % 1000000000) % 1000000000 <> 0
    OR sum(amount / 1000000000) + sum(amount % 1000000000) / 1000000000 <> 0)"},

    MarketInvariant{"held_is_leads_and_deposits",
                    "A wallet holds exactly its leads and the deposits of its active listings.", R"(
SELECT 'wallet ' || h.owner_kind || ':' || h.owner || ' ' || h.currency AS subject
FROM (SELECT owner_kind, owner, currency, held AS amount FROM wallet
      UNION ALL
      SELECT 'player', bidder, currency, -current_bid FROM listing WHERE status = 'active' AND bidder IS NOT NULL
      UNION ALL
      SELECT 'player', seller, currency, -deposit FROM listing WHERE status = 'active') AS h
GROUP BY h.owner_kind, h.owner, h.currency HAVING sum(h.amount) <> 0)"},

    MarketInvariant{
        "counters_are_leads_and_listings",
        "A player's wallet of gold counts exactly his leads and active listings in all currencies; no "
        "other wallet counts.",
        R"(
SELECT 'wallet ' || c.owner_kind || ':' || c.owner || ' ' || c.currency AS subject
FROM (SELECT owner_kind, owner, currency, leading_bids AS leads, active_listings AS listings FROM wallet
      UNION ALL
      SELECT 'player', bidder, 'gold', -1, 0 FROM listing WHERE status = 'active' AND bidder IS NOT NULL
      UNION ALL
      SELECT 'player', seller, 'gold', 0, -1 FROM listing WHERE status = 'active') AS c
GROUP BY c.owner_kind, c.owner, c.currency HAVING sum(c.leads) <> 0 OR sum(c.listings) <> 0)"},

    MarketInvariant{"escrow_is_active_listings",
                    "An active listing has its item in its escrow, and no other item is in an escrow.", R"(
SELECT 'listing ' || l.id AS subject
FROM listing AS l LEFT JOIN item AS i ON i.id = l.item AND i.location = 'escrow' AND i.listing = l.id
WHERE l.status = 'active' AND i.id IS NULL
UNION ALL
SELECT 'item ' || i.id
FROM item AS i LEFT JOIN listing AS l ON l.id = i.listing AND l.item = i.id AND l.status = 'active'
WHERE (i.location = 'escrow' AND l.id IS NULL) OR (i.location <> 'escrow' AND i.listing IS NOT NULL))"},

    MarketInvariant{"leads_are_the_latest_bids",
                    "An active listing's lead is its latest bid, and bids are 1, 2, 3 and so on.", R"(
SELECT 'listing ' || l.id AS subject
FROM listing AS l LEFT JOIN bid AS b ON b.listing = l.id AND b.n = l.bids
WHERE (l.status = 'active' AND l.bids > 0 AND l.bidder IS NULL)
   OR (l.status = 'active' AND l.bidder IS NOT NULL
       AND (b.n IS NULL OR l.bid_n <> l.bids OR b.bidder <> l.bidder OR b.amount <> l.current_bid))
UNION ALL
SELECT 'listing ' || b.listing
FROM bid AS b LEFT JOIN listing AS l ON l.id = b.listing
GROUP BY b.listing, l.bids
HAVING l.bids IS NULL OR count(*) <> l.bids OR min(b.n) <> 1 OR max(b.n) <> l.bids)"},

    MarketInvariant{"bids_rise", "Every bid is above the one before it and not below the start price.", R"(
SELECT 'listing ' || b.listing AS subject
FROM bid AS b JOIN listing AS l ON l.id = b.listing
LEFT JOIN bid AS p ON p.listing = b.listing AND p.n = b.n - 1
WHERE b.amount < l.start_price OR b.amount <= p.amount OR b.placed_at < p.placed_at)"},

    MarketInvariant{
        "closed_listings_hold_nothing",
        "A listing that is over has no lead and says when it closed; a sold one its buyer and price.",
        R"(
SELECT 'listing ' || id AS subject FROM listing
WHERE (status = 'active' AND closed_at IS NOT NULL)
   OR (status <> 'active' AND (bidder IS NOT NULL OR closed_at IS NULL))
   OR (status = 'sold' AND (buyer IS NULL OR price IS NULL OR price < start_price))
   OR (status <> 'sold' AND (buyer IS NOT NULL OR price IS NOT NULL)))"},

    MarketInvariant{
        "sales_are_paid_once",
        "A sold listing has one sale in the ledger: the buyer pays the price once, and nobody else.", R"(
SELECT 'listing ' || l.id AS subject
FROM listing AS l
LEFT JOIN event AS e ON e.subject_kind = 'listing' AND e.subject = l.id AND e.type = 'listing.sold'
LEFT JOIN ledger_line AS p
  ON p.owner_kind = 'player' AND p.owner = l.buyer AND p.currency = l.currency AND p.ref = e.id
     AND p.reason = 'purchase'
WHERE l.status = 'sold'
GROUP BY l.id, l.price HAVING count(p.n) <> 1 OR sum(-p.d_available - p.d_held) <> l.price)"},

    MarketInvariant{"listings_tell_everything",
                    "A listing's events are 1, 2, 3 and so on, and one of them tells how it ended.", R"(
SELECT 'listing ' || l.id AS subject
FROM listing AS l
LEFT JOIN event AS e ON e.subject_kind = 'listing' AND e.subject = l.id
GROUP BY l.id, l.events, l.status, l.bids
HAVING count(e.id) <> l.events OR max(e.sequence) <> l.events
    OR sum(CASE WHEN e.type = 'listing.bid_placed' THEN 1 ELSE 0 END) <> l.bids
    OR sum(CASE WHEN e.type IN ('listing.sold', 'listing.expired', 'listing.cancelled', 'listing.voided')
                THEN 1 ELSE 0 END) <> CASE WHEN l.status = 'active' THEN 0 ELSE 1 END)"},

    MarketInvariant{"no_listing_is_set_aside", "No listing waits for an operator.", R"(
SELECT 'listing ' || id AS subject FROM listing WHERE set_aside IS NOT NULL)"},
};

}  // namespace

std::span<const MarketInvariant> market_invariants() { return invariants; }

}  // namespace hotrow
