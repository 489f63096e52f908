#include "hotrow/app/due_worker.hpp"

#include <future>

#include "hotrow/base/hash.hpp"
#include "hotrow/core/command.hpp"
#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

constexpr std::size_t due_max = 100;
constexpr std::chrono::seconds command_deadline{10};

void log_reply(const std::string& subject, const Result<Reply>& reply) {
  if (!reply) {
    log(LogLevel::warn, "due command failed", {{"subject", subject}, {"code", reply.error().code}});
  } else if (std::holds_alternative<Outcome>(reply->answer)) {
    log(LogLevel::info, "due command done", {{"subject", subject}});
  }
}

}  // namespace

DueWorker::DueWorker(Engine& engine, Readers& readers, Store& store, Options options)
    : engine_(engine),
      readers_(readers),
      store_(store),
      options_(std::move(options)),
      expire_at_(std::chrono::steady_clock::now() + options_.interval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

DueWorker::~DueWorker() { stop(); }

void DueWorker::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void DueWorker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    ask();
    expire_if_time();
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, options_.interval, [] { return false; });
  }
}

/// Waits for the answer, so that questions cannot pile up in front of a slow store.
void DueWorker::ask() {
  const auto asked = std::make_shared<std::promise<void>>();
  const bool taken = readers_.submit([this, asked](Queries& queries) {
    submit_due(queries);
    asked->set_value();
  });
  if (taken) asked->get_future().wait();
}

void DueWorker::submit_due(Queries& queries) {
  const Result<Timestamp> now = queries.now();
  if (!now) return report(failure(now.error()));
  const Result<Keys> due = queries.due(*now, due_max);
  if (!due) return report(failure(due.error()));
  report({});
  for (const Key& subject : *due) submit(subject);
}

void DueWorker::submit(const Key& subject) {
  Command command{.envelope = {.actor = "hotrow",
                               .principal = "hotrow",
                               .request_id = "due-" + random_hex(8),
                               .server = options_.server,
                               .arrived_at = wall_clock_now(),
                               .deadline = std::chrono::steady_clock::now() + command_deadline,
                               .command_class = CommandClass::background},
                  .body = due_command(subject)};
  engine_.submit(std::move(command),
                 [text = describe(subject)](const Result<Reply>& reply) { log_reply(text, reply); });
}

void DueWorker::expire_if_time() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now < expire_at_) return;
  expire_at_ = now + options_.expire_interval;
  report(store_.expire(wall_clock_now() - options_.answers_kept));
}

void DueWorker::report(const Result<void>& result) {
  if (!result && !failing_) {
    log(LogLevel::warn, "housekeeping fails and will be tried again",
        {{"code", result.error().code}, {"detail", result.error().detail}});
  }
  failing_ = !result;
}

}  // namespace hotrow
