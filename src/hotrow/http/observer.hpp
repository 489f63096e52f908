#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace hotrow::http {

/// One request that was answered. The texts live as long as the call.
struct RequestReport {
  std::string_view route;   ///< The template, "/v1/promotions/{id}/entries"; "" when no route matched.
  std::string_view method;  ///< "GET", ...; "OTHER" for one that no route knows.
  int status = 0;
  std::string_view code;                 ///< Of the problem, "sold_out"; "" for a success.
  std::chrono::microseconds duration{};  ///< From the complete request to its answer in the send buffer.
  std::string_view request_id;
  std::string_view traceparent;  ///< "" when the caller sent none.
  std::string_view api_key;      ///< Name of the API key; "" when none was needed.
};

/// Told what the HTTP layer does, for metrics and logs. Called from the io threads, once a request: safe from
/// all threads, quick, never blocking.
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  virtual void request_finished(const RequestReport&) {}
  virtual void connections_changed(std::int64_t /*open*/) {}
  virtual void streams_changed(std::int64_t /*open*/) {}
};

}  // namespace hotrow::http
