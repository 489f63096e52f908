#include <array>
#include <string>

#include "hotrow/postgres/pg_market_statements.hpp"

// The auction's part of the read port. Columns of indexes whose order serves lists have the collation POSIX
// where the same column is also a key to look rows up by.
namespace hotrow::statements {

const PgStatement read_listing{"read_listing", R"(
SELECT 1::bigint, id, terms, status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, version,
       events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside
FROM listing WHERE id = $1)"};

const PgStatement read_listings{"read_listings", R"(
SELECT u.n, l.id, l.terms, l.status, l.bidder, l.current_bid, l.bid_n, l.bid_placed_at, l.bids, l.extensions, l.ends_at,
       l.version, l.events, l.decided_at, l.closed_at, l.closed_by, l.buyer, l.price, l.close_reason, l.set_aside
FROM unnest($1::text[]) WITH ORDINALITY AS u(id, n)
CROSS JOIN LATERAL (SELECT * FROM listing WHERE id = u.id LIMIT 1) AS l)"};

// $1 seller, $2 after, $3 limit.
const PgStatement list_listings_of{"list_listings_of", R"(
SELECT 1::bigint, id, terms, status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, version,
       events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside
FROM listing
WHERE seller COLLATE "POSIX" = $1 AND id COLLATE "POSIX" > $2 ORDER BY id COLLATE "POSIX" LIMIT $3)"};

const PgStatement count_active_of_price{"count_active_of_price", R"(
SELECT count(*) FROM (
  SELECT FROM listing WHERE status = 'active' AND start_price >= $1 AND start_price <= $2
  ORDER BY start_price LIMIT $3) AS priced)"};

const PgStatement count_active_of_family_and_price{"count_active_of_family_and_price", R"(
SELECT count(*) FROM (
  SELECT FROM listing WHERE status = 'active' AND family = $4 AND start_price >= $1 AND start_price <= $2
  ORDER BY start_price LIMIT $3) AS priced)"};

// $1 now, $2 limit. Ends are in market time.
const PgStatement list_due_listings{"list_due_listings", R"(
SELECT id FROM listing
WHERE status = 'active' AND set_aside IS NULL
  AND ends_at <= $1 - coalesce((SELECT extension FROM market WHERE only_row = 1), 0)
  AND NOT EXISTS (SELECT FROM market WHERE only_row = 1 AND paused)
ORDER BY ends_at, id COLLATE "POSIX" LIMIT $2)"};

const PgStatement read_item{"read_item", R"(
SELECT 1::bigint, id, family, attributes, owner_kind, owner, location, listing, events, created_at, first_owner_kind,
       first_owner
FROM item WHERE id = $1)"};

// $1 owner kind, $2 owner, $3 after, $4 limit.
const PgStatement list_items_of{"list_items_of", R"(
SELECT 1::bigint, id, family, attributes, owner_kind, owner, location, listing, events, created_at, first_owner_kind,
       first_owner
FROM item
WHERE owner_kind = $1 AND owner COLLATE "POSIX" = $2 AND id COLLATE "POSIX" > $3
ORDER BY id COLLATE "POSIX" LIMIT $4)"};

// $1 listing, $2 after, $3 limit.
const PgStatement list_bids{"list_bids", R"(
SELECT listing, n, bidder, amount, placed_at FROM bid WHERE listing = $1 AND n > $2 ORDER BY n LIMIT $3)"};

// $1 bidder, $2 to $4 the bid before (placed_at, listing, n), $5 limit.
const PgStatement list_bids_of{"list_bids_of", R"(
SELECT listing, n, bidder, amount, placed_at FROM bid
WHERE bidder COLLATE "POSIX" = $1 AND (placed_at, listing COLLATE "POSIX", n) < ($2, $3, $4)
ORDER BY placed_at DESC, listing COLLATE "POSIX" DESC, n DESC LIMIT $5)"};

// $1 bidder, $2 limit.
const PgStatement list_latest_bids_of{"list_latest_bids_of", R"(
SELECT listing, n, bidder, amount, placed_at FROM bid
WHERE bidder COLLATE "POSIX" = $1
ORDER BY placed_at DESC, listing COLLATE "POSIX" DESC, n DESC LIMIT $2)"};

// $1 owner kind, $2 owner, $3 currency.
const PgStatement read_wallet{"read_wallet", R"(
SELECT 1::bigint, available, held, version, leading_bids, active_listings, buyout_minute, buyouts_in_minute FROM wallet
WHERE owner_kind = $1 AND owner = $2 AND currency = $3)"};

// $1 owner kind, $2 owner, $3 currency, $4 after, $5 limit.
const PgStatement list_ledger{"list_ledger", R"(
SELECT n, d_available, d_held, available, held, reason, ref, note, at FROM ledger_line
WHERE owner_kind = $1 AND owner = $2 AND currency = $3 AND n > $4 ORDER BY n LIMIT $5)"};

const PgStatement sum_house{"sum_house", R"(
SELECT currency, coalesce(sum(amount) FILTER (WHERE reason = 'sale'), 0)::bigint,
       coalesce(sum(amount) FILTER (WHERE reason = 'deposit_capture'), 0)::bigint
FROM house_line WHERE account = 'house' GROUP BY currency ORDER BY currency)"};

const PgStatement free_planner{"free_planner", R"(
SELECT set_config(name, CASE name WHEN 'enable_nestloop' THEN 'off' ELSE 'on' END, true)
FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_memoize',
                  'enable_sort', 'enable_nestloop']) AS setting(name))"};

