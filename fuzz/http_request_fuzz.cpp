#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hotrow/base/assert.hpp"
#include "hotrow/http/header_values.hpp"
#include "hotrow/http/request_parser.hpp"
#include "hotrow/http/target.hpp"

// The request parser: however the bytes are cut, it reads the same request, keeps its bounds, and never reads
// a request where another reader might see two.
namespace {

using namespace hotrow::http;

constexpr std::size_t header_bytes_max = 1024;
constexpr std::size_t body_bytes_max = 512;

struct Outcome {
  ParseState state = ParseState::needs_more;
  Request request;
  std::size_t left = 0;
};

Outcome parse(std::string_view text, std::size_t step) {
  Outcome outcome;
  RequestParser parser(outcome.request, header_bytes_max);
  std::string rest;
  while (outcome.state == ParseState::needs_more || outcome.state == ParseState::header_done) {
    const RequestParser::Step result = parser.parse(rest);
    HOTROW_ASSERT(result.used <= rest.size());
    rest.erase(0, result.used);
    outcome.state = result.state;
    if (result.state == ParseState::header_done) parser.admit_body(body_bytes_max);
    if (result.state != ParseState::needs_more) continue;
    HOTROW_ASSERT(rest.size() <= header_bytes_max + body_bytes_max);
    if (text.empty()) break;
    rest += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
  outcome.left = rest.size() + text.size();
  if (outcome.state == ParseState::refused) HOTROW_ASSERT(!parser.problem().code.empty());
  return outcome;
}

void use(const Request& request) {
  const Target target = split_target(request.target);
  const RouteMatch match = match_route(request.method, target.path);
  for (const std::string_view capture : match.captures) percent_decode(capture);
  parse_query(target.query);
  bearer_secret(request.value(Header::authorization));
  if_match(request.value(Header::if_match));
  is_traceparent(request.value(Header::traceparent));
  const auto key = idempotency_key(request.value(Header::idempotency_key));
  HOTROW_ASSERT(!key || (!key->empty() && key->size() <= 255));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 64;
  const Outcome whole = parse(text, text.size() + 1);
  const Outcome pieces = parse(text, step);
  // What is too large may be noticed earlier or later; what is complete is the same.
  if (whole.state == ParseState::complete && pieces.state == ParseState::complete) {
    HOTROW_ASSERT(whole.left == pieces.left);
    HOTROW_ASSERT(whole.request.body == pieces.request.body);
    HOTROW_ASSERT(whole.request.target == pieces.request.target);
    HOTROW_ASSERT(whole.request.body.size() <= body_bytes_max);
  }
  if (whole.state == ParseState::complete) HOTROW_ASSERT(pieces.state != ParseState::needs_more);
  use(whole.request);
  use(pieces.request);
  return 0;
}
