#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hotrow/store/memory_store.hpp"
#include "tests/support/aftermath.hpp"
#include "tests/support/commands.hpp"
#include "tests/support/generate.hpp"

// The property on which combining rests: how a list of commands is cut into batches changes neither an answer
// nor a row. Made ids and places count commands, never batches. tests/agreement asks the same of other
// stores.
namespace hotrow {
namespace {

const std::vector<std::string> promotions = {"p", "q|r"};

test::Aftermath run(const std::vector<Command>& commands, const std::vector<std::size_t>& cuts) {
  const std::unique_ptr<Store> store = open_memory_store([] { return test::opening; });
  return test::run_in_pieces(*store, commands, cuts, promotions);
}

RC_GTEST_PROP(Splitting, ABatchChangesNeitherAnswersNorRows, ()) {
  const auto commands = *test::any_commands(promotions, "");
  const auto cuts =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, commands.size()));
  const test::Aftermath one_by_one = run(commands, test::every_cut(commands));
  RC_ASSERT(run(commands, {}) == one_by_one);
  RC_ASSERT(run(commands, cuts) == one_by_one);
}

}  // namespace
}  // namespace hotrow
