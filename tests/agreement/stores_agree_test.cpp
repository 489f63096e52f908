#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hotrow/base/hash.hpp"
#include "hotrow/store/memory_store.hpp"
#include "tests/agreement/open_store.hpp"
#include "tests/support/aftermath.hpp"
#include "tests/support/commands.hpp"
#include "tests/support/generate.hpp"

// The same commands, cut in any way, give the same answers and the same rows on this store as on the
// reference. Built once for each store: open_store() is what differs.
namespace hotrow {
namespace {

RC_GTEST_PROP(Stores, AgreeWithTheReferenceOnAnswersAndRows, ()) {
  static const std::unique_ptr<Store> store = test::open_store([] { return test::opening; });
  const std::string scope = random_hex(6);  // A case of its own within one database.
  const std::vector<std::string> promotions = {scope + "p", scope + "q|r"};
  const auto commands = *test::any_commands(promotions, scope);
  const auto cuts =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, commands.size()));

  const std::unique_ptr<Store> reference = open_memory_store([] { return test::opening; });
  const test::Aftermath expected =
      test::run_in_pieces(*reference, commands, test::every_cut(commands), promotions);
  RC_ASSERT(test::run_in_pieces(*store, commands, cuts, promotions) == expected);
}

}  // namespace
}  // namespace hotrow
