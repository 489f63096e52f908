#pragma once

#include <memory>

#include "hotrow/store/memory_tables.hpp"
#include "hotrow/store/store.hpp"

namespace hotrow {

/// The read port by plain loops: what the other stores' SQL must agree with.
std::unique_ptr<Queries> make_memory_queries(std::shared_ptr<const Guarded<MemoryTables>> tables,
                                             ClockOverride clock);

}  // namespace hotrow
