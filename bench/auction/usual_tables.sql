-- The write-up's tables, bare, and what a careful team adds to them (duty_*).
CREATE TABLE usual_listing (id text PRIMARY KEY, seller text NOT NULL, item text NOT NULL, status text NOT NULL,
                            price bigint NOT NULL, bidder text, buyout bigint NOT NULL, ends_at timestamptz NOT NULL)
                            WITH (fillfactor = 70);
CREATE TABLE usual_bid (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, listing text NOT NULL, bidder text NOT NULL,
                        amount bigint NOT NULL, placed_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX ON usual_bid (listing);
CREATE TABLE usual_wallet (player text PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0),
                           held bigint NOT NULL DEFAULT 0 CHECK (held >= 0)) WITH (fillfactor = 70);
CREATE TABLE usual_item (id text PRIMARY KEY, owner text NOT NULL) WITH (fillfactor = 70);
CREATE TABLE duty_ledger (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, player text NOT NULL,
                          amount bigint NOT NULL, held bigint NOT NULL, reason text NOT NULL, ref text NOT NULL,
                          at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX ON duty_ledger (player, id);
CREATE TABLE duty_outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subject text NOT NULL, type text NOT NULL,
                          data json NOT NULL);
CREATE TABLE duty_answer (key text PRIMARY KEY, answer json NOT NULL);

INSERT INTO usual_wallet SELECT 'player-' || n, 1000000000000 FROM generate_series(0, 999) n;
INSERT INTO usual_listing SELECT 'l-' || n, 'player-' || n % 500, 'i-' || n, 'ACTIVE', 100, NULL, 200,
                                 now() + interval '1 day' FROM generate_series(1, 400000) n;
INSERT INTO usual_item SELECT 'i-' || n, 'escrow' FROM generate_series(1, 400000) n;
INSERT INTO usual_listing VALUES ('hot', 'player-0', 'i-hot', 'ACTIVE', 100, NULL, 9000000000000000, now() + interval '1 day');
VACUUM ANALYZE usual_listing, usual_wallet, usual_item;
