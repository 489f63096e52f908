#include "hotrow/store/memory_store.hpp"

#include "tests/store/conformance.hpp"

namespace hotrow::conformance {
namespace {

class MemoryDatabase final : public TestDatabase {
 public:
  explicit MemoryDatabase(ClockOverride clock) : store_(open_memory_store(std::move(clock))) {}
  Store& store() override { return *store_; }

 private:
  std::unique_ptr<Store> store_;
};

StoreFactory memory_factory() {
  return {.name = "Memory",
          .open = [](ClockOverride clock) { return std::make_unique<MemoryDatabase>(std::move(clock)); }};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance, testing::Values(memory_factory()), name_of_factory);

}  // namespace
}  // namespace hotrow::conformance
