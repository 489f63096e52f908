#pragma once

#include <string_view>

namespace hotrow {

// - A player's counters stand in his wallet of gold from now on, whatever he trades in: they are gathered
//   there.
// - The indexes by buyout price have the start price, too: who filters by it and sorts by the other passes by
//   thousands.
inline constexpr std::string_view policies_sql = R"sql(
CREATE TABLE policy (
  version bigint NOT NULL CHECK (version >= 1),
  events bigint NOT NULL CHECK (events >= 1),
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('players', 'player', 'family', 'listing', 'promotion')),
  id text COLLATE "C" NOT NULL,
  limits text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, id)
);

ALTER TABLE promotion ADD COLUMN queue_max bigint CHECK (queue_max >= 1);
ALTER TABLE wallet ADD COLUMN buyout_minute bigint NOT NULL DEFAULT 0;
ALTER TABLE wallet ADD COLUMN buyouts_in_minute bigint NOT NULL DEFAULT 0 CHECK (buyouts_in_minute >= 0);

INSERT INTO wallet (owner_kind, owner, currency, available, held, version, leading_bids, active_listings)
SELECT DISTINCT 'player', owner, 'gold', 0, 0, 0, 0, 0 FROM wallet AS other
WHERE owner_kind = 'player' AND (leading_bids > 0 OR active_listings > 0)
  AND NOT EXISTS (SELECT FROM wallet WHERE owner_kind = 'player' AND owner = other.owner AND currency = 'gold');
UPDATE wallet AS w
SET leading_bids = s.leading_bids, active_listings = s.active_listings
FROM (SELECT owner, sum(leading_bids)::bigint AS leading_bids, sum(active_listings)::bigint AS active_listings
      FROM wallet WHERE owner_kind = 'player' GROUP BY owner) AS s
WHERE w.owner_kind = 'player' AND w.owner = s.owner AND w.currency = 'gold';
UPDATE wallet SET leading_bids = 0, active_listings = 0 WHERE currency <> 'gold';

DROP INDEX listing_buyout;
CREATE INDEX listing_buyout ON listing (buyout_price, id COLLATE "POSIX", start_price)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
DROP INDEX listing_family_buyout;
CREATE INDEX listing_family_buyout ON listing (family, buyout_price, id COLLATE "POSIX", start_price)
  WHERE status = 'active' AND buyout_price IS NOT NULL;
)sql";

}  // namespace hotrow
