#include "hotrow/postgres/pg_market_statements.hpp"

namespace hotrow::statements {

const PgStatement lock_listings{"lock_listings", R"(
SELECT u.n, l.id, l.terms, l.status, l.bidder, l.current_bid, l.bid_n, l.bid_placed_at, l.bids, l.extensions, l.ends_at,
       l.version, l.events, l.decided_at, l.closed_at, l.closed_by, l.buyer, l.price, l.close_reason, l.set_aside
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT * FROM listing WHERE id = u.id FOR NO KEY UPDATE) AS l)"};

const PgStatement lock_items{"lock_items", R"(
SELECT u.n, i.id, i.family, i.attributes, i.owner_kind, i.owner, i.location, i.listing, i.events, i.created_at,
       i.first_owner_kind, i.first_owner
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT * FROM item WHERE id = u.id FOR NO KEY UPDATE) AS i)"};

const PgStatement lock_wallets{"lock_wallets", R"(
SELECT u.n, w.available, w.held, w.version, w.leading_bids, w.active_listings, w.buyout_minute, w.buyouts_in_minute
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(owner_kind, owner, currency, n)
CROSS JOIN LATERAL (SELECT * FROM wallet
                    WHERE owner_kind = u.owner_kind AND owner = u.owner AND currency = u.currency
                    FOR NO KEY UPDATE) AS w)"};

// What is there is answered with a column that no index has and nobody reads: listing_of contains every id,
// and on a table analysed while empty the planner would read the whole of it rather than listing_pkey.
const PgStatement listings_held_by_others{"listings_held_by_others", R"(
SELECT u.n, there.version
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT version FROM listing WHERE id = u.id LIMIT 1) AS there
LEFT JOIN LATERAL (SELECT id FROM listing WHERE id = u.id FOR NO KEY UPDATE SKIP LOCKED) AS had ON true
WHERE had.id IS NULL)"};

const PgStatement items_held_by_others{"items_held_by_others", R"(
SELECT u.n, there.events
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT events FROM item WHERE id = u.id LIMIT 1) AS there
LEFT JOIN LATERAL (SELECT id FROM item WHERE id = u.id FOR NO KEY UPDATE SKIP LOCKED) AS had ON true
WHERE had.id IS NULL)"};

const PgStatement wallets_held_by_others{"wallets_held_by_others", R"(
SELECT u.n
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(owner_kind, owner, currency, n)
CROSS JOIN LATERAL (SELECT owner FROM wallet
                    WHERE owner_kind = u.owner_kind AND owner = u.owner AND currency = u.currency
                    LIMIT 1) AS there
LEFT JOIN LATERAL (SELECT owner FROM wallet
                   WHERE owner_kind = u.owner_kind AND owner = u.owner AND currency = u.currency
                   FOR NO KEY UPDATE SKIP LOCKED) AS had ON true
WHERE had.owner IS NULL)"};

const PgStatement read_external_ids{"read_external_ids", R"(
SELECT u.n, e.kind, e.currency, e.amount, e.receiver, e.n
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(owner_kind, owner, external_id, n)
CROSS JOIN LATERAL (SELECT kind, currency, amount, receiver, n FROM external_id
                    WHERE owner_kind = u.owner_kind AND owner = u.owner AND external_id = u.external_id
                    LIMIT 1) AS e)"};

const PgStatement read_players{"read_players", R"(
SELECT u.n, p.trade_blocked, p.reason, p.version, p.events
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT trade_blocked, reason, version, events FROM player WHERE id = u.id LIMIT 1) AS p)"};

const PgStatement read_policies{"read_policies", R"(
SELECT u.n, u.scope, u.id, p.limits, p.reason, p.version, p.events
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(scope, id, n)
CROSS JOIN LATERAL (SELECT limits, reason, version, events FROM policy
                    WHERE scope = u.scope AND id = u.id LIMIT 1) AS p)"};

const PgStatement read_market{"read_market", R"(
SELECT 1::bigint, paused, paused_at, reason, extension, version, events FROM market WHERE only_row = 1)"};

const PgStatement insert_listings{"insert_listings", R"(
INSERT INTO listing (id, terms, seller, family, item, currency, start_price, buyout_price, deposit, created_at, status,
                     bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, version, events, decided_at,
                     closed_at, closed_by, buyer, price, close_reason, set_aside)
SELECT unnest($18::text[]), unnest($19::text[]), unnest($20::text[]), unnest($21::text[]), unnest($22::text[]),
       unnest($23::text[]), unnest($24::bigint[]), unnest($25::bigint[]), unnest($26::bigint[]),
       unnest($27::bigint[]), unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::bigint[]),
       unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]),
       unnest($10::bigint[]), unnest($11::bigint[]), unnest($12::bigint[]), unnest($13::text[]),
       unnest($14::text[]), unnest($15::bigint[]), unnest($16::text[]), unnest($17::text[]))"};

const PgStatement update_listings{"update_listings", R"(
WITH changed AS (
  UPDATE listing AS l
  SET status = u.status, bidder = u.bidder, current_bid = u.current_bid, bid_n = u.bid_n,
      bid_placed_at = u.bid_placed_at, bids = u.bids, extensions = u.extensions, ends_at = u.ends_at,
      version = u.version, events = u.events, decided_at = u.decided_at, closed_at = u.closed_at,
      closed_by = u.closed_by, buyer = u.buyer, price = u.price, close_reason = u.close_reason,
      set_aside = u.set_aside
  FROM (SELECT unnest($1::text[]) AS status, unnest($2::text[]) AS bidder, unnest($3::bigint[]) AS current_bid,
               unnest($4::bigint[]) AS bid_n, unnest($5::bigint[]) AS bid_placed_at, unnest($6::bigint[]) AS bids,
               unnest($7::bigint[]) AS extensions, unnest($8::bigint[]) AS ends_at, unnest($9::bigint[]) AS version,
               unnest($10::bigint[]) AS events, unnest($11::bigint[]) AS decided_at,
               unnest($12::bigint[]) AS closed_at, unnest($13::text[]) AS closed_by, unnest($14::text[]) AS buyer,
               unnest($15::bigint[]) AS price, unnest($16::text[]) AS close_reason, unnest($17::text[]) AS set_aside,
               unnest($18::text[]) AS id) AS u
  WHERE l.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($18::text[]))::integer FROM changed)"};

