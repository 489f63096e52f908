#pragma once

#include <boost/json/object.hpp>

#include "hotrow/core/row.hpp"

namespace hotrow {

/// What the events of promotions say: one form, for whoever writes them and for whoever proves them. Pure.

/// Of promotion.winner_determined: `entry` has won a place of `promotion`. Between the winners of one
/// promotion only the members of the entry differ (see tell_entry()).
boost::json::object winner_determined_data(const PromotionRow& promotion, const EntryRow& entry);

/// Puts another entry into the data of promotion.winner_determined.
void tell_entry(boost::json::object& data, const EntryRow& entry);

/// Of promotion.closed. The row is closed.
boost::json::object promotion_closed_data(const PromotionRow& promotion);

/// A promotion as `before` and `after` of promotion.changed.
boost::json::object promotion_view(const PromotionRow& promotion);

}  // namespace hotrow
