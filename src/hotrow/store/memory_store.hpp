#pragma once

#include <memory>

#include "hotrow/store/store.hpp"

namespace hotrow {

/// The reference: what the other stores must do, said with plain containers and loops. One writer. For tests
/// and simulation; nothing survives the process.
std::unique_ptr<Store> open_memory_store(ClockOverride clock = nullptr);

}  // namespace hotrow
