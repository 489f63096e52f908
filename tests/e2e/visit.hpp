#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/http_probe.hpp"

namespace hotrow::test {

/// What one request for an entry came to, as far as its client can know.
enum class Tidings : std::uint8_t {
  placed,     ///< 200 or 201 with a place.
  refused,    ///< 409: a business no. Nothing was done.
  busy,       ///< 503 that promises that nothing was done.
  unknown,    ///< 503 outcome_unknown: it may have been done.
  lost,       ///< Sent, and no answer came: it may have been done.
  unreached,  ///< Nobody listened: nothing was sent.
  fault,      ///< Anything else. Never allowed.
};

struct Told {
  Tidings tidings = Tidings::unreached;
  int status = 0;
  std::string code;  ///< Of the problem.
  std::int64_t ordinal = 0;
  bool winner = false;
  bool already = false;
  bool replayed = false;  ///< The stored answer of an earlier request with the same key.
  std::string entered_at;
  std::string body;
};

/// One person at the door, from the first request until told a place or gone away.
struct Visit {
  std::string user;
  std::string key;         ///< Idempotency key of all requests; empty: none.
  std::vector<Told> told;  ///< In the order of the requests; consecutive `unreached` stand there once.
};

/// Reads the answer to an entry.
Told read_told(const ProbeAnswer& answer);

/// How often each kind of tidings was had: "4012 placed, 3 busy, 17 lost".
std::string summary(const std::vector<Visit>& visits);

std::size_t count(const std::vector<Visit>& visits, Tidings tidings);

}  // namespace hotrow::test
