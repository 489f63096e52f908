#include "hotrow/store/store.hpp"

namespace hotrow {

std::string to_string(const AttemptId& id) { return id.server + "/" + std::to_string(id.number); }

}  // namespace hotrow
