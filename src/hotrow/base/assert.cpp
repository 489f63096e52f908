#include "hotrow/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace hotrow {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "hotrow: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace hotrow
