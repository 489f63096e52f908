#include <gtest/gtest.h>

#include "hotrow/http/target.hpp"
#include "tests/http/http_world.hpp"

// What nobody sends by accident.
namespace hotrow::test {
namespace {

using http::percent_encode;

std::string quoted(const std::string& id) {
  std::string text;
  for (const char c : id) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return "\"" + text + "\"";
}

TEST(HostileIds, EveryIdIsItselfInPathsAndBodies) {
  HttpWorld world;
  const std::vector<std::string> ids = {std::string(128, 'x'),
                                        "🎉🎉",
                                        "J\xC3\xBCrgen",
                                        "Ju\xCC\x88rgen",
                                        "a|b",
                                        "\"quoted\"",
                                        "back\\slash",
                                        "guild:5",
                                        "../..",
                                        "a/b?c#d",
                                        "%00",
                                        " ",
                                        "+",
                                        "o'; DROP TABLE entry; --",
                                        "테스트",
                                        "tést\xE2\x80\x8B",
                                        "{user_id}",
                                        "batch"};
  for (const std::string& promotion : ids) {
    ASSERT_EQ(world.put_promotion(percent_encode(promotion)).status, 201) << promotion;
    const ProbeAnswer found = world.call("GET", "/v1/promotions/" + percent_encode(promotion));
    EXPECT_EQ(text_member(object_of(found), "id"), promotion);
  }
  std::int64_t ordinal = 0;
  for (const std::string& user : ids) {
    const ProbeAnswer entered = world.call("POST", "/v1/promotions/" + percent_encode(ids[1]) + "/entries",
                                           "{\"user_id\":" + quoted(user) + "}");
    ASSERT_EQ(entered.status, 201) << user << " " << entered.body;
    EXPECT_EQ(integer_member(object_of(entered), "ordinal"), ++ordinal) << "NFC and NFD are two users";
    const ProbeAnswer found =
        world.call("GET", "/v1/promotions/" + percent_encode(ids[1]) + "/entries/" + percent_encode(user));
    EXPECT_EQ(integer_member(object_of(found), "ordinal"), ordinal) << user;
    EXPECT_EQ(text_member(object_of(found), "user_id"), user);
  }
}

TEST(HostileIds, WhatIsNoIdIs400InThePath) {
  HttpWorld world;
  for (const std::string& id :
       {std::string("%00"), std::string("a%00b"), std::string("%ff"), std::string("%c0%80"),
        std::string("%ed%a0%80"), std::string("%"), std::string("%zz"), std::string("%1"), std::string("%0a"),
        std::string("%c2%85"), std::string(129, 'x'), std::string()}) {
    for (const std::string& path : {"/v1/promotions/" + id + "/entries/u", "/v1/promotions/p/entries/" + id,
                                    "/v1/promotions/" + id, "/v1/promotions/" + id + "/winners/1"}) {
      const ProbeAnswer answer = world.call("GET", path);
      EXPECT_EQ(answer.status, 400) << path;
      EXPECT_EQ(problem_code(answer), "invalid_path") << path;
    }
    EXPECT_EQ(world.put_promotion(id).status, 400) << id;
  }
}

TEST(HostileIds, WhatIsNoIdIs422InTheBody) {
  HttpWorld world;
  world.put_promotion("p");
  for (const std::string& user :
       {std::string("\"\""), std::string("\"\\u0000\""), std::string("\"a\\u001fb\""),
        "\"" + std::string(129, 'x') + "\"", std::string("5"), std::string("null"), std::string("[\"u\"]")}) {
    const ProbeAnswer answer = world.call("POST", "/v1/promotions/p/entries", "{\"user_id\":" + user + "}");
    EXPECT_EQ(answer.status, 422) << user;
    EXPECT_EQ(error_fields(answer), "user_id") << user;
  }
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/entries", "{\"user_id\":\"\xff\"}").status, 400);
}

TEST(HostileBodies, WhatIsNoJsonObjectIs400) {
  HttpWorld world;
  world.put_promotion("p");
  std::string deep = "{\"user_id\":";
  deep += std::string(20'000, '[') + std::string(20'000, ']') + "}";
  for (const std::string& body :
       {std::string("user_id=u"), std::string("[]"), std::string("\"u\""),
        std::string("{\"user_id\":\"u\"} x"), std::string("{\"user_id\":\"u\",\"user_id\":\"u\"}"),
        std::string("{\"user_id\":\"u\""), deep, std::string("{\"user_id\":\"\\ud800\"}"),
        std::string("\0", 1)}) {
    const ProbeAnswer answer = world.call("POST", "/v1/promotions/p/entries", body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 50);
    EXPECT_EQ(problem_code(answer), "invalid_json");
  }
  RawClient client(world.port());
  client.send("POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(problem_code(client.receive()), "invalid_json") << "no body at all";
}

TEST(HostileBodies, WhatIsWrongWithMembersIs422WithAllOfThem) {
  HttpWorld world;
  const ProbeAnswer answer = world.call("PUT", "/v1/promotions/p",
                                        R"({"title":7,"rule":{"kind":"nth","targets":[1e3,9007199254740992]},
        "starts_at":"2026-06-01","buyout":1})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(problem_code(answer), "validation_failed");
  EXPECT_EQ(error_fields(answer), "title rule.targets[0] rule.targets[1] starts_at buyout");
}

TEST(HostileBodies, OtherMediaTypesAre415) {
  HttpWorld world;
  RawClient client(world.port());
  client.send(
      "POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: "
      "2\r\n\r\n{}"
      "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(problem_code(client.receive()), "unsupported_media_type");
  EXPECT_EQ(client.receive().status, 200) << "the connection goes on";
}

TEST(HostileBodies, CodingsAndCharsetsAre415) {
  HttpWorld world;
  world.put_promotion("p");
  const auto status = [&](const std::string& header) {
    RawClient client(world.port());
    client.send("POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\n" + header +
                "\r\nContent-Length: 15\r\n\r\n{\"user_id\":\"u\"}");
    return client.receive().status;
  };
  EXPECT_EQ(status("Content-Encoding: gzip"), 415);
  EXPECT_EQ(status("Content-Encoding: identity, gzip"), 415);
  EXPECT_EQ(status("Content-Type: application/json; charset=euc-kr"), 415);
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/entries/u").status, 404) << "and nothing was done";
  EXPECT_EQ(status("Content-Encoding: Identity"), 201);
}

TEST(HostileRequests, TheTermsThatAreAnnouncedFitHoweverTheyAreWritten) {
  HttpWorld world;
  std::string plain;
  std::string escaped;
  for (int i = 0; i < 32768; ++i) plain += "정";
  for (int i = 0; i < 32768; ++i) escaped += "\\uc815";
  const ProbeAnswer put = world.put_promotion("plain", R"(,"terms":")" + plain + "\"");
  EXPECT_EQ(put.status, 201) << put.body.substr(0, 300);
  EXPECT_EQ(world.put_promotion("escaped", R"(,"terms":")" + escaped + "\"").status, 201);
  EXPECT_EQ(text_member(object_of(world.call("GET", "/v1/promotions/escaped")), "terms"), plain);
  RawClient client(world.port());
  client.send("PUT /v1/promotions/p HTTP/1.1\r\nHost: h\r\nContent-Length: 262145\r\n\r\n");
  EXPECT_EQ(problem_code(client.receive()), "payload_too_large");
}

TEST(HostileRequests, SmugglingIs400AndTheEnd) {
  HttpWorld world;
  for (const std::string framing :
       {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "Transfer-Encoding: gzip\r\n",
        "Content-Length: 4\r\nContent-Length: 5\r\n"}) {
    RawClient client(world.port());
    client.send("POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\n" + framing +
                "\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    const ProbeAnswer answer = client.receive();
    EXPECT_EQ(answer.status, 400) << framing;
    EXPECT_EQ(problem_code(answer), "invalid_request");
    EXPECT_TRUE(answer.closes());
    EXPECT_TRUE(client.is_closed_by_server()) << "nothing behind it is read as a request";
  }
}

TEST(HostileRequests, NoiseIsRefused) {
  HttpWorld world;
  for (const std::string noise : {"\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03 hello hello hello\r\n\r\n",
                                  "hello\r\n\r\n", "GET\r\n\r\n", " GET / HTTP/1.1\r\n\r\n"}) {
    RawClient client(world.port());
    client.send(noise);
    EXPECT_GE(client.receive().status, 400);
    EXPECT_TRUE(client.is_closed_by_server());
  }
  RawClient half(world.port());
  half.send("POST /v1/promotions/p/entries HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\n{\"user");
  half.finish_sending();
  EXPECT_TRUE(half.is_closed_by_server()) << "half a request gets no answer";
}

TEST(HostileRequests, HeadersThatACallUsesMustBeRight) {
  HttpWorld world;
  world.put_promotion("p");
  const auto code = [&](std::string name, std::string value) {
    return problem_code(world.enter("p", "u", {{std::move(name), std::move(value)}}));
  };
  EXPECT_EQ(code("Idempotency-Key", ""), "idempotency_key_invalid");
  EXPECT_EQ(code("Idempotency-Key", "a b"), "idempotency_key_invalid");
  EXPECT_EQ(code("Idempotency-Key", std::string(256, 'k')), "idempotency_key_invalid");
  EXPECT_EQ(
      problem_code(world.call("POST", "/v1/promotions/p/pause", R"({"reason":"r"})", {{"If-Match", "4"}})),
      "invalid_header");
  const ProbeAnswer twice = world.enter("p", "u", {{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}});
  EXPECT_EQ(problem_code(twice), "invalid_header");
  EXPECT_EQ(world.call("GET", "/v1/promotions/p/entries/u").status, 404) << "and nothing was done";
}

TEST(HostileRequests, QueriesAreTakenAtTheirWord) {
  HttpWorld world;
  world.put_promotion("p");
  for (const std::string target :
       {"/v1/promotions?limit=0", "/v1/promotions?limit=1001", "/v1/promotions?limit=ten",
        "/v1/promotions?limit=", "/v1/promotions?limit=1&limit=2", "/v1/promotions?states=open",
        "/v1/promotions?state=ajar", "/v1/promotions/p?x=1", "/v1/promotions/p/entries/u?wait_s=31",
        "/v1/promotions/p/entries/u?wait_s=-1", "/v1/promotions/p/export?format=xml",
        "/v1/events?types=promotion.won", "/v1/events?types=", "/v1/promotions?state=%zz",
        "/healthz?verbose"}) {
    const ProbeAnswer answer = world.call("GET", target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(problem_code(answer), "invalid_query") << target;
  }
}

}  // namespace
}  // namespace hotrow::test
