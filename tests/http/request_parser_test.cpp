#include "hotrow/http/request_parser.hpp"

#include <gtest/gtest.h>

namespace hotrow::http {
namespace {

struct Parsed {
  ParseState state = ParseState::needs_more;
  std::string code;
  Request request;
  std::size_t left = 0;
};

/// Feeds `text` in pieces of `step` bytes, as a connection does: what is not used comes again.
Parsed parse(std::string_view text, std::size_t step = 1'000'000, std::size_t body_max = 100) {
  Parsed parsed;
  RequestParser parser(parsed.request, 512);
  std::string rest;
  while (parsed.state == ParseState::needs_more || parsed.state == ParseState::header_done) {
    const RequestParser::Step result = parser.parse(rest);
    parsed.state = result.state;
    rest.erase(0, result.used);
    if (parsed.state == ParseState::header_done) parser.admit_body(body_max);
    if (parsed.state != ParseState::needs_more) continue;
    if (text.empty()) break;
    rest += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
  parsed.left = rest.size() + text.size();
  if (parsed.state == ParseState::refused) parsed.code = parser.problem().code;
  return parsed;
}

std::string code_of(std::string_view text) { return parse(text).code; }

TEST(RequestParser, ReadsARequestHoweverItIsCut) {
  const std::string text =
      "POST /v1/x?y=z HTTP/1.1\r\nHost: h\r\nIDEMPOTENCY-KEY: k1\r\nContent-Length: 5\r\n\r\nhelloNEXT";
  for (std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, text.size()}) {
    const Parsed parsed = parse(text, step);
    ASSERT_EQ(parsed.state, ParseState::complete) << step;
    EXPECT_EQ(parsed.request.method, Method::post);
    EXPECT_EQ(parsed.request.target, "/v1/x?y=z");
    EXPECT_EQ(parsed.request.value(Header::idempotency_key), "k1");
    EXPECT_EQ(parsed.request.body, "hello");
    EXPECT_TRUE(parsed.request.keeps_alive);
    EXPECT_EQ(parsed.left, 4U) << step;
  }
}

TEST(RequestParser, ReadsChunksHoweverTheyAreCut) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string body :
       {"0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: t\r\n\r\n",
        "1\r\na\r\n1\r\nb\r\n00\r\n\r\n"}) {
    for (std::size_t step = 1; step <= 12; ++step) {
      const Parsed parsed = parse(head + body + "GET", step);
      EXPECT_EQ(parsed.state, ParseState::complete) << body << " in steps of " << step;
      EXPECT_EQ(parsed.left, 3U) << body << " in steps of " << step;
    }
  }
}

TEST(RequestParser, TwoLengthsAreSmuggling) {
  const std::string line = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(code_of(line + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), "invalid_request");
  EXPECT_EQ(code_of(line + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), "invalid_request");
  EXPECT_EQ(code_of(line + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), "invalid_request");
  EXPECT_EQ(code_of(line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "invalid_request");
  for (const std::string coding : {"gzip", "gzip, chunked", "chunked, gzip", "xchunked", "identity", ""}) {
    EXPECT_EQ(code_of(line + "Transfer-Encoding: " + coding + "\r\n\r\n"), "invalid_request") << coding;
  }
  for (const std::string length : {"-1", "+5", "5x", "0x5", "", "99999999999999999999"}) {
    EXPECT_EQ(code_of(line + "Content-Length: " + length + "\r\n\r\n"), "invalid_request") << length;
  }
  EXPECT_EQ(code_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), "invalid_request");
}

