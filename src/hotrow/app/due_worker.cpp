#include "hotrow/app/due_worker.hpp"

#include <algorithm>
#include <future>
#include <memory>

#include "hotrow/base/hash.hpp"
#include "hotrow/core/command.hpp"
#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

constexpr int tries_max = 3;
constexpr std::chrono::seconds command_deadline{10};

/// How long ago the oldest of the listings that are due has ended.
Result<std::chrono::microseconds> settlement_lag(Queries& queries, const Keys& due, Timestamp now) {
  const auto oldest = std::ranges::find(due, KeyKind::listing, &Key::kind);
  if (oldest == due.end()) return std::chrono::microseconds(0);
  const auto listing = queries.listing(oldest->first);
  if (!listing) return failure(listing.error());
  const auto market = queries.market();
  if (!market) return failure(market.error());
  // Another server may have settled it since it was named.
  if (!*listing || (*listing)->status != ListingStatus::active) return std::chrono::microseconds(0);
  return std::max(now - market->extension - (*listing)->ends_at, std::chrono::microseconds(0));
}

}  // namespace

/// Collects the answers to one page's commands. Shared with the engine, which may answer when the worker has
/// stopped waiting. Safe from all threads.
class DueWorker::Page {
 public:
  explicit Page(std::size_t subjects) : pending_(subjects) {}

  void add(Answered answered) {
    const std::lock_guard lock(mutex_);
    answered_.push_back(std::move(answered));
    if (--pending_ == 0) complete_.notify_all();
  }

  /// All answers; none when the worker is told to stop before the last.
  std::vector<Answered> wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!complete_.wait(lock, stop, [this] { return pending_ == 0; })) return {};
    return std::move(answered_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any complete_;
  std::size_t pending_;
  std::vector<Answered> answered_;
};

DueWorker::DueWorker(const Parts& parts, Options options)
    : parts_(parts),
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
    const bool more = take_turn(stop);
    expire_if_time();
    parts_.write_health.probe(parts_.store);
    if (more) continue;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, options_.interval, [] { return false; });
  }
}

/// True when there is probably more to do at once.
bool DueWorker::take_turn(const std::stop_token& stop) {
  const Keys due = ask();
  if (due.empty()) return false;
  const auto page = std::make_shared<Page>(due.size());
  for (const Key& subject : due) {
    parts_.engine.submit(command_for(subject), [page, subject](Result<Reply> reply) {
      page->add({.subject = subject, .reply = std::move(reply)});
    });
  }
  bool any_done = false;
  for (const Answered& answered : page->wait(stop)) any_done = account(answered) || any_done;
  return any_done && due.size() >= options_.page_max;
}

/// Waits for the answer, so that questions cannot pile up in front of a slow store.
Keys DueWorker::ask() {
  const auto asked = std::make_shared<std::promise<Result<Keys>>>();
  const bool taken =
      parts_.readers.submit([this, asked](Queries& queries) { asked->set_value(look(queries)); });
  if (!taken) return {};
  Result<Keys> due = asked->get_future().get();
  report(due.map([](const Keys&) {}));
  return std::move(due).value_or(Keys{});
}

Result<Keys> DueWorker::look(Queries& queries) {
  const Result<Timestamp> now = queries.now();
  if (!now) return failure(now.error());
  Result<Keys> due = queries.due(*now, options_.page_max);
  if (!due) return due;
  const auto lag = settlement_lag(queries, *due, *now);
  if (!lag) return failure(lag.error());
  parts_.metrics.settlement_lag_changed(*lag);
  return due;
}

Command DueWorker::command_for(const Key& subject) const {
  CommandBody body = due_command(subject);
  const auto failed = failed_.find(subject);
  if (failed != failed_.end() && failed->second.times >= tries_max) {
    if (auto poisoned = poison_command(subject, failed->second.code)) body = std::move(*poisoned);
  }
  return {.envelope = {.actor = "hotrow",
                       .principal = "hotrow",
                       .request_id = "due-" + random_hex(8),
                       .server = options_.server,
                       .arrived_at = wall_clock_now(),
                       .deadline = std::chrono::steady_clock::now() + command_deadline,
                       .command_class = CommandClass::background},
          .body = std::move(body)};
}

/// True when something was done.
bool DueWorker::account(const Answered& answered) {
  const Key& subject = answered.subject;
  if (!answered.reply) {
    const Error& error = answered.reply.error();
    log(LogLevel::warn, "due command failed", {{"subject", describe(subject)}, {"code", error.code}});
    if (error.kind != ErrorKind::invalid) return false;
    Failed& failed = failed_[subject];
    ++failed.times;
    failed.code = error.code;
    return false;
  }
  failed_.erase(subject);
  // Another server may have done it before: then this one's command is accepted and changes nothing.
  if (std::holds_alternative<Rejection>(answered.reply->answer) || !answered.reply->changed) return false;
  note_settled(answered);
  return true;
}

void DueWorker::note_settled(const Answered& answered) {
  const std::string subject = describe(answered.subject);
  const Outcome& outcome = std::get<Outcome>(answered.reply->answer);
  if (const auto* aside = std::get_if<SetAsideAnswer>(&outcome)) {
    parts_.metrics.listing_set_aside();
    return log(LogLevel::error, "listing set aside", {{"subject", subject}, {"reason", aside->reason}});
  }
  const bool is_listing = answered.subject.kind == KeyKind::listing;
  if (is_listing) parts_.metrics.listing_settled();
  log(is_listing ? LogLevel::debug : LogLevel::info, "due command done", {{"subject", subject}});
}

void DueWorker::expire_if_time() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now < expire_at_) return;
  expire_at_ = now + options_.expire_interval;
  report(parts_.store.expire(wall_clock_now() - options_.answers_kept));
}

void DueWorker::report(const Result<void>& result) {
  if (!result && !failing_) {
    log(LogLevel::warn, "housekeeping fails and will be tried again",
        {{"code", result.error().code}, {"detail", result.error().detail}});
  }
  failing_ = !result;
}

}  // namespace hotrow
