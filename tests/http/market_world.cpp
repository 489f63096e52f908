#include "tests/http/market_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "hotrow/http/json_text.hpp"
#include "hotrow/http/target.hpp"

namespace hotrow::test {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  http::append_json_string(out, text);
  return out;
}

std::string listing_path(std::string_view listing, std::string_view action) {
  return "/v1/listings/" + http::percent_encode(listing) + "/" + std::string(action);
}

}  // namespace

ProbeAnswer MarketWorld::post(std::string_view target, std::string_view body, ProbeHeaders headers) {
  const auto is_key = [](const auto& header) { return header.first == "Idempotency-Key"; };
  if (std::ranges::none_of(headers, is_key)) {
    headers.emplace_back("Idempotency-Key", "key-" + std::to_string(++keys_));
  }
  return call("POST", target, body, headers);
}

ProbeAnswer MarketWorld::deposit(std::string_view player, std::int64_t amount) {
  return post("/v1/players/" + http::percent_encode(player) + "/wallet/deposits",
              R"({"amount":)" + std::to_string(amount) + "}");
}

ProbeAnswer MarketWorld::put_item(std::string_view id, std::string_view owner) {
  return call("PUT", "/v1/items/" + http::percent_encode(id),
              R"({"family":"sword","attributes":{"b":[1,{"d":2,"c":null}],"a":"x"},"owner":)" +
                  json_string(owner) + "}");
}

ProbeAnswer MarketWorld::list(std::string_view id, std::string_view seller, std::string_view more_members) {
  deposit(seller, 100);
  std::string body = R"({"start_price":100,"duration_seconds":3600,"id":)" + json_string(id);
  body += R"(,"seller_id":)" + json_string(seller) + R"(,"item":{"family":"sword","id":)";
  body += json_string("item of " + std::string(id)) + "}" + std::string(more_members) + "}";
  return post("/v1/listings", body);
}

ProbeAnswer MarketWorld::bid(std::string_view listing, std::string_view bidder, std::int64_t amount,
                             const ProbeHeaders& headers) {
  return post(listing_path(listing, "bids"),
              R"({"bidder_id":)" + json_string(bidder) + R"(,"amount":)" + std::to_string(amount) + "}",
              headers);
}

ProbeAnswer MarketWorld::buy(std::string_view listing, std::string_view buyer) {
  return post(listing_path(listing, "buyout"), R"({"buyer_id":)" + json_string(buyer) + "}");
}

ProbeAnswer MarketWorld::cancel(std::string_view listing, std::string_view seller) {
  return post(listing_path(listing, "cancel"), R"({"seller_id":)" + json_string(seller) + "}");
}

ProbeAnswer MarketWorld::put_policy(std::string_view policy, std::string_view body) {
  return call("PUT", "/v1/policies/" + std::string(policy), body);
}

ProbeAnswer MarketWorld::get_policy(std::string_view policy) {
  return call("GET", "/v1/policies/" + std::string(policy));
}

std::string MarketWorld::gold(std::string_view player) {
  const boost::json::object wallet =
      object_of(call("GET", "/v1/players/" + http::percent_encode(player) + "/wallet"));
  return std::to_string(integer_member(wallet, "available")) + "/" +
         std::to_string(integer_member(wallet, "held"));
}

std::string ids_of(const ProbeAnswer& page, std::string_view member) {
  std::string ids;
  const boost::json::object body = object_of(page);
  const boost::json::value* items = body.if_contains("items");
  EXPECT_NE(items, nullptr) << page.body;
  if (items == nullptr) return ids;
  for (const boost::json::value& item : items->as_array()) {
    const boost::json::value& value = item.at(member);
    if (!ids.empty()) ids += ' ';
    ids += value.is_string() ? std::string(value.get_string()) : boost::json::serialize(value);
  }
  return ids;
}

std::string walk(HttpWorld& world, const std::string& target, int limit, std::string_view member) {
  const std::string first = target + (target.find('?') == std::string::npos ? '?' : '&') + "limit=";
  std::string ids;
  std::string cursor;
  for (int pages = 0; pages < 100; ++pages) {
    const ProbeAnswer page =
        world.call("GET", first + std::to_string(limit) + (cursor.empty() ? "" : "&cursor=" + cursor));
    const std::string found = ids_of(page, member);
    if (!ids.empty() && !found.empty()) ids += ' ';
    ids += found;
    const boost::json::object body = object_of(page);
    if (body.at("next_cursor").is_null()) return ids;
    cursor = text_member(body, "next_cursor");
  }
  ADD_FAILURE() << target << " does not end";
  return ids;
}

}  // namespace hotrow::test
