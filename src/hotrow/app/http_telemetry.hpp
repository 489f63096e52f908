#pragma once

#include "hotrow/http/observer.hpp"
#include "hotrow/telemetry/metrics.hpp"

namespace hotrow {

/// Passes what the HTTP layer tells on to metrics and logs. Safe from all threads.
class HttpTelemetry final : public http::HttpObserver {
 public:
  /// `metrics` must outlive this.
  explicit HttpTelemetry(Metrics& metrics) : metrics_(metrics) {}

  void request_finished(const http::RequestReport& report) override;
  void connections_changed(std::int64_t open) override { metrics_.connections_changed(open); }
  void streams_changed(std::int64_t open) override { metrics_.streams_changed(open); }

 private:
  Metrics& metrics_;
};

}  // namespace hotrow