namespace {

struct SortedBy {
  const char* name;
  const char* after;
  const char* order;
};

// (a, b) > (x, y) walks an index on from there; a descending column before an ascending one has no such form.
constexpr std::array<SortedBy, listing_sorts> sorts = {{
    {"by_end", R"((ends_at, id COLLATE "POSIX") > ($1, $2))", R"(ends_at, id COLLATE "POSIX")"},
    {"by_price", R"((start_price, id COLLATE "POSIX") > ($1, $2))", R"(start_price, id COLLATE "POSIX")"},
    {"by_buyout", R"(buyout_price IS NOT NULL AND (buyout_price, id COLLATE "POSIX") > ($1, $2))",
     R"(buyout_price, id COLLATE "POSIX")"},
    {"newest", R"(created_at <= $1 AND (created_at < $1 OR id COLLATE "POSIX" > $2))",
     R"(created_at DESC, id COLLATE "POSIX")"},
}};

struct Scope {
  const char* name;
  const char* condition;
};

// A partial index serves what says its predicate. A seller's listings that are over do not say that they are,
// so that they cannot be looked for among everybody's. Those of a price are ordered by it, which leaves the
// planner one index.
constexpr std::array<Scope, listing_scopes> scopes = {{
    {"active", "status = 'active'"},
    {"active_of_family", "status = 'active' AND family = $6"},
    {"active_of_price", "status = 'active' AND start_price >= $3 AND start_price <= $4 ORDER BY start_price"},
    {"active_of_family_and_price",
     "status = 'active' AND family = $6 AND start_price >= $3 AND start_price <= $4 ORDER BY start_price"},
    {"active_of_seller", "status = 'active' AND ($6 = '' OR family = $6) AND seller = $7"},
    {"over", "status <> 'active' AND ($6 = '' OR family = $6) AND status = $7"},
    {"over_of_seller", R"(($6 = '' OR family = $6) AND status = $7 AND seller COLLATE "POSIX" = $8)"},
}};

constexpr const char* columns =
    "1::bigint, id, terms, status, bidder, current_bid, bid_n, bid_placed_at, bids, extensions, ends_at, "
    "version, "
    "events, decided_at, closed_at, closed_by, buyer, price, close_reason, set_aside";

/// A seller's listings and those of rare prices are found before they are sorted: to walk the sort's index
/// until they come by would take as long as there are others. OFFSET 0 keeps the planner from looking through
/// the inner query, and its rows are written nowhere.
bool finds_first(ListingScope scope) {
  return scope == ListingScope::active_of_price || scope == ListingScope::active_of_family_and_price ||
         scope == ListingScope::active_of_seller || scope == ListingScope::over_of_seller;
}

std::string text_of(ListingScope scope, const SortedBy& sort) {
  const std::string condition = scopes[std::size_t(scope)].condition;
  const std::string bounds = std::string(sort.after) + " AND start_price >= $3 AND start_price <= $4";
  const std::string end = std::string(" ORDER BY ") + sort.order + " LIMIT $5";
  if (finds_first(scope)) {
    return std::string("SELECT ") + columns + " FROM (SELECT * FROM listing WHERE " + condition +
           " OFFSET 0) AS found WHERE " + bounds + end;
  }
  return std::string("SELECT ") + columns + " FROM listing WHERE " + condition + " AND " + bounds + end;
}

class ListStatements {
 public:
  ListStatements() {
    for (std::size_t scope = 0; scope < listing_scopes; ++scope) {
      for (std::size_t sort = 0; sort < listing_sorts; ++sort) {
        const std::size_t slot = scope * listing_sorts + sort;
        names_[slot] = std::string("list_") + scopes[scope].name + "_" + sorts[sort].name;
        texts_[slot] = text_of(ListingScope(scope), sorts[sort]);
        statements_[slot] = {names_[slot].c_str(), texts_[slot].c_str()};
      }
    }
  }

  ListStatements(const ListStatements&) = delete;  // The statements point into the texts.
  ListStatements& operator=(const ListStatements&) = delete;

  const PgStatement& of(ListingScope scope, ListingSort sort) const {
    return statements_[std::size_t(scope) * listing_sorts + std::size_t(sort)];
  }

 private:
  static constexpr std::size_t count = listing_scopes * listing_sorts;
  std::array<std::string, count> names_;
  std::array<std::string, count> texts_;
  std::array<PgStatement, count> statements_;
};

}  // namespace

const PgStatement& list_listings(ListingScope scope, ListingSort sort) {
  static const ListStatements all;
  return all.of(scope, sort);
}

}  // namespace hotrow::statements
