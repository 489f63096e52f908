#include "hotrow/http/item_input.hpp"

#include "hotrow/http/strict_json.hpp"

namespace hotrow::http {

ItemFacts read_item_facts(Members& in, std::string id) {
  ItemFacts facts{.id = std::move(id)};
  facts.family = in.id("family").value_or("");
  const boost::json::object* attributes = in.object("attributes", Presence::optional);
  if (attributes == nullptr) return facts;
  facts.attributes = canonical_json(*attributes);
  if (facts.attributes.size() > attributes_bytes_max) {
    in.error("attributes", "must be at most 16384 bytes without white space");
  }
  return facts;
}

}  // namespace hotrow::http
