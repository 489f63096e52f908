#pragma once

#include <memory>

#include "hotrow/base/guarded.hpp"
#include "hotrow/store/memory_tables.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow {

/// The auction's part of the read port by plain loops; the rest is left to the class below it.
class MemoryMarketQueries : public Queries {
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
  explicit MemoryMarketQueries(std::shared_ptr<const Guarded<MemoryTables>> tables)
      : tables_(std::move(tables)) {}

  template <class R>
  Result<std::optional<R>> find(const Key& key) {
    return tables_->with([&](const MemoryTables& tables) -> std::optional<R> {
      const Row* row = tables.find(key);
      if (row == nullptr) return std::nullopt;
      return std::get<R>(*row);
    });
  }

  const std::shared_ptr<const Guarded<MemoryTables>> tables_;
};

/// Listings past their end, oldest first.
Keys due_listings(const MemoryTables& tables, Timestamp now, std::size_t limit);

}  // namespace hotrow
