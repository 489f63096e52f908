\set n :n + 1
\set l :client_id * 6000 + :n
\set b 500 + random(0, 499)
\if :hot
\set b 999
\endif
BEGIN;
SELECT seller, buyout FROM usual_listing WHERE id = 'l-' || :l AND status = 'ACTIVE' FOR UPDATE \gset
SELECT count(*) AS locked FROM (SELECT 1 FROM usual_wallet WHERE player IN (:seller, 'player-' || :b) ORDER BY player FOR UPDATE) AS w \gset
UPDATE usual_wallet SET balance = balance - :buyout WHERE player = 'player-' || :b;
UPDATE usual_wallet SET balance = balance + :buyout WHERE player = :seller;
UPDATE usual_listing SET status = 'SOLD', bidder = 'player-' || :b WHERE id = 'l-' || :l;
UPDATE usual_item SET owner = 'player-' || :b WHERE id = 'i-' || :l;
COMMIT;
