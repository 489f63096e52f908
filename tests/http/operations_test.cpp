#include <gtest/gtest.h>

#include "hotrow/http/event_types.hpp"
#include "hotrow/http/problem.hpp"
#include "hotrow/http/readiness.hpp"
#include "tests/http/http_world.hpp"

// What the server says of itself.
namespace hotrow::test {
namespace {

TEST(Operations, EveryProblemHasItsPageForPeopleAndPrograms) {
  HttpWorld world;
  for (const http::ProblemKind& kind : http::problem_kinds()) {
    const std::string target = "/problems/" + http::with_hyphens(kind.code);
    const ProbeAnswer json = world.call("GET", target);
    EXPECT_EQ(text_member(object_of(json), "code"), kind.code);
    const ProbeAnswer html = world.call("GET", target, "", {{"Accept", "text/html,*/*"}});
    EXPECT_TRUE(html.header("content-type").starts_with("text/html"));
    EXPECT_NE(html.body.find(kind.title), std::string::npos);
  }
  EXPECT_EQ(world.call("GET", "/problems/no-such-thing").status, 404);
}

TEST(Operations, AnUnknownPathIs404AndAnotherMethod405) {
  HttpWorld world;
  EXPECT_EQ(problem_code(world.call("GET", "/v2/promotions")), "not_found");
  EXPECT_EQ(problem_code(world.call("GET", "*")), "not_found");
  const ProbeAnswer answer = world.call("DELETE", "/v1/promotions/p");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("allow"), "GET, HEAD, PUT");
  EXPECT_EQ(world.call("POST", "/v1/promotions/p/entries/u", "{}").header("allow"), "GET, HEAD");
}

TEST(Operations, MetricsAndSchemasAreServed) {
  HttpWorld world;
  EXPECT_EQ(world.call("GET", "/metrics").body, "up 1\n");
  for (const http::EventType& type : http::event_types()) {
    const std::string target = "/schemas/" + std::string(type.type) + "/1";
    EXPECT_EQ(text_member(object_of(world.call("GET", target)), "$id"), target);
  }
  EXPECT_EQ(world.call("GET", "/schemas/promotion.won/1").status, 404);
  EXPECT_EQ(world.call("GET", "/").status, 200);
}

TEST(Operations, ReadinessTurnsAtTheThirdFailureInARow) {
  http::Readiness readiness;
  EXPECT_TRUE(readiness.is_ready());
  readiness.record_failure();
  readiness.record_failure();
  EXPECT_TRUE(readiness.is_ready());
  readiness.record_success();
  readiness.record_failure();
  readiness.record_failure();
  EXPECT_TRUE(readiness.is_ready());
  readiness.record_failure();
  EXPECT_FALSE(readiness.is_ready());
  readiness.record_success();
  EXPECT_TRUE(readiness.is_ready());
  readiness.begin_drain();
  readiness.record_success();
  EXPECT_FALSE(readiness.is_ready());
}

}  // namespace
}  // namespace hotrow::test
