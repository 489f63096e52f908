#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hotrow/app/http_url.hpp"
#include "hotrow/app/stampede_plan.hpp"
#include "hotrow/base/result.hpp"

namespace hotrow {

/// What one entrant was finally told.
struct EntryReceipt {
  std::uint32_t user = 0;    ///< Index into the plan's users.
  int status = 0;            ///< 0: no answer within the patience.
  std::int64_t ordinal = 0;  ///< 0: refused.
  bool winner = false;
  bool already = false;
  std::string entered_at;
  std::string code;  ///< Of a refusal.
};

struct LoadProgress {
  std::chrono::microseconds elapsed{};
  std::size_t answered = 0;
  std::size_t refused = 0;
  std::size_t retried = 0;     ///< Requests sent again after busy, 503 or a lost connection.
  std::size_t unanswered = 0;  ///< Given up.
  std::int64_t latest_ordinal = 0;
  double rate = 0;  ///< Answers a second since the progress before; at the end, over all.
  std::chrono::microseconds p50{};
  std::chrono::microseconds p99{};
};

struct LoadOptions {
  HttpUrl url;
  std::string promotion;
  std::string api_key;
  std::size_t connections = 256;
  std::chrono::seconds patience{60};  ///< How long one entrant tries.
  std::uint64_t seed = 0;
  std::function<void(const LoadProgress&)> progress;  ///< Called a few times a second; may be empty.
};

struct LoadReport {
  std::vector<EntryReceipt> receipts;  ///< One for each request of the plan, in the order of the answers.
  LoadProgress total;
};

/// Sends the plan's requests over keep-alive connections, each one as soon as a connection is free, as a
/// client that minds its business does: `busy`, 503 and lost connections are tried again with back-off.
/// Blocks until every request has its answer or is given up.
///
/// Errors, both at once and for all: invalid ("http_<status>", an answer that trying again cannot mend) and
/// transient ("http_unreachable", nobody listens there).
Result<LoadReport> drive_load(const StampedePlan& plan, const LoadOptions& options);

}  // namespace hotrow
