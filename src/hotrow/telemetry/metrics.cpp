#include "hotrow/telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <sstream>
#include <vector>

#include "hotrow/telemetry/labelled_counters.hpp"
#include "hotrow/telemetry/log.hpp"
#include "hotrow/telemetry/time_histogram.hpp"

namespace hotrow {
namespace {

using Bounds = prometheus::Histogram::BucketBoundaries;

constexpr std::size_t lanes_max = 64;
const Bounds batch_bounds{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};

prometheus::Histogram& histogram(prometheus::Registry& registry, const std::string& name,
                                 const std::string& help, const Bounds& bounds) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

prometheus::Counter& counter(prometheus::Registry& registry, const std::string& name,
                             const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const std::string& name, const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

std::string_view status_text(int status, std::array<char, 4>& room) {
  for (int place = 2; place >= 0; --place, status /= 10) {
    room.at(static_cast<std::size_t>(place)) = static_cast<char>('0' + status % 10);
  }
  return {room.data(), 3};
}

std::string_view fate_name(const Result<CommitFate>& fate) {
  if (!fate) return "not_learnt";
  return *fate == CommitFate::committed ? "committed" : "not_committed";
}

}  // namespace

struct Metrics::Series {
  prometheus::Registry registry;

  LabelledCounters requests{registry, {"hotrow_http_requests_total", "Requests answered.", "route", "code"}};
  TimeHistogram request_time{"hotrow_http_request_duration_seconds",
                             "From the complete request to its answer."};
  prometheus::Gauge& connections = gauge(registry, "hotrow_http_connections", "Open client connections.");
  prometheus::Gauge& streams = gauge(registry, "hotrow_http_streams", "Open event streams.");

  prometheus::Gauge& settlement_lag =
      gauge(registry, "hotrow_settlement_lag_seconds",
            "How long ago the oldest listing that waits to be settled has ended.");
  prometheus::Counter& settled = counter(registry, "hotrow_listings_settled_total",
                                         "Listings that this server settled after their end.");
  prometheus::Counter& set_aside = counter(registry, "hotrow_listings_set_aside_total",
                                           "Listings that could not be settled and wait for an operator.");

  LabelledCounters commands{registry,
                            {"hotrow_commands_total", "Commands answered by the engine.", "kind", "result"}};
  prometheus::Histogram& batch_commands =
      histogram(registry, "hotrow_batch_commands", "Commands decided in one transaction.", batch_bounds);
  TimeHistogram lock_time{"hotrow_batch_lock_seconds", "A batch's lock steps together."};
  TimeHistogram decide_time{"hotrow_batch_decide_seconds", "Deciding a batch."};
  TimeHistogram commit_time{"hotrow_batch_commit_seconds", "Writing and committing a batch."};
  prometheus::Counter& rows = counter(registry, "hotrow_rows_written_total", "Rows committed.");
  prometheus::Counter& batches_unwritten = counter(registry, "hotrow_batches_without_changes_total",
                                                   "Batches that changed nothing and flushed nothing.");
  LabelledCounters failures{
      registry,
      {"hotrow_attempts_failed_total", "Attempts that were rolled back, by cause.", "kind", "code"}};
  prometheus::Family<prometheus::Counter>& unknown_commits =
      prometheus::BuildCounter()
          .Name("hotrow_commit_unknown_total")
          .Help("Commits that were not answered, by what was learnt of them.")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& queue_depth = prometheus::BuildGauge()
                                                           .Name("hotrow_queue_depth")
                                                           .Help("Commands waiting in a lane.")
                                                           .Register(registry);
  std::array<std::atomic<prometheus::Gauge*>, lanes_max> lane_depths{};

  /// Asked once a batch: found without a lock. Two threads that add one lane get the same gauge.
  prometheus::Gauge& lane_depth(std::size_t lane) {
    std::atomic<prometheus::Gauge*>& depth = lane_depths.at(lane);
    if (prometheus::Gauge* known = depth.load(std::memory_order_acquire)) return *known;
    prometheus::Gauge& added = queue_depth.Add({{"lane", std::to_string(lane)}});
    depth.store(&added, std::memory_order_release);
    return added;
  }
};

Metrics::Metrics(std::string_view version) : series_(std::make_unique<Series>()) {
  prometheus::BuildGauge()
      .Name("hotrow_build_info")
      .Help("The running build.")
      .Register(series_->registry)
      .Add({{"version", std::string(version)}})
      .Set(1);
  for (const char* fate : {"committed", "not_committed", "not_learnt"}) {
    series_->unknown_commits.Add({{"fate", fate}});
  }
}

Metrics::~Metrics() = default;

void Metrics::batch_answered(const BatchReport& report) {
  series_->batch_commands.Observe(static_cast<double>(report.commands));
  series_->lock_time.observe(report.lock_time);
  series_->decide_time.observe(report.decide_time);
  if (report.writes == 0) {
    series_->batches_unwritten.Increment();
    return;
  }
  series_->commit_time.observe(report.commit_time);
  series_->rows.Increment(static_cast<double>(report.writes));
}

void Metrics::command_answered(std::string_view kind, std::string_view result) {
  series_->commands.count(kind, result);
}

void Metrics::attempt_failed(const Error& error) {
  series_->failures.count(to_string(error.kind), error.code);
  const bool rivalry = error.kind == ErrorKind::conflict || error.kind == ErrorKind::held;
  log(rivalry ? LogLevel::debug : LogLevel::warn, "attempt failed",
      {{"kind", to_string(error.kind)}, {"code", error.code}, {"detail", error.detail}});
}

void Metrics::commit_in_doubt(const AttemptId& id, const Result<CommitFate>& fate) {
  series_->unknown_commits.Add({{"fate", std::string(fate_name(fate))}}).Increment();
  log(LogLevel::warn, "commit was not answered", {{"attempt", to_string(id)}, {"fate", fate_name(fate)}});
}

void Metrics::queue_changed(std::size_t lane, std::size_t waiting) {
  series_->lane_depth(lane).Set(static_cast<double>(waiting));
}

void Metrics::request_answered(std::string_view route, int status, std::chrono::microseconds took) {
  std::array<char, 4> room{};
  series_->requests.count(route, status_text(status, room));
  series_->request_time.observe(took);
}

void Metrics::connections_changed(std::int64_t open) { series_->connections.Set(static_cast<double>(open)); }

void Metrics::streams_changed(std::int64_t open) { series_->streams.Set(static_cast<double>(open)); }

void Metrics::settlement_lag_changed(std::chrono::microseconds lag) {
  series_->settlement_lag.Set(std::chrono::duration<double>(lag).count());
}

void Metrics::listing_settled() { series_->settled.Increment(); }

void Metrics::listing_set_aside() { series_->set_aside.Increment(); }

std::string Metrics::text() const {
  std::vector<prometheus::MetricFamily> families = series_->registry.Collect();
  for (const TimeHistogram* times :
       {&series_->request_time, &series_->lock_time, &series_->decide_time, &series_->commit_time}) {
    std::ranges::move(times->Collect(), std::back_inserter(families));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace hotrow