TEST(RequestParser, MalformedRequestsAreRefused) {
  EXPECT_EQ(code_of("GET / HTTP/1.1\r\n\r\n"), "invalid_request") << "no Host";
  EXPECT_EQ(code_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), "invalid_header");
  EXPECT_EQ(code_of("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), "invalid_request");
  EXPECT_EQ(code_of("GET / HTTP/1.1\nHost: a\n\n\r\n\r\n"), "http_version_not_supported");
  EXPECT_EQ(code_of("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), "http_version_not_supported");
  EXPECT_EQ(code_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), "http_version_not_supported");
  EXPECT_EQ(code_of("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), "invalid_request");
  EXPECT_EQ(code_of("GET / HTTP/1.1\r\nHost: a\r\nIf-Match: \"1\"\r\nIf-Match: \"2\"\r\n\r\n"),
            "invalid_header");
  EXPECT_EQ(code_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n"),
            "invalid_request");
}

TEST(RequestParser, AHostIsOne) {
  for (const std::string host : {"a b", "a\tb", "a/b", "user@h", "h?x", "a\"b", "h\xC3\xA9"}) {
    EXPECT_EQ(code_of("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), "invalid_request") << host;
  }
  for (const std::string host : {"", "h", "h:8080", "[::1]:80", "a-b.c_d~%41"}) {
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").state, ParseState::complete) << host;
  }
}

TEST(RequestParser, TheAbsoluteFormNamesAHost) {
  const auto parsed = [](const std::string& target) {
    return parse("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
  };
  for (const std::string target :
       {"http:///v1/x", "http://", "http://?a=b", "http://:80/v1/x", "http://a@b/"}) {
    EXPECT_EQ(parsed(target).code, "invalid_request") << target;
  }
  EXPECT_EQ(parsed("http://h/v1/x?y=z").request.target, "/v1/x?y=z");
  EXPECT_EQ(parsed("http://h").request.target, "/");
  EXPECT_EQ(parsed("http://h?y=a/b").request.target, "/?y=a/b");
  EXPECT_EQ(parsed("/x?to=http:///y").request.target, "/x?to=http:///y");
}

TEST(RequestParser, Http10HasNoTransferCodings) {
  Request request;
  RequestParser parser(request, 512);
  const auto step = parser.parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(step.state, ParseState::refused);
  EXPECT_EQ(parser.problem().code, "invalid_request");
  EXPECT_EQ(parser.problem().detail, "HTTP/1.0 has no transfer codings.");
}

TEST(RequestParser, HeadersAreCountedHoweverTheyCome) {
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 100; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  for (std::size_t step : {std::size_t{1}, std::size_t{11}, std::size_t{300}, many.size()}) {
    EXPECT_EQ(parse(many, step).code, "header_too_large") << step;
  }
  const std::string long_line = "GET /" + std::string(1000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  for (std::size_t step : {std::size_t{1}, std::size_t{300}, long_line.size()}) {
    EXPECT_EQ(parse(long_line, step).code, "target_too_long") << step;
  }
}

TEST(RequestParser, BodiesAreBoundedHoweverTheyCome) {
  std::string tiny = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 101; ++i) tiny += "1\r\nx\r\n";
  EXPECT_EQ(parse(tiny, 10).code, "payload_too_large");
  std::string padded = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 90; ++i) padded += "1;" + std::string(400, 'e') + "\r\nx\r\n";
  EXPECT_EQ(parse(padded, 1000).code, "payload_too_large") << "chunk extensions count";
  const std::string trailer =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(2000, 't');
  EXPECT_EQ(parse(trailer, 100).code, "header_too_large");
}

TEST(RequestParser, ATrailerChangesNothing) {
  const Parsed parsed = parse(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nIdempotency-Key: k\r\nHost: "
      "x\r\n\r\n");
  EXPECT_EQ(parsed.state, ParseState::complete);
  EXPECT_FALSE(parsed.request.has(Header::idempotency_key));
  EXPECT_EQ(parsed.request.value(Header::host), "h");
}

TEST(RequestParser, TargetsMayNameTheServer) {
  EXPECT_EQ(parse("GET http://h:80/a?b HTTP/1.1\r\nHost: h\r\n\r\n").request.target, "/a?b");
  EXPECT_EQ(parse("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n").request.target, "/");
}

TEST(RequestParser, KeepAliveFollowsTheVersion) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").request.keeps_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").request.keeps_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").request.keeps_alive);
}

}  // namespace
}  // namespace hotrow::http
