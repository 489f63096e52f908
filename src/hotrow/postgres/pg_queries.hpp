#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hotrow/postgres/pg_row_reading.hpp"
#include "hotrow/postgres/pg_session.hpp"
#include "hotrow/store/queries.hpp"

namespace hotrow {

/// Queries on PostgreSQL. `options` must outlive it.
class PgQueries final : public Queries {
 public:
  explicit PgQueries(const PostgresOptions& options);

  /// Opens the session ahead of the first question.
  Result<void> connect();

  Result<Timestamp> now() override;
  Result<StoreFacts> facts() override;
  Result<std::optional<PromotionRow>> promotion(const std::string& id) override;
  Result<std::vector<PromotionRow>> promotions(const PromotionsQuery& query) override;
  Result<std::vector<std::string>> promotion_ids(const std::string& after_id, std::size_t limit) override;
  Result<std::optional<EntryRow>> entry(const std::string& promotion, const std::string& user) override;
  Result<std::vector<EntryRow>> entries(const std::string& promotion, std::int64_t after_ordinal,
                                        std::size_t limit) override;
  Result<std::optional<EntryNeighbourhood>> neighbourhood(const std::string& promotion,
                                                          std::int64_t ordinal) override;
  Result<std::vector<WinnerRow>> winners(const std::string& promotion, std::int64_t after_ordinal,
                                         std::size_t limit) override;
  Result<EventsPage> events(const EventsQuery& query) override;
  Result<std::vector<EventRow>> timeline(const std::string& subject_kind, const std::string& subject,
                                         std::int64_t after_sequence, std::size_t limit) override;
  Result<Keys> due(Timestamp now, std::size_t limit) override;
  Result<void> export_entries(const std::string& promotion, const EntrySink& sink) override;
  Result<std::optional<PromotionFacts>> promotion_facts(const std::string& id) override;
  Result<std::vector<Violation>> orphans() override;

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

 private:
  /// One statement outside a transaction.
  Result<PgResult> ask(const PgStatement& statement, const PgParameters& parameters = {});
  /// Several in one REPEATABLE READ READ ONLY transaction of at most audit_timeout.
  template <class F>
  auto in_snapshot(F&& read) -> decltype(read()) {
    if (Result<void> begun = begin_snapshot(); !begun) {
      end_snapshot();
      return failure(begun.error());
    }
    auto result = read();
    end_snapshot();
    return result;
  }
  Result<void> begin_snapshot();
  void end_snapshot();
  Result<PgResult> ask_in_snapshot(const PgStatement& statement, const PgParameters& parameters = {});
  Result<std::vector<PgResult>> exchange(SteadyTime deadline);

  Result<std::optional<PromotionRow>> decode_one(const PgResult& rows);
  Result<void> count_into(PromotionFacts& facts);
  Result<void> count_evidence_into(PromotionFacts& facts);
  Result<std::vector<ListingRow>> decode_listings(const Result<PgResult>& rows);
  Result<bool> has_few_of_price(const ListingsQuery& query);
  const PgStatement& check_of(const MarketInvariant& invariant);

  Result<PgResult> read_feed(std::int64_t after, const EventsQuery& query);
  Result<bool> settle(std::int64_t horizon);
  bool take_events(const PgResult& rows, std::size_t limit, EventsPage& page) const;

  /// Transactions that may still fill holes below `horizon`: those that had drawn a position when it was
  /// seen.
  struct HoleWatch {
    std::int64_t horizon;
    std::set<std::string> drawers;
  };

  struct CheckStatement {
    std::string name;
    std::string text;
    PgStatement statement{};
  };

  const PostgresOptions& options_;
  std::map<std::string, CheckStatement> checks_;  ///< By the invariant's SQL. Outlives the session.
  std::unique_ptr<PgSession> session_;
  RowCaches caches_;
  SteadyTime snapshot_ends_at_;
  std::int64_t settled_position_ = 0;  ///< Holes up to here stay holes for ever.
  std::optional<HoleWatch> watch_;
};

}  // namespace hotrow
