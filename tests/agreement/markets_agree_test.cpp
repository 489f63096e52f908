#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "hotrow/store/memory_store.hpp"
#include "tests/agreement/market_aftermath.hpp"
#include "tests/agreement/open_store.hpp"
#include "tests/support/commands.hpp"

// The same trades, cut in any way, give the same answers and the same rows on this store as on the reference,
// and leave every invariant whole after each transaction.
namespace hotrow {
namespace {

RC_GTEST_PROP(Markets, AgreeWithTheReferenceOnAnswersAndRows, ()) {
  const auto trades = *test::any_trades();
  const auto cuts =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, trades.size()));
  std::vector<std::size_t> every_cut(trades.size());
  std::iota(every_cut.begin(), every_cut.end(), std::size_t{0});

  Timestamp clock = test::opening;
  const std::unique_ptr<Store> reference = open_memory_store([&] { return clock; });
  const test::Aftermath expected = test::trade_in_pieces(*reference, clock, trades, every_cut);

  clock = test::opening;
  const std::unique_ptr<Store> store = test::open_empty_store([&] { return clock; });
  RC_ASSERT(test::trade_in_pieces(*store, clock, trades, cuts) == expected);
}

}  // namespace
}  // namespace hotrow
