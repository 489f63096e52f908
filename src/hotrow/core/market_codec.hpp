#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "hotrow/core/outcome.hpp"

namespace hotrow {

/// The stored forms of the auction's answers. Names and meaning never change; members may be added.

/// Adds the answer under the name of its kind; nothing for an answer of another family.
void add_market_answer(boost::json::object& object, const Outcome& outcome);

/// What add_market_answer() wrote; nullopt for anything else. Listings come without their terms (nullptr):
/// those never change, and whoever replays the answer has the listing's own row at hand.
std::optional<Outcome> market_answer_from(const boost::json::object& object);

/// The listing in an answer; nullptr when there is none.
ListingRow* listing_in(Outcome& outcome);

}  // namespace hotrow
