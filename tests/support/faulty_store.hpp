#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "hotrow/store/store.hpp"

namespace hotrow::test {

/// Where in an attempt a fault strikes.
enum class Step { lock, commit, held_by_others, resolve, open };

/// Before: the step does not happen. After: it happens, and its answer is lost.
enum class Strike { before, after };

struct Fault {
  Error error;
  Strike strike = Strike::before;
};

/// Asked at every step; nullopt lets it pass. Called from whatever thread is at work.
using FaultPlan = std::function<std::optional<Fault>(Step)>;

/// Any store, failing where the plan says so.
std::unique_ptr<Store> make_faulty(Store& store, FaultPlan plan);

}  // namespace hotrow::test
