#pragma once

#include <memory>

#include "hotrow/store/store.hpp"

namespace hotrow::test {

/// A fresh, empty store of the kind under test, with this clock.
std::unique_ptr<Store> open_store(ClockOverride clock);

/// The same for one case of many: the store of the case before must be gone.
std::unique_ptr<Store> open_empty_store(ClockOverride clock);

}  // namespace hotrow::test
