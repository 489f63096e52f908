#include "hotrow/app/version.hpp"

namespace hotrow {

std::string_view program_version() { return HOTROW_VERSION; }

}  // namespace hotrow
