#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hotrow/app/http_url.hpp"
#include "hotrow/app/market_crowd.hpp"
#include "hotrow/base/result.hpp"

namespace hotrow {

struct MarketProgress {
  /// Of one kind of call.
  struct Tally {
    std::size_t accepted = 0;
    std::size_t refused = 0;
  };

  std::chrono::microseconds elapsed{};
  std::array<Tally, 7> calls{};                 ///< By MarketCall::Act.
  std::map<std::string, std::size_t> refusals;  ///< By code.
  std::size_t answered = 0;                     ///< Calls that were told something for good.
  std::size_t accepted = 0;
  std::size_t repeated = 0;    ///< Impatient requests beside the first, under its key.
  std::size_t lost = 0;        ///< Requests whose answer did not come, or was thrown away.
  std::size_t retried = 0;     ///< Requests sent again after `busy`, 503 or a lost answer.
  std::size_t unanswered = 0;  ///< Calls given up: nobody knows what became of them.
  std::size_t live = 0;        ///< Listings going on.
  double rate = 0;             ///< Answers a second since the progress before; at the end, over all.
  std::chrono::microseconds p50{};
  std::chrono::microseconds p99{};
};

struct MarketOptions {
  std::vector<HttpUrl> urls;  ///< Servers on one database. Who gets no answer from one goes to the next.
  std::string api_key;
  MarketPlan plan;
  std::chrono::seconds duration{30};
  std::size_t connections = 64;
  std::chrono::seconds patience{60};                    ///< How long one call is tried.
  std::function<void(const MarketProgress&)> progress;  ///< Called a few times a second; may be empty.
};

struct MarketReport {
  MarketBooks books;
  MarketProgress total;
};

/// Lets a crowd trade for `duration`, then waits until every call has its answer. Some requests are sent
/// twice at once on two connections, some again after their answer, some hang up before it comes; a lost
/// answer, `busy` and 503 are asked for again under the same key until the truth is told.
///
/// What in the answers contradicts itself is in the books: another answer under the same key, an effect
/// twice, a call that nobody ever answered.
///
/// Errors, both at once and for all: invalid ("http_<status>", an answer that trying again cannot mend) and
/// transient ("http_unreachable").
Result<MarketReport> drive_market(const MarketOptions& options);

}  // namespace hotrow
