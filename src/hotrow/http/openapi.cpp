#include "hotrow/http/openapi.hpp"
namespace hotrow::http {
std::string openapi_document(std::string_view) { return "{}"; }
}  // namespace hotrow::http
