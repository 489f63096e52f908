\set n :n + 1
\set l :client_id * 6000 + :n
\set b 500 + random(0, 499)
\set key random(1, 9000000000000000)
BEGIN;
SELECT count(*) AS seen FROM duty_answer WHERE key = 'key-' || :key \gset
SELECT seller, buyout FROM usual_listing WHERE id = 'l-' || :l AND status = 'ACTIVE' FOR UPDATE \gset
SELECT count(*) AS locked FROM (SELECT 1 FROM usual_wallet WHERE player IN (:seller, 'player-' || :b) ORDER BY player FOR UPDATE) AS w \gset
UPDATE usual_wallet SET balance = balance - :buyout WHERE player = 'player-' || :b;
UPDATE usual_wallet SET balance = balance + :buyout WHERE player = :seller;
UPDATE usual_listing SET status = 'SOLD', bidder = 'player-' || :b WHERE id = 'l-' || :l;
UPDATE usual_item SET owner = 'player-' || :b WHERE id = 'i-' || :l;
INSERT INTO duty_ledger (player, amount, held, reason, ref) VALUES (:seller, :buyout, 0, 'sale', 'l-' || :l), ('player-' || :b, 0 - (:buyout)::bigint, 0, 'purchase', 'l-' || :l);
INSERT INTO duty_outbox (subject, type, data) VALUES ('l-' || :l, 'sold', json_build_object('buyer', 'player-' || :b, 'price', (:buyout)::bigint));
INSERT INTO duty_answer VALUES ('key-' || :key, json_build_object('buyer', 'player-' || :b, 'price', (:buyout)::bigint));
COMMIT;
