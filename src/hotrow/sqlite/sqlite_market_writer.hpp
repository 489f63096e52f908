#pragma once

#include <optional>

#include "hotrow/core/key.hpp"
#include "hotrow/core/write_set.hpp"
#include "hotrow/sqlite/sqlite_connection.hpp"
#include "hotrow/sqlite/sqlite_rows.hpp"

namespace hotrow::sqlite {

/// The auction's part of the writing connection: reads and writes its rows in the transaction under way.
class MarketWriter {
 public:
  /// Whether rows of this kind are the auction's.
  static bool keeps(KeyKind kind);

  /// The connection must outlive this object.
  Result<void> prepare(Connection& connection);

  Result<std::optional<Row>> read(const Key& key);

  /// Errors as of Transaction::commit().
  Result<void> write(const RowWrite& write);

 private:
  Result<void> insert(const WalletRow& row);
  Result<void> insert(const ItemRow& row);
  Result<void> insert(const ListingRow& row);
  Result<void> insert(const BidRow& row);
  Result<void> insert(const LedgerLineRow& row);
  Result<void> insert(const HouseLineRow& row);
  Result<void> insert(const ExternalIdRow& row);
  Result<void> insert(const PlayerRow& row);
  Result<void> insert(const MarketRow& row);
  Result<void> insert(const PolicyRow& row);
  Result<void> update(const WalletRow& row);
  Result<void> update(const ItemRow& row);
  Result<void> update(const ListingRow& row);
  Result<void> update(const PlayerRow& row);
  Result<void> update(const MarketRow& row);
  Result<void> update(const PolicyRow& row);

  /// A statement for each thing that is done; the texts stand in the .cpp.
  struct Statements {
    Statement find_wallet, find_item, find_listing, find_external_id, find_player, find_market, find_policy;
    Statement insert_wallet, insert_item, insert_listing, insert_bid, insert_ledger_line, insert_house_line;
    Statement insert_external_id, insert_player, insert_market, insert_policy;
    Statement update_wallet, update_item, update_listing, update_lead, update_player, update_market,
        update_policy;
  };

  Statements statements_;
  TermsCache terms_;
};

}  // namespace hotrow::sqlite
