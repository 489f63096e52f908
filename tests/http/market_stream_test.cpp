#include <gtest/gtest.h>

#include "tests/http/market_world.hpp"

// Server-Sent Events of a listing.
namespace hotrow::test {
namespace {

std::string stream_text(const std::string& listing, const std::string& headers = "") {
  return "GET /v1/listings/" + listing + "/stream HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}

TEST(ListingStream, TellsEveryEventAndEndsBehindTheLast) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  world.deposit("bob", 1000);
  RawClient client(world.port());
  client.send(stream_text("l"));
  std::string text = client.receive_until("event: snapshot");
  EXPECT_NE(text.find("Content-Type: text/event-stream"), std::string::npos);
  client.receive_until("id: 1\nevent: snapshot\ndata: {\"id\":\"l\",\"seller_id\":\"seller\"");
  world.bid("l", "ann", 100);
  client.receive_until("id: 2\nevent: bid_placed\ndata: {\"listing_id\":\"l\",\"bid_id\":\"l:1\"");
  world.bid("l", "bob", 200);
  client.receive_until("id: 4\nevent: outbid\n");
  world.buy("l", "ann");
  text = client.receive_until("\r\n0\r\n\r\n");
  EXPECT_LT(text.find("id: 3\nevent: bid_placed"), text.find("id: 4\nevent: outbid"));
  EXPECT_LT(text.find("id: 5\nevent: outbid"), text.find("id: 6\nevent: sold")) << text;
  EXPECT_TRUE(text.ends_with("\r\n0\r\n\r\n")) << "and the stream is over";
}

TEST(ListingStream, ResumesBehindTheLastEventSeen) {
  MarketWorld world;
  world.list("l");
  world.deposit("ann", 1000);
  for (const int amount : {100, 110, 120}) world.bid("l", "ann", amount);  // Events 2 to 4.
  world.call("POST", "/v1/listings/l/void", R"({"reason":"r"})");
  RawClient client(world.port());
  client.send(stream_text("l", "Last-Event-ID: 2\r\n"));
  const std::string text = client.receive_until("\r\n0\r\n\r\n");
  EXPECT_EQ(text.find("id: 2\n"), std::string::npos);
  EXPECT_LT(text.find("id: 3\nevent: bid_placed"), text.find("id: 4\nevent: bid_placed"));
  EXPECT_LT(text.find("id: 4\nevent: bid_placed"), text.find("id: 5\nevent: voided"));
}

TEST(ListingStream, OfAListingThatIsOverIsItsSnapshot) {
  MarketWorld world;
  world.list("l");
  world.cancel("l");
  for (const std::string header : {"", "Last-Event-ID: 2\r\n", "Last-Event-ID: 99\r\n"}) {
    RawClient client(world.port());
    client.send(stream_text("l", header));
    const std::string text = client.receive_until("\r\n0\r\n\r\n");
    EXPECT_NE(text.find("\"status\":\"cancelled\""), std::string::npos) << header;
    EXPECT_EQ(text.find("event: cancelled"), std::string::npos) << header;
  }
}

TEST(ListingStream, IsRefusedForAListingThatIsNotThere) {
  MarketWorld world;
  EXPECT_EQ(problem_code(world.call("GET", "/v1/listings/l/stream")), "listing_not_found");
  world.list("l");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/listings/l/stream", "", {{"Last-Event-ID", "x"}})),
            "invalid_header");
}

TEST(ListingStream, SharesItsBoundWithThoseOfPromotions) {
  WorldOptions options;
  options.server.limits.streams_max = 1;
  MarketWorld world(options);
  world.put_promotion("l");
  world.list("l");
  RawClient client(world.port());
  client.send(stream_text("l"));
  client.receive_until("event: snapshot");
  EXPECT_EQ(problem_code(world.call("GET", "/v1/promotions/l/stream")), "busy");
}

}  // namespace
}  // namespace hotrow::test
