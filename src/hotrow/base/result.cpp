#include "hotrow/base/result.hpp"

namespace hotrow {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid: return "invalid";
    case ErrorKind::overloaded: return "overloaded";
    case ErrorKind::conflict: return "conflict";
    case ErrorKind::held: return "held";
    case ErrorKind::transient: return "transient";
    case ErrorKind::in_doubt: return "in_doubt";
    case ErrorKind::fatal: return "fatal";
  }
  return "unknown";
}

}  // namespace hotrow
