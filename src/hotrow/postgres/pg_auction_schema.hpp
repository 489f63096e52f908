#pragma once

#include <string_view>

namespace hotrow {

// Besides what pg_schema.cpp says of all tables:
// - A bid changes one listing and two wallets, and no column that an index has: all three updates stay within
//   their pages (HOT). A late bid that moves the end is the exception.
// - Lists of active listings, the only ones that millions of players look at, have an index for each sort,
//   alone and within a family. They are partial, so what is over costs them nothing, and they end in the id
//   under the collation POSIX, as entry_place does, so that the planner never takes one for a way to find a
//   listing. A bid on the listing finds it by listing_pkey and nothing else.
// - What the terms say once and for all (seller, prices, ...) stands in columns of its own beside them, for
//   lists and for the invariants. The run role may not change it.
inline constexpr std::string_view auction_sql = R"sql(
CREATE TABLE wallet (
  available bigint NOT NULL CHECK (available >= 0),
  held bigint NOT NULL CHECK (held >= 0),
  version bigint NOT NULL CHECK (version >= 0),
  leading_bids bigint NOT NULL CHECK (leading_bids >= 0),
  active_listings bigint NOT NULL CHECK (active_listings >= 0),
  owner_kind text COLLATE "C" NOT NULL CHECK (owner_kind IN ('player', 'guild')),
  owner text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_kind, owner, currency)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE item (
  events bigint NOT NULL CHECK (events >= 0),
  created_at bigint NOT NULL,
  id text COLLATE "C" PRIMARY KEY,
  family text COLLATE "C" NOT NULL,
  attributes text COLLATE "C" NOT NULL,
  owner_kind text COLLATE "C" NOT NULL CHECK (owner_kind IN ('player', 'guild')),
  owner text COLLATE "C" NOT NULL,
  location text COLLATE "C" NOT NULL CHECK (location IN ('inventory', 'escrow', 'outside')),
  listing text COLLATE "C",
  first_owner_kind text COLLATE "C" NOT NULL CHECK (first_owner_kind IN ('player', 'guild')),
  first_owner text COLLATE "C" NOT NULL,
  CHECK ((location = 'escrow') = (listing IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);
CREATE UNIQUE INDEX item_escrow ON item (listing) WHERE listing IS NOT NULL;
CREATE INDEX item_of ON item (owner_kind, owner COLLATE "POSIX", id COLLATE "POSIX");

CREATE TABLE listing (
  start_price bigint NOT NULL CHECK (start_price >= 1),
  buyout_price bigint CHECK (buyout_price >= start_price),
  deposit bigint NOT NULL CHECK (deposit >= 0),
  created_at bigint NOT NULL,
  current_bid bigint CHECK (current_bid >= 1),
  bid_n bigint CHECK (bid_n >= 1),
  bid_placed_at bigint,
  bids bigint NOT NULL CHECK (bids >= 0),
  extensions bigint NOT NULL CHECK (extensions >= 0),
  ends_at bigint NOT NULL,
  version bigint NOT NULL,
  events bigint NOT NULL CHECK (events >= 0),
  decided_at bigint NOT NULL,
  closed_at bigint,
  price bigint CHECK (price >= 1),
  id text COLLATE "C" PRIMARY KEY,
  terms text COLLATE "C" NOT NULL,
  seller text COLLATE "C" NOT NULL,
  family text COLLATE "C" NOT NULL,
  item text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('active', 'sold', 'expired', 'cancelled', 'voided')),
  bidder text COLLATE "C",
  closed_by text COLLATE "C",
  buyer text COLLATE "C",
  close_reason text COLLATE "C",
  set_aside text COLLATE "C",
  CHECK (num_nulls(bidder, current_bid, bid_n, bid_placed_at) IN (0, 4)),
  CHECK (num_nulls(closed_at, closed_by, close_reason) IN (0, 3)),
  CHECK ((status = 'active') = (closed_at IS NULL)),
  CHECK (status = 'active' OR bidder IS NULL),
  CHECK (num_nulls(buyer, price) IN (0, 2)),
  CHECK ((status = 'sold') = (buyer IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX listing_end ON listing (ends_at, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_price ON listing (start_price, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_buyout ON listing (buyout_price, id COLLATE "POSIX")
  WHERE status = 'active' AND buyout_price IS NOT NULL;
CREATE INDEX listing_newest ON listing (created_at DESC, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_family_end ON listing (family, ends_at, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_family_price ON listing (family, start_price, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_family_buyout ON listing (family, buyout_price, id COLLATE "POSIX")
  WHERE status = 'active' AND buyout_price IS NOT NULL;
CREATE INDEX listing_family_newest ON listing (family, created_at DESC, id COLLATE "POSIX")
  WHERE status = 'active';
CREATE INDEX listing_selling ON listing (seller, id COLLATE "POSIX") WHERE status = 'active';
CREATE INDEX listing_over ON listing (status, ends_at, id COLLATE "POSIX") WHERE status <> 'active';
CREATE INDEX listing_of ON listing (seller COLLATE "POSIX", id COLLATE "POSIX");

CREATE TABLE bid (
  n bigint NOT NULL CHECK (n >= 1),
  amount bigint NOT NULL CHECK (amount >= 1),
  placed_at bigint NOT NULL,
  listing text COLLATE "C" NOT NULL,
  bidder text COLLATE "C" NOT NULL,
  PRIMARY KEY (listing, n)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX bid_of ON bid (bidder COLLATE "POSIX", placed_at, listing COLLATE "POSIX", n);

CREATE TABLE ledger_line (
  n bigint NOT NULL CHECK (n >= 1),
  d_available bigint NOT NULL,
  d_held bigint NOT NULL,
  available bigint NOT NULL CHECK (available >= 0),
  held bigint NOT NULL CHECK (held >= 0),
  at bigint NOT NULL,
  owner_kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  ref text COLLATE "C" NOT NULL,
  note text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_kind, owner, currency, n)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE house_line (
  n bigint NOT NULL CHECK (n >= 1),
  amount bigint NOT NULL,
  at bigint NOT NULL,
  owner_kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL CHECK (account IN ('house', 'outside')),
  reason text COLLATE "C" NOT NULL,
  ref text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_kind, owner, currency, n)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE external_id (
  amount bigint NOT NULL CHECK (amount >= 1),
  n bigint NOT NULL CHECK (n >= 1),
  owner_kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('deposit', 'withdrawal', 'transfer')),
  currency text COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_kind, owner, external_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE player (
  version bigint NOT NULL,
  events bigint NOT NULL CHECK (events >= 0),
  trade_blocked boolean NOT NULL,
  id text COLLATE "C" PRIMARY KEY,
  reason text COLLATE "C" NOT NULL
);

CREATE TABLE market (
  only_row bigint PRIMARY KEY CHECK (only_row = 1),
  paused_at bigint NOT NULL,
  extension bigint NOT NULL CHECK (extension >= 0),
  version bigint NOT NULL,
  events bigint NOT NULL CHECK (events >= 0),
  paused boolean NOT NULL,
  reason text COLLATE "C" NOT NULL
);
)sql";

}  // namespace hotrow
