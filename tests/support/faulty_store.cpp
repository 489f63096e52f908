#include "tests/support/faulty_store.hpp"

namespace hotrow::test {
namespace {

/// Runs `step` with the plan's fault around it.
template <class F>
auto strike(const FaultPlan& plan, Step step, F&& run) -> decltype(run()) {
  const std::optional<Fault> fault = plan(step);
  if (fault && fault->strike == Strike::before) return tl::unexpected<Error>(fault->error);
  auto result = run();
  if (fault) return tl::unexpected<Error>(fault->error);
  return result;
}

class FaultyTransaction final : public Transaction {
 public:
  FaultyTransaction(std::unique_ptr<Transaction> inner, const FaultPlan& plan)
      : inner_(std::move(inner)), plan_(plan) {}

  void begin(const AttemptOptions& options) override { inner_->begin(options); }

  Result<Locked> lock(std::span<const Key> keys) override {
    auto result = strike(plan_, Step::lock, [&] { return inner_->lock(keys); });
    if (!result) inner_->rollback();
    return result;
  }

  void apply(std::span<const RowWrite> writes) override { inner_->apply(writes); }

  Result<void> commit() override {
    auto result = strike(plan_, Step::commit, [&] { return inner_->commit(); });
    if (!result) inner_->rollback();
    return result;
  }

  void rollback() noexcept override { inner_->rollback(); }

  Result<Keys> held_by_others(std::span<const Key> keys) override {
    return strike(plan_, Step::held_by_others, [&] { return inner_->held_by_others(keys); });
  }

 private:
  std::unique_ptr<Transaction> inner_;
  const FaultPlan& plan_;
};

class FaultyStore final : public Store {
 public:
  FaultyStore(Store& store, FaultPlan plan) : store_(store), plan_(std::move(plan)) {}

  int writers_max() const override { return store_.writers_max(); }

  Result<std::unique_ptr<Transaction>> open_transaction() override {
    auto inner = strike(plan_, Step::open, [&] { return store_.open_transaction(); });
    if (!inner) return inner;
    return std::make_unique<FaultyTransaction>(std::move(*inner), plan_);
  }

  Result<std::unique_ptr<Queries>> open_queries() override { return store_.open_queries(); }

  Result<CommitFate> resolve(const AttemptId& id, std::chrono::milliseconds budget) override {
    return strike(plan_, Step::resolve, [&] { return store_.resolve(id, budget); });
  }

  Result<void> expire(Timestamp answers_before) override { return store_.expire(answers_before); }

 private:
  Store& store_;
  FaultPlan plan_;
};

}  // namespace

std::unique_ptr<Store> make_faulty(Store& store, FaultPlan plan) {
  return std::make_unique<FaultyStore>(store, std::move(plan));
}

}  // namespace hotrow::test
