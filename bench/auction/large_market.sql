-- An auction house of :listings listings, 3 of 10 active, as hotrow keeps it; run with its schema as search path.
-- 200 families and 50,000 sellers and bidders by laws that favour a few, prices from 10 to 1,000,000 with as many of
-- each magnitude. Balances are what the listings and bids need; of ledgers and events, which no list reads, there are
-- none.
SELECT setseed(0.5);
CREATE TEMP TABLE drawn AS
SELECT n, 'large-' || n AS id, 'family-' || floor(exp(random() * ln(200)))::int AS family,
       'player-' || floor(50000 * random() ^ 2)::int AS seller, 'player-' || floor(50000 * random() ^ 2)::int AS bidder,
       floor(10 * exp(random() * ln(100000)))::bigint AS price, n % 10 < 3 AS active, random() < 0.5 AS led,
       CASE WHEN random() < 0.66 THEN 2 END AS buyout_times,
       CASE n % 10 WHEN 8 THEN 'expired' WHEN 9 THEN 'cancelled' ELSE 'sold' END AS over,
       (extract(epoch FROM now()) * 1000000)::bigint
         + floor(CASE WHEN n % 10 < 3 THEN 3600 + 172800 * random() ELSE -2592000 * random() END * 1000000)::bigint
         AS ends_at
FROM generate_series(1, :listings) AS n;
UPDATE drawn SET bidder = 'player-50000' WHERE bidder = seller;

INSERT INTO item (id, family, attributes, owner_kind, owner, location, listing, events, created_at, first_owner_kind,
                  first_owner)
SELECT id, family, '{}', 'player', seller, CASE WHEN active THEN 'escrow' ELSE 'inventory' END,
       CASE WHEN active THEN id END, 0, ends_at - 172800000000, 'player', seller
FROM drawn;

INSERT INTO listing (id, terms, seller, family, item, currency, start_price, buyout_price, deposit, created_at, status,
                     bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, version, events, decided_at,
                     closed_at, closed_by, buyer, price, close_reason)
SELECT id,
       jsonb_strip_nulls(jsonb_build_object(
         'seller', seller, 'item', jsonb_build_object('id', id, 'family', family, 'attributes', '{}'),
         'currency', 'gold', 'start_price', price, 'buyout_price', price * buyout_times, 'min_increment', 1,
         'on_close', 'inventory', 'deposit_bps', 100, 'deposit_min', 1, 'cut_bps', 500, 'cut_min', 1,
         'deposit', greatest(price / 100, 1), 'first_ends_at', ends_at, 'created_at', ends_at - 172800000000))::text,
       seller, family, id, 'gold', price, price * buyout_times, greatest(price / 100, 1), ends_at - 172800000000,
       CASE WHEN active THEN 'active' ELSE over END, CASE WHEN active AND led THEN bidder END,
       CASE WHEN active AND led THEN price END, CASE WHEN active AND led THEN 1 END,
       CASE WHEN active AND led THEN ends_at - 86400000000 END, led::int, 0, ends_at, 1 + led::int, 0,
       ends_at - 86400000000, CASE WHEN NOT active THEN ends_at END, CASE WHEN NOT active THEN 'schedule' END,
       CASE WHEN NOT active AND over = 'sold' THEN bidder END, CASE WHEN NOT active AND over = 'sold' THEN price END,
       CASE WHEN NOT active THEN '' END
FROM drawn;

INSERT INTO bid (listing, n, bidder, amount, placed_at)
SELECT id, 1, bidder, price, ends_at - 86400000000 FROM drawn WHERE led;

INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings)
SELECT 'player', owner, 'gold', 1000000000, sum(amount), 0, sum(leads), sum(listings)
FROM (SELECT seller AS owner, greatest(price / 100, 1) AS amount, 0 AS leads, 1 AS listings FROM drawn WHERE active
      UNION ALL
      SELECT bidder, price, 1, 0 FROM drawn WHERE active AND led) AS hold
GROUP BY owner
ON CONFLICT (owner_kind, owner, currency) DO UPDATE
SET held = excluded.held, leading_bids = excluded.leading_bids, active_listings = excluded.active_listings;

VACUUM ANALYZE listing, item, bid, wallet;
CHECKPOINT;
