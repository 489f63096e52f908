#include "hotrow/http/market_answers.hpp"

#include "hotrow/http/market_json.hpp"

namespace hotrow::http {

Response told(const MoneyAnswer& answer) {
  Response response{.status = answer.already ? 200 : 201};
  JsonWriter json(response.body);
  json.begin_object();
  write_wallet(json.key(answer.to ? "from" : "wallet"), answer.wallet);
  if (answer.to) write_wallet(json.key("to"), *answer.to);
  json.key("entry_id").text(entry_id(answer.wallet.id, answer.n)).end_object();
  return response;
}

Response told(const ItemAnswer& answer) {
  Response response{.status = answer.created ? 201 : 200};
  JsonWriter json(response.body);
  write_item(json, answer.item);
  return response;
}

Response told(const ListingAnswer& answer) {
  Response response{.status = answer.created ? 201 : 200, .headers = etag_line(answer.listing.version)};
  JsonWriter json(response.body);
  write_listing(json, listing_view(answer));
  return response;
}

Response told(const BidAnswer& answer) {
  Response response{.status = 201};
  response.body.reserve(1024);
  JsonWriter json(response.body);
  const Lead& bid = answer.bid;
  write_bid(json.begin_object().key("bid"), {.listing = answer.listing.id,
                                             .n = bid.n,
                                             .bidder = bid.bidder,
                                             .amount = bid.amount,
                                             .placed_at = bid.placed_at});
  write_listing(json.key("listing"), listing_view(answer));
  write_wallet(json.key("wallet"), answer.wallet);
  json.end_object();
  return response;
}

Response told(const BuyoutAnswer& answer) {
  Response response;
  JsonWriter json(response.body);
  write_listing(json.begin_object().key("listing"), listing_view(answer));
  write_wallet(json.key("wallet"), answer.wallet);
  json.end_object();
  return response;
}

Response told(const PlayerAnswer& answer) {
  Response response;
  JsonWriter json(response.body);
  write_restrictions(json, answer);
  return response;
}

Response told(const MarketAnswer& answer) {
  Response response;
  JsonWriter json(response.body);
  write_market(json, answer);
  return response;
}

Response told(const PolicyAnswer& answer) {
  Response response;
  if (answer.policy.version > 0) response.headers = etag_line(answer.policy.version);
  JsonWriter json(response.body);
  write_policy(json, answer);
  return response;
}

}  // namespace hotrow::http
