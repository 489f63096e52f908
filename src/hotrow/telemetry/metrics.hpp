#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hotrow/engine/observer.hpp"

namespace hotrow {

/// Counts what the engine and the HTTP server tell it, for Prometheus. Safe from all threads.
class Metrics final : public Observer {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics() override;

  void batch_answered(const BatchReport& report) override;
  void command_answered(std::string_view kind, std::string_view result) override;
  void attempt_failed(const Error& error) override;
  void commit_in_doubt(const AttemptId& id, const Result<CommitFate>& fate) override;
  void queue_changed(std::size_t lane, std::size_t waiting) override;

  /// `route` is one of the server's fixed names, never a path: a path would make a series per promotion.
  void request_answered(std::string_view route, int status, std::chrono::microseconds took);
  void connections_changed(std::int64_t open);
  void streams_changed(std::int64_t open);

  /// How long ago the oldest listing that waits to be settled has ended; 0 when none waits.
  void settlement_lag_changed(std::chrono::microseconds lag);
  /// What the due worker did about a listing that had ended.
  void listing_settled();
  void listing_set_aside();

  /// Prometheus' text format, version 0.0.4.
  std::string text() const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace hotrow
