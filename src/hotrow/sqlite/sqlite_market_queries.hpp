#pragma once

#include <memory>
#include <unordered_map>

#include "hotrow/sqlite/sqlite_database.hpp"
#include "hotrow/sqlite/sqlite_rows.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow::sqlite {

/// A statement's text for one sort and one set of filters, without its columns: ?1 status, ?2 family, ?3
/// seller, ?4 and ?5 the least and the largest price, ?6 and ?7 where the page before ended, ?8 limit.
std::string listings_where(const ListingsQuery& query);

/// The same for active listings of rare prices: they are found by their prices, and then sorted.
std::string listings_of_price_where(const ListingsQuery& query);

/// How many active listings have the prices asked for, as a whole statement; the limit is when to stop
/// counting.
std::string count_of_price_sql(const ListingsQuery& query);

/// SQLite takes a negative limit for none.
std::int64_t to_limit(std::size_t limit);

/// The auction's part of a reading session; the rest is left to the class below it.
class SqliteMarketQueries : public Queries {
 public:
  Result<WalletRow> wallet(const WalletId& id) override;
  Result<std::vector<LedgerLineRow>> ledger(const WalletId& id, std::int64_t after_n,
                                            std::size_t limit) override;
  Result<std::optional<ItemRow>> item(const std::string& id) override;
  Result<std::vector<ItemRow>> items_of(const Owner& owner, const std::string& after_id,
                                        std::size_t limit) override;
  Result<std::optional<ListingRow>> listing(const std::string& id) override;
  Result<std::vector<ListingRow>> listings(const std::vector<std::string>& ids) override;
  Result<std::vector<ListingRow>> listings(const ListingsQuery& query) override;
  Result<std::vector<ListingRow>> listings_of(const std::string& seller, const std::string& after_id,
                                              std::size_t limit) override;
  Result<std::vector<BidRow>> bids(const std::string& listing, std::int64_t after_n,
                                   std::size_t limit) override;
  Result<std::vector<BidRow>> bids_of(const BidsOfQuery& query) override;
  Result<MarketRow> market() override;
  Result<PlayerRow> player(const std::string& id) override;
  Result<std::vector<PolicyRow>> policies(const std::vector<PolicyId>& ids) override;
  Result<std::vector<HouseTotal>> house() override;
  Result<InvariantCount> check(const MarketInvariant& invariant) override;

 protected:
  SqliteMarketQueries(Connection connection, std::shared_ptr<StoreClock> clock)
      : clock_(std::move(clock)), connection_(std::move(connection)) {}

  Result<void> prepare_market();

  /// Listings past their end, oldest first.
  Result<Keys> due_listings(Timestamp now, std::size_t limit);

  std::shared_ptr<StoreClock> clock_;  ///< First: may keep the store alive until the connection is closed.
  Connection connection_;

 private:
  /// The statement of this text, prepared when it is asked for the first time.
  Result<Statement*> list_statement(std::string sql);
  Result<bool> has_few_of_price(const ListingsQuery& query);
  Result<std::vector<ListingRow>> read_listings(Statement& statement);

  struct MarketStatements {
    Statement wallet, ledger, item, items_of, listing, listings_of, bids, bids_of, bids_of_before;
    Statement market, player, policy, house, due;
  };

  MarketStatements market_statements_;
  std::unordered_map<std::string, Statement> lists_;
  TermsCache terms_;
};

}  // namespace hotrow::sqlite
