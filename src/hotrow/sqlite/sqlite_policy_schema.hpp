#pragma once

#include <string_view>

namespace hotrow::sqlite {

// - A player's counters stand in his wallet of gold from now on, whatever he trades in: they are gathered
//   there.
// - The indexes by buyout price have the start price, too: who filters by it and sorts by the other passes by
//   thousands.
inline constexpr std::string_view policies_sql = R"sql(
CREATE TABLE policy (
  scope TEXT NOT NULL CHECK (scope IN ('players', 'player', 'family', 'listing', 'promotion')),
  id TEXT NOT NULL,
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  reason TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  events INTEGER NOT NULL CHECK (events >= 1),
  PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;

ALTER TABLE promotion ADD COLUMN queue_max INTEGER CHECK (queue_max >= 1);
ALTER TABLE wallet ADD COLUMN buyout_minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet ADD COLUMN buyouts_in_minute INTEGER NOT NULL DEFAULT 0 CHECK (buyouts_in_minute >= 0);

INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings)
SELECT 'player', owner, 'gold', 0, 0, 0, 0, 0 FROM wallet AS other
WHERE owner_kind = 'player' AND (leading_bids > 0 OR active_listings > 0)
  AND NOT EXISTS (SELECT 1 FROM wallet WHERE owner_kind = 'player' AND owner = other.owner AND currency = 'gold')
GROUP BY owner;
UPDATE wallet
SET leading_bids = (SELECT sum(leading_bids) FROM wallet AS w WHERE w.owner_kind = 'player' AND w.owner = wallet.owner),
    active_listings =
      (SELECT sum(active_listings) FROM wallet AS w WHERE w.owner_kind = 'player' AND w.owner = wallet.owner)
WHERE owner_kind = 'player' AND currency = 'gold';
UPDATE wallet SET leading_bids = 0, active_listings = 0 WHERE currency <> 'gold';

DROP INDEX listing_buyout;
CREATE INDEX listing_buyout ON listing (buyout_price, id, start_price)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
DROP INDEX listing_family_buyout;
CREATE INDEX listing_family_buyout ON listing (family, buyout_price, id, start_price)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
)sql";

}  // namespace hotrow::sqlite