const PgStatement insert_items{"insert_items", R"(
INSERT INTO item (owner_kind, owner, location, listing, events, id, family, attributes, created_at, first_owner_kind,
                  first_owner)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bigint[]),
       unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::bigint[]), unnest($10::text[]),
       unnest($11::text[]))"};

const PgStatement update_items{"update_items", R"(
WITH changed AS (
  UPDATE item AS i
  SET owner_kind = u.owner_kind, owner = u.owner, location = u.location, listing = u.listing, events = u.events
  FROM (SELECT unnest($1::text[]) AS owner_kind, unnest($2::text[]) AS owner, unnest($3::text[]) AS location,
               unnest($4::text[]) AS listing, unnest($5::bigint[]) AS events, unnest($6::text[]) AS id) AS u
  WHERE i.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($6::text[]))::integer FROM changed)"};

const PgStatement insert_wallets{"insert_wallets", R"(
INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings,
                    buyout_minute, buyouts_in_minute)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[]), unnest($5::bigint[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::bigint[]))"};

const PgStatement update_wallets{"update_wallets", R"(
WITH changed AS (
  UPDATE wallet AS w
  SET available = u.available, held = u.held, version = u.version, leading_bids = u.leading_bids,
      active_listings = u.active_listings, buyout_minute = u.buyout_minute, buyouts_in_minute = u.buyouts_in_minute
  FROM (SELECT unnest($1::text[]) AS owner_kind, unnest($2::text[]) AS owner, unnest($3::text[]) AS currency,
               unnest($4::bigint[]) AS available, unnest($5::bigint[]) AS held, unnest($6::bigint[]) AS version,
               unnest($7::bigint[]) AS leading_bids, unnest($8::bigint[]) AS active_listings,
               unnest($9::bigint[]) AS buyout_minute, unnest($10::bigint[]) AS buyouts_in_minute) AS u
  WHERE w.owner_kind = u.owner_kind AND w.owner = u.owner AND w.currency = u.currency
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer FROM changed)"};

const PgStatement insert_bids{"insert_bids", R"(
INSERT INTO bid (listing, n, bidder, amount, placed_at)
SELECT unnest($1::text[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::bigint[]), unnest($5::bigint[]))"};

const PgStatement insert_ledger_lines{"insert_ledger_lines", R"(
INSERT INTO ledger_line (owner_kind, owner, currency, n, d_available, d_held, available, held, reason, ref, note, at)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[]), unnest($5::bigint[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::text[]), unnest($12::bigint[]))"};

const PgStatement insert_house_lines{"insert_house_lines", R"(
INSERT INTO house_line (owner_kind, owner, currency, n, account, amount, reason, ref, at)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[]), unnest($5::text[]),
       unnest($6::bigint[]), unnest($7::text[]), unnest($8::text[]), unnest($9::bigint[]))"};

const PgStatement insert_external_ids{"insert_external_ids", R"(
INSERT INTO external_id (owner_kind, owner, external_id, kind, currency, amount, receiver, n)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::bigint[]), unnest($7::text[]), unnest($8::bigint[]))"};

const PgStatement insert_players{"insert_players", R"(
INSERT INTO player (id, trade_blocked, reason, version, events)
SELECT unnest($1::text[]), unnest($2::bigint[]) <> 0, unnest($3::text[]), unnest($4::bigint[]), unnest($5::bigint[]))"};

const PgStatement update_players{"update_players", R"(
WITH changed AS (
  UPDATE player AS p
  SET trade_blocked = u.trade_blocked <> 0, reason = u.reason, version = u.version, events = u.events
  FROM (SELECT unnest($1::text[]) AS id, unnest($2::bigint[]) AS trade_blocked, unnest($3::text[]) AS reason,
               unnest($4::bigint[]) AS version, unnest($5::bigint[]) AS events) AS u
  WHERE p.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer FROM changed)"};

const PgStatement insert_policies{"insert_policies", R"(
INSERT INTO policy (scope, id, limits, reason, version, events)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bigint[]),
       unnest($6::bigint[]))"};

const PgStatement update_policies{"update_policies", R"(
WITH changed AS (
  UPDATE policy AS p
  SET limits = u.limits, reason = u.reason, version = u.version, events = u.events
  FROM (SELECT unnest($1::text[]) AS scope, unnest($2::text[]) AS id, unnest($3::text[]) AS limits,
               unnest($4::text[]) AS reason, unnest($5::bigint[]) AS version, unnest($6::bigint[]) AS events) AS u
  WHERE p.scope = u.scope AND p.id = u.id
  RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer FROM changed)"};

const PgStatement insert_market{"insert_market", R"(
INSERT INTO market (only_row, paused, paused_at, reason, extension, version, events)
VALUES (1, $1, $2, $3, $4, $5, $6))"};

const PgStatement update_market{"update_market", R"(
WITH changed AS (
  UPDATE market SET paused = $1, paused_at = $2, reason = $3, extension = $4, version = $5, events = $6
  WHERE only_row = 1
  RETURNING 1)
SELECT 1 / count(*) FROM changed)"};

}  // namespace hotrow::statements
