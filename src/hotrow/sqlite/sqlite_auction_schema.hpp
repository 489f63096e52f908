#pragma once

#include <string_view>

namespace hotrow::sqlite {

// Besides what sqlite_schema.cpp says of all tables:
// - listing and item have long rows, which a table clustered by its key would keep in chains of overflow
//   pages; the others are short, and what is read together lies together.
// - What the terms of a listing say once and for all (seller, prices, ...) stands in columns of its own
// beside
//   them, for lists and for the invariants.
// - Lists of active listings have an index for each sort, alone and within a family. They are partial, so
//   that what is over costs them nothing. No column that a bid changes stands in one.
inline constexpr std::string_view auction_sql = R"sql(
CREATE TABLE wallet (
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('player', 'guild')),
  owner TEXT NOT NULL,
  currency TEXT NOT NULL,
  available INTEGER NOT NULL CHECK (available >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  version INTEGER NOT NULL CHECK (version >= 0),
  leading_bids INTEGER NOT NULL CHECK (leading_bids >= 0),
  active_listings INTEGER NOT NULL CHECK (active_listings >= 0),
  PRIMARY KEY (owner_kind, owner, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
  id TEXT NOT NULL PRIMARY KEY,
  family TEXT NOT NULL,
  attributes TEXT NOT NULL CHECK (json_valid(attributes)),
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('player', 'guild')),
  owner TEXT NOT NULL,
  location TEXT NOT NULL CHECK (location IN ('inventory', 'escrow', 'outside')),
  listing TEXT,
  events INTEGER NOT NULL CHECK (events >= 0),
  created_at INTEGER NOT NULL,
  first_owner_kind TEXT NOT NULL CHECK (first_owner_kind IN ('player', 'guild')),
  first_owner TEXT NOT NULL,
  CHECK ((location = 'escrow') = (listing IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX item_escrow ON item (listing) WHERE listing IS NOT NULL;
CREATE INDEX item_of ON item (owner_kind, owner, id);

CREATE TABLE listing (
  id TEXT NOT NULL PRIMARY KEY,
  terms TEXT NOT NULL CHECK (json_valid(terms)),
  seller TEXT NOT NULL,
  family TEXT NOT NULL,
  item TEXT NOT NULL,
  currency TEXT NOT NULL,
  start_price INTEGER NOT NULL CHECK (start_price >= 1),
  buyout_price INTEGER CHECK (buyout_price >= start_price),
  deposit INTEGER NOT NULL CHECK (deposit >= 0),
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'sold', 'expired', 'cancelled', 'voided')),
  bidder TEXT,
  current_bid INTEGER CHECK (current_bid >= 1),
  bid_n INTEGER CHECK (bid_n >= 1),
  bid_placed_at INTEGER,
  bids INTEGER NOT NULL CHECK (bids >= 0),
  extensions INTEGER NOT NULL CHECK (extensions >= 0),
  ends_at INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0),
  events INTEGER NOT NULL CHECK (events >= 0),
  decided_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  buyer TEXT,
  price INTEGER CHECK (price >= 1),
  close_reason TEXT,
  set_aside TEXT,
  CHECK ((bidder IS NULL) = (current_bid IS NULL) AND (bidder IS NULL) = (bid_n IS NULL)
         AND (bidder IS NULL) = (bid_placed_at IS NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (close_reason IS NULL)),
  CHECK ((status = 'active') = (closed_at IS NULL)),
  CHECK (status = 'active' OR bidder IS NULL),
  CHECK ((status = 'sold') = (buyer IS NOT NULL) AND (buyer IS NULL) = (price IS NULL))
) STRICT;

CREATE INDEX listing_due ON listing (ends_at, id) WHERE status = 'active' AND set_aside IS NULL;
CREATE INDEX listing_end ON listing (ends_at, id) WHERE status = 'active';
CREATE INDEX listing_price ON listing (start_price, id) WHERE status = 'active';
CREATE INDEX listing_buyout ON listing (buyout_price, id)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
CREATE INDEX listing_newest ON listing (created_at DESC, id) WHERE status = 'active';
CREATE INDEX listing_family_end ON listing (family, ends_at, id) WHERE status = 'active';
CREATE INDEX listing_family_price ON listing (family, start_price, id) WHERE status = 'active';
CREATE INDEX listing_family_buyout ON listing (family, buyout_price, id)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
CREATE INDEX listing_family_newest ON listing (family, created_at DESC, id) WHERE status = 'active';
CREATE INDEX listing_over ON listing (status, ends_at, id) WHERE status <> 'active';
CREATE INDEX listing_of ON listing (seller, id);

CREATE TABLE bid (
  listing TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  bidder TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 1),
  placed_at INTEGER NOT NULL,
  PRIMARY KEY (listing, n)
) STRICT, WITHOUT ROWID;

CREATE INDEX bid_of ON bid (bidder, placed_at, listing, n);

CREATE TABLE ledger_line (
  owner_kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  currency TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  d_available INTEGER NOT NULL,
  d_held INTEGER NOT NULL,
  available INTEGER NOT NULL CHECK (available >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  reason TEXT NOT NULL,
  ref TEXT NOT NULL,
  note TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner_kind, owner, currency, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE house_line (
  owner_kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  currency TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  account TEXT NOT NULL CHECK (account IN ('house', 'outside')),
  amount INTEGER NOT NULL,
  reason TEXT NOT NULL,
  ref TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner_kind, owner, currency, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE external_id (
  owner_kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  external_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('deposit', 'withdrawal', 'transfer')),
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 1),
  receiver TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  PRIMARY KEY (owner_kind, owner, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE player (
  id TEXT PRIMARY KEY,
  trade_blocked INTEGER NOT NULL CHECK (trade_blocked IN (0, 1)),
  reason TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0),
  events INTEGER NOT NULL CHECK (events >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE market (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  paused_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  extension INTEGER NOT NULL CHECK (extension >= 0),
  version INTEGER NOT NULL CHECK (version >= 0),
  events INTEGER NOT NULL CHECK (events >= 0)
) STRICT;
)sql";

}  // namespace hotrow::sqlite
