#include "hotrow/app/http_url.hpp"

#include <gtest/gtest.h>

namespace hotrow {
namespace {

TEST(HttpUrl, HostAndPortAreFound) {
  EXPECT_EQ(parse_http_url("http://127.0.0.1:8080")->port, "8080");
  EXPECT_EQ(parse_http_url("http://127.0.0.1:8080/")->host, "127.0.0.1");
  EXPECT_EQ(parse_http_url("http://shop.example")->port, "80");
  EXPECT_EQ(parse_http_url("http://[::1]:81")->host, "::1");
  EXPECT_EQ(parse_http_url("http://[::1]:81")->authority, "[::1]:81");
}

TEST(HttpUrl, AnythingElseIsRefused) {
  for (const char* text : {"", "127.0.0.1:8080", "https://shop.example", "http://", "http://host:",
                           "http://host:x", "http://host/path", "http://user@host", "http://:80"}) {
    EXPECT_FALSE(parse_http_url(text)) << text;
  }
}

TEST(HttpUrl, IdsBecomeOneSegmentWhateverTheyHold) {
  EXPECT_EQ(percent_encoded("launch-1.a_b~c"), "launch-1.a_b~c");
  EXPECT_EQ(percent_encoded("a/b?c#d|e %"), "a%2Fb%3Fc%23d%7Ce%20%25");
  EXPECT_EQ(percent_encoded("\xED\x95\x9C"), "%ED%95%9C");
}

}  // namespace
}  // namespace hotrow
