#include "hotrow/app/http_telemetry.hpp"

#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

/// What somebody must look into is worth a line. `busy` and `unavailable` come by the thousand when they
/// come, and their cause is logged once an attempt.
LogLevel level_of(const http::RequestReport& report) {
  return report.status == 500 || report.code == "outcome_unknown" ? LogLevel::warn : LogLevel::debug;
}

}  // namespace

void HttpTelemetry::request_finished(const http::RequestReport& report) {
  metrics_.request_answered(report.route.empty() ? "none" : report.route, report.status, report.duration);
  const LogLevel level = level_of(report);
  if (!is_logged(level)) return;
  log(level, "request",
      {{"request_id", report.request_id},
       {"method", report.method},
       {"route", report.route},
       {"status", std::int64_t{report.status}},
       {"code", report.code},
       {"duration_us", std::int64_t{report.duration.count()}},
       {"api_key", report.api_key},
       {"traceparent", report.traceparent}});
}

}  // namespace hotrow
