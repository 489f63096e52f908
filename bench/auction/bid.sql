\set b random(500, 999)
BEGIN;
SELECT price + 1 AS next FROM usual_listing WHERE id = 'hot' AND status = 'ACTIVE' AND ends_at > clock_timestamp() FOR UPDATE \gset
UPDATE usual_listing SET price = :next, bidder = 'player-' || :b WHERE id = 'hot';
INSERT INTO usual_bid (listing, bidder, amount) VALUES ('hot', 'player-' || :b, :next);
COMMIT;
