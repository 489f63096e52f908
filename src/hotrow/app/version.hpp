#pragma once

#include <string_view>

namespace hotrow {

/// "0.1.0", as CMake's project() has it.
std::string_view program_version();

}  // namespace hotrow
