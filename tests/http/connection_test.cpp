#include <gtest/gtest.h>

#include <thread>

#include "tests/http/http_world.hpp"

// What the layer does with bytes, connections and their order.
namespace hotrow::test {
namespace {

const std::string health = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";

std::string enter_text(const std::string& user, const std::string& promotion = "p") {
  return request_text("POST", "/v1/promotions/" + promotion + "/entries", "{\"user_id\":\"" + user + "\"}");
}

TEST(Connection, ServesManyRequestsOneAfterTheOther) {
  HttpWorld world;
  RawClient client(world.port());
  for (int i = 0; i < 100; ++i) {
    client.send(health);
    EXPECT_EQ(client.receive().status, 200);
  }
}

TEST(Connection, AnswersPipelinedRequestsInTheirOrder) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  std::string all;
  for (int i = 0; i < 200; ++i) all += enter_text("u" + std::to_string(i)) + health;
  client.send(all);
  for (int i = 0; i < 200; ++i) {
    const boost::json::object entry = object_of(client.receive());
    EXPECT_EQ(text_member(entry, "user_id"), "u" + std::to_string(i));
    EXPECT_EQ(integer_member(entry, "ordinal"), i + 1) << "places follow the order of the requests";
    EXPECT_EQ(text_member(object_of(client.receive()), "status"), "ok");
  }
}

TEST(Connection, ReadsARequestThatComesByteByByte) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  for (const char byte : enter_text("u")) client.send({&byte, 1});
  EXPECT_EQ(client.receive().status, 201);
}

TEST(Connection, ReadsChunkedBodies) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(
      "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\n{\"use\r\nb\r\nr_id\":\"abc\"\r\n1\r\n}\r\n0\r\n\r\n" +
      health);
  EXPECT_EQ(text_member(object_of(client.receive()), "user_id"), "abc");
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Connection, SaysContinueToWhoWaitsForIt) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(
      "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: "
      "15\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("{\"user_id\":\"u\"}");
  EXPECT_EQ(client.receive().status, 201);
}

TEST(Connection, RefusesBeforeABodyThatWasOnlyExpected) {
  HttpWorld world({.with_keys = true});
  RawClient client(world.port());
  client.send(
      "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: "
      "15\r\n\r\n");
  const ProbeAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 401);
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(Connection, AnotherExpectationIs417) {
  HttpWorld world;
  RawClient client(world.port());
  client.send(
      "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nContent-Length: 15\r\n\r\n");
  EXPECT_EQ(client.receive().status, 417);
}

TEST(Connection, HeadHasTheHeadersAndNoBody) {
  HttpWorld world;
  RawClient client(world.port());
  client.send("HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n" + health);
  const std::string bytes = client.receive_until("{\"status\":\"ok\"}");
  EXPECT_EQ(bytes.find("Content-Length: 15"), bytes.find("Content-Length"));
  EXPECT_EQ(bytes.find("\r\n\r\nHTTP/1.1 200 OK"), bytes.find("\r\n\r\n")) << bytes;
}

