\set n random(1, 9000000000000000)
BEGIN;
SELECT ordinal FROM usual_entry WHERE promotion = 'launch' AND user_id = 'user-' || lpad((:n)::text, 22, '0');
SELECT entries + 1 AS next FROM usual_promotion WHERE id = 'launch' FOR UPDATE \gset
INSERT INTO usual_entry (promotion, user_id, ordinal, entered_at) VALUES ('launch', 'user-' || lpad((:n)::text, 22, '0'), :next, clock_timestamp());
UPDATE usual_promotion SET entries = :next WHERE id = 'launch';
COMMIT;
