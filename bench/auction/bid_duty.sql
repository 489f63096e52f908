\set b random(500, 999)
\set key random(1, 9000000000000000)
BEGIN;
SELECT count(*) AS seen FROM duty_answer WHERE key = 'key-' || :key \gset
SELECT price + 1 AS next, price AS before, coalesce(bidder, 'player-0') AS loser FROM usual_listing WHERE id = 'hot' AND status = 'ACTIVE' AND ends_at > clock_timestamp() FOR UPDATE \gset
SELECT count(*) AS locked FROM (SELECT 1 FROM usual_wallet WHERE player IN (:loser, 'player-' || :b) ORDER BY player FOR UPDATE) AS w \gset
UPDATE usual_wallet SET balance = balance + :before, held = greatest(held - :before, 0) WHERE player = :loser;
UPDATE usual_wallet SET balance = balance - :next, held = held + :next WHERE player = 'player-' || :b;
UPDATE usual_listing SET price = :next, bidder = 'player-' || :b WHERE id = 'hot';
INSERT INTO usual_bid (listing, bidder, amount) VALUES ('hot', 'player-' || :b, :next);
INSERT INTO duty_ledger (player, amount, held, reason, ref) VALUES (:loser, :before, 0 - (:before)::bigint, 'bid_refund', 'hot'), ('player-' || :b, 0 - (:next)::bigint, :next, 'bid_hold', 'hot');
INSERT INTO duty_outbox (subject, type, data) VALUES ('hot', 'bid_placed', json_build_object('bidder', 'player-' || :b, 'amount', (:next)::bigint)), ('hot', 'outbid', json_build_object('bidder', (:loser)::text, 'amount', (:before)::bigint));
INSERT INTO duty_answer VALUES ('key-' || :key, json_build_object('bidder', 'player-' || :b, 'amount', (:next)::bigint));
COMMIT;