TEST(Connection, ClosesWhenTheClientWishes) {
  HttpWorld world;
  RawClient client(world.port());
  client.send("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.receive().closes());
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(Connection, Http10ClosesUnlessAskedToStay) {
  HttpWorld world;
  RawClient leaving(world.port());
  leaving.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(leaving.receive().closes());
  EXPECT_TRUE(leaving.is_closed_by_server());
  RawClient staying(world.port());
  staying.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(staying.receive().header("connection"), "keep-alive");
  staying.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(staying.receive().status, 200);
}

TEST(Connection, AnswersAClientThatHasFinishedSending) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient client(world.port());
  client.send(enter_text("u") + health);
  client.finish_sending();
  EXPECT_EQ(client.receive().status, 201);
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(Connection, AClientThatLeavesCancelsNothing) {
  HttpWorld world;
  world.put_promotion("p");
  {
    RawClient client(world.port());
    client.send(enter_text("gone"));
  }
  // The same user again joins behind the first command, whenever that is decided.
  std::int64_t ordinal = 0;
  while (ordinal == 0) {
    const ProbeAnswer answer = world.call("GET", "/v1/promotions/p/entries/gone");
    if (answer.status == 200) ordinal = integer_member(object_of(answer), "ordinal");
  }
  EXPECT_EQ(ordinal, 1);
}

TEST(Connection, TooLargeBodiesAndHeadersAreToldSo) {
  HttpWorld world;
  RawClient body(world.port());
  body.send("POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n");
  body.send(std::string(65537, ' '));
  EXPECT_EQ(problem_code(body.receive()), "payload_too_large");
  EXPECT_TRUE(body.is_closed_by_server());

  RawClient header(world.port());
  header.send("GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + std::string(9000, 'x'));
  EXPECT_EQ(problem_code(header.receive()), "header_too_large");
  EXPECT_TRUE(header.is_closed_by_server());
}

TEST(Connection, ABatchMayHaveAMegabyte) {
  HttpWorld world;
  world.put_promotion("p");
  const std::string users = "{\"user_ids\":[\"u\"" + std::string(900'000, ' ') + "]}";
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/entries/batch", users).status, 200);
  RawClient client(world.port());
  client.send("POST /v1/promotions/p/entries/batch HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n");
  EXPECT_EQ(problem_code(client.receive()), "payload_too_large");
}

TEST(Connection, SlowSendersAreTimedOut) {
  WorldOptions options;
  options.server.limits.read_timeout = std::chrono::milliseconds(50);
  HttpWorld world(options);
  for (const std::string part :
       {"GET /hea", "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{"}) {
    RawClient client(world.port());
    client.send(part);
    const ProbeAnswer answer = client.receive();
    EXPECT_EQ(problem_code(answer), "request_timeout");
    EXPECT_TRUE(answer.closes());
    EXPECT_TRUE(client.is_closed_by_server());
  }
}

TEST(Connection, IdleConnectionsAreClosedInSilence) {
  WorldOptions options;
  options.server.limits.idle_timeout = std::chrono::milliseconds(50);
  HttpWorld world(options);
  RawClient fresh(world.port());
  RawClient used(world.port());
  used.send(health);
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_TRUE(used.is_closed_by_server());
  EXPECT_TRUE(fresh.is_closed_by_server());
}

TEST(Connection, EmptyLinesKeepNoIdleConnectionOpen) {
  WorldOptions options;
  options.server.limits.idle_timeout = std::chrono::milliseconds(200);
  HttpWorld world(options);
  RawClient client(world.port());
  client.send("\r");
  client.send("\n\r\n" + health);
  EXPECT_EQ(client.receive().status, 200) << "they are skipped, however they are cut";
  std::jthread drip([&client](const std::stop_token& stop) {
    for (int i = 0; i < 100'000 && !stop.stop_requested(); ++i) {
      client.send("\r\n");
      std::this_thread::yield();
    }
  });
  const auto began_at = std::chrono::steady_clock::now();
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_LT(std::chrono::steady_clock::now() - began_at, std::chrono::seconds(2));
}

TEST(Connection, OneTooManyIsToldToComeAgain) {
  WorldOptions options;
  options.server.limits.connections_max = 2;
  HttpWorld world(options);
  RawClient first(world.port());
  RawClient second(world.port());
  first.send(health);
  second.send(health);
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.receive().status, 200);
  RawClient third(world.port());
  const ProbeAnswer answer = third.receive();
  EXPECT_EQ(problem_code(answer), "busy");
  EXPECT_FALSE(answer.header("retry-after").empty());
  const std::string id = answer.header("x-request-id");
  EXPECT_EQ(text_member(object_of(answer), "request_id"), id);
  EXPECT_GT(id.size(), 8U) << id;
  RawClient fourth(world.port());
  EXPECT_NE(fourth.receive().header("x-request-id"), id);
}

TEST(Connection, AClientThatReadsNothingHoldsNobodyUp) {
  WorldOptions options;
  options.server.limits.send_buffer_bytes_max = 4096;
  HttpWorld world(options);
  RawClient deaf(world.port());
  std::string many;
  for (int i = 0; i < 20; ++i) many += "GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n";
  deaf.send(many);
  EXPECT_EQ(world.call("GET", "/healthz").status, 200);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(deaf.receive().status, 200) << "all of them come once it reads";
}

TEST(Connection, ServesFromSeveralThreads) {
  WorldOptions options;
  options.server.io_threads = 3;
  HttpWorld world(options);
  world.put_promotion("p");
  std::vector<std::jthread> clients;
  std::atomic<int> created = 0;
  for (int c = 0; c < 6; ++c) {
    clients.emplace_back([&world, &created, c] {
      RawClient client(world.port());
      for (int i = 0; i < 50; ++i) {
        client.send(enter_text("u" + std::to_string(c) + "-" + std::to_string(i)));
        if (client.receive().status == 201) ++created;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(created, 300);
  EXPECT_EQ(integer_member(object_of(world.call("GET", "/v1/promotions/p")), "entries"), 300);
}

TEST(Connection, DrainingAnswersAndThenCloses) {
  HttpWorld world;
  RawClient client(world.port());
  client.send(health);
  EXPECT_FALSE(client.receive().closes());
  world.server().begin_drain();
  EXPECT_EQ(world.call("GET", "/readyz").status, 503);
  client.send(health);
  const ProbeAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 200) << "it still serves";
  EXPECT_TRUE(answer.closes()) << "and sends clients elsewhere";
}

TEST(Connection, StoppingAnswersWhatWasTaken) {
  HttpWorld world;
  world.put_promotion("p");
  RawClient idle(world.port());
  RawClient busy(world.port());
  busy.send(enter_text("u"));
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/entries/nobody").status, 404);
  world.server().stop();
  EXPECT_EQ(busy.receive().status, 201);
  EXPECT_TRUE(busy.is_closed_by_server());
  EXPECT_TRUE(idle.is_closed_by_server());
  world.server().stop();
}

}  // namespace
}  // namespace hotrow::test
