#pragma once

namespace hotrow {

/// Prints the failed condition and its place to stderr and aborts. Never returns.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace hotrow

/// A bug, never an input: on in every build, because a process that goes on with a broken invariant
/// moves somebody's money. Bad input is a Rejection, a failing machine is a Result.
#define HOTROW_ASSERT(condition)                       \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::hotrow::assertion_failed(#condition, __FILE__, __LINE__))
