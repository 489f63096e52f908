#include "hotrow/app/write_health.hpp"

#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

constexpr std::chrono::milliseconds probe_budget{1'000};

}  // namespace

WriteHealth::WriteHealth(Observer& next) : next_(next), server_("probe-" + random_hex(16)) {}

/// To fence an attempt that was never made writes one small row, durably.
void WriteHealth::probe(Store& store) {
  if (good_) return;
  if (store.resolve({.server = server_, .number = ++probes_}, probe_budget)) good_ = true;
}

void WriteHealth::batch_answered(const BatchReport& report) {
  if (report.writes > 0) good_ = true;
  next_.batch_answered(report);
}

void WriteHealth::command_answered(std::string_view kind, std::string_view result) {
  next_.command_answered(kind, result);
}

void WriteHealth::attempt_failed(const Error& error) {
  if (error.kind == ErrorKind::transient || error.kind == ErrorKind::in_doubt) good_ = false;
  next_.attempt_failed(error);
}

void WriteHealth::commit_in_doubt(const AttemptId& id, const Result<CommitFate>& fate) {
  next_.commit_in_doubt(id, fate);
}

void WriteHealth::queue_changed(std::size_t lane, std::size_t waiting) { next_.queue_changed(lane, waiting); }

}  // namespace hotrow
