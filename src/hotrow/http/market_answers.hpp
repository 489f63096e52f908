#pragma once

#include "hotrow/core/outcome.hpp"
#include "hotrow/http/response.hpp"

// What the auction's commands are told. Pure functions of the outcome, so that a stored one is told again
// byte for byte.
namespace hotrow::http {

Response told(const MoneyAnswer& answer);
Response told(const ItemAnswer& answer);
Response told(const ListingAnswer& answer);
Response told(const BidAnswer& answer);
Response told(const BuyoutAnswer& answer);
Response told(const PlayerAnswer& answer);
Response told(const MarketAnswer& answer);
Response told(const PolicyAnswer& answer);

}  // namespace hotrow::http
