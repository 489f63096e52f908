#include "tests/agreement/market_aftermath.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "hotrow/base/hash.hpp"
#include "hotrow/engine/executor.hpp"
#include "tests/core/market_rows.hpp"
#include "tests/support/commands.hpp"

namespace hotrow::test {
namespace {

constexpr std::size_t all = 10'000;

class Trading {
 public:
  explicit Trading(Store& store)
      : transaction_(std::move(*store.open_transaction())),
        executor_(*transaction_),
        queries_(std::move(*store.open_queries())) {}

  void run(std::span<const Command* const> piece) {
    static const std::string server = random_hex(8);
    static std::atomic<std::int64_t> number = 0;
    const Attempt attempt = executor_.attempt(piece, {.id = {.server = server, .number = ++number}});
    if (!attempt.result && attempt.result.error().code == "lock_restarts" && piece.size() > 1) {
      run(piece.first(piece.size() / 2));
      run(piece.subspan(piece.size() / 2));
      return;
    }
    EXPECT_TRUE(attempt.result) << attempt.result.error().code << " " << attempt.result.error().detail;
    for (const Reply& reply : attempt.replies) {
      answers.push_back(text_of(reply.answer) + (reply.replayed ? " again" : ""));
    }
  }

  void check_invariants() {
    for (const MarketInvariant& invariant : market_invariants()) {
      if (invariant.name == "no_listing_is_set_aside") continue;
      const InvariantCount count = *queries_->check(invariant);
      EXPECT_EQ(count.violations, 0) << invariant.name << ": " << count.example;
    }
  }

  std::vector<std::string> rows(Timestamp now) {
    add(queries_->market());
    for (const Owner& owner : market_names().owners) add_rows_of(owner);
    for (const std::string& id : market_names().listings) add_rows_of_listing(id);
    for (const std::string& id : market_names().items) add(queries_->timeline("item", id, 0, all));
    add(queries_->timeline("market", "market", 0, all));
    add_policies();
    const std::vector<HouseTotal> totals = *queries_->house();
    for (const HouseTotal& total : totals) {
      rows_.push_back(total.currency + " " + std::to_string(total.cut) + " " +
                      std::to_string(total.deposits_kept));
    }
    const Keys due = *queries_->due(now, all);
    for (const Key& key : due) rows_.push_back("due " + describe(key));
    return rows_;
  }

  std::vector<std::string> answers;

 private:
  template <class R>
  void add(const Result<R>& row) {
    rows_.push_back(row_text(*row));
  }
  template <class R>
  void add(const Result<std::vector<R>>& rows) {
    for (const R& row : *rows) rows_.push_back(row_text(row));
  }
  template <class R>
  void add(const Result<std::optional<R>>& row) {
    rows_.push_back(*row ? row_text(**row) : "absent");
  }

  void add_policies() {
    std::vector<PolicyId> ids = {{.scope = PolicyScope::players},
                                 {.scope = PolicyScope::family, .id = "shields"}};
    for (const Owner& owner : market_names().owners) ids.push_back({PolicyScope::player, owner.id});
    for (const std::string& id : market_names().listings) ids.push_back({PolicyScope::listing, id});
    for (const PolicyId& id : ids) {
      add(queries_->policies({id}));
      add(queries_->timeline("policy", to_string(id), 0, all));
    }
  }

  void add_rows_of(const Owner& owner) {
    for (const std::string& currency : market_names().currencies) {
      const WalletId wallet{.owner = owner, .currency = currency};
      add(queries_->wallet(wallet));
      add(queries_->ledger(wallet, 0, all));
    }
    add(queries_->items_of(owner, "", all));
    add(queries_->player(owner.id));
    add(queries_->timeline("player", owner.id, 0, all));
    add(queries_->listings_of(owner.id, "", all));
    add(queries_->bids_of({.player = owner.id, .limit = all}));
  }

  void add_rows_of_listing(const std::string& id) {
    add(queries_->listing(id));
    add(queries_->bids(id, 0, all));
    add(queries_->timeline("listing", id, 0, all));
    add(queries_->timeline("item", "of " + id, 0, all));
  }

  std::unique_ptr<Transaction> transaction_;
  Executor executor_;
  std::unique_ptr<Queries> queries_;
  std::vector<std::string> rows_;
};

}  // namespace

Aftermath trade_in_pieces(Store& store, Timestamp& clock, const std::vector<TimedCommand>& trades,
                          const std::vector<std::size_t>& cuts) {
  Trading trading(store);
  std::vector<const Command*> piece;
  for (std::size_t i = 0; i < trades.size(); ++i) {
    clock = clock + trades[i].step;
    piece.push_back(&trades[i].command);
    const bool is_last = i + 1 == trades.size();
    const bool clock_moves = !is_last && trades[i + 1].step.count() != 0;
    const bool cut = is_last || clock_moves || std::find(cuts.begin(), cuts.end(), i) != cuts.end();
    if (!cut) continue;
    trading.run(piece);
    trading.check_invariants();
    piece.clear();
  }
  std::vector<std::string> rows = trading.rows(clock);
  return {.answers = std::move(trading.answers), .rows = std::move(rows)};
}

}  // namespace hotrow::test
