#include "hotrow/engine/lane.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hotrow/base/assert.hpp"
#include "hotrow/engine/backoff.hpp"

namespace hotrow {
namespace {

using std::chrono::steady_clock;

std::vector<const Command*> commands_of(const Tickets& tickets) {
  std::vector<const Command*> commands;
  commands.reserve(tickets.size());
  for (const auto& ticket : tickets) commands.push_back(&ticket->command);
  return commands;
}

/// Each hot key of the tickets once.
Keys distinct_hot_keys(const Tickets& tickets) {
  Keys keys;
  for (const auto& ticket : tickets) {
    for (const Key& key : ticket->hot_keys) {
      if (keys.empty() || keys.back() != key) keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

bool intersects(const Keys& a, const Keys& b) {
  return std::any_of(a.begin(), a.end(),
                     [&b](const Key& key) { return std::find(b.begin(), b.end(), key) != b.end(); });
}

Keys hot_forms(const Keys& keys) {
  Keys forms;
  for (const Key& key : keys) forms.push_back(hot_form(key));
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  return forms;
}

/// How often a held lock is looked at while other rows keep the lane busy.
constexpr std::chrono::milliseconds lock_poll{10};

const Error busy_by_deadline{ErrorKind::overloaded, "deadline", "not decided before its deadline"};
const Error busy_by_lock{ErrorKind::overloaded, "lock_budget", "a row it needs is held by somebody else"};

/// What a client is told when the lane gives up on an error that left nothing behind.
Error given_up(const Error& error) {
  if (error.kind == ErrorKind::transient) return error;
  return {ErrorKind::overloaded, error.code, error.detail};
}

}  // namespace

Lane::Lane(Store& store, std::unique_ptr<Transaction> transaction, const Options& options,
           NextAttempt next_attempt, HotRows& hot_rows, Observer& observer)
    : store_(store),
      transaction_(std::move(transaction)),
      executor_(*transaction_),
      options_(options),
      next_attempt_(std::move(next_attempt)),
      hot_rows_(hot_rows),
      observer_(observer),
      combiner_(options.limits),
      chance_(std::random_device()()),
      thread_([this] { run(); }) {}

Lane::~Lane() { drain(); }

bool Lane::push(std::unique_ptr<Ticket>& ticket) {
  {
    const std::lock_guard lock(mutex_);
    if (draining_ || !combiner_.has_room(*ticket)) return false;
    combiner_.push(std::move(ticket));
  }
  wake_.notify_one();
  return true;
}

void Lane::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Lane::run() {
  Work work;
  while (next_work(work)) process(std::move(work));
}

/// Waits for something to do. False when draining and everything is answered.
bool Lane::next_work(Work& work) {
  if (take_ready(work)) return true;
  std::unique_lock lock(mutex_);
  while (true) {
    if (take_parked(steady_clock::now(), work)) return true;
    if (combiner_.ready()) {
      work = {.tickets = combiner_.take()};
      if (work.tickets.empty()) continue;  // Everything met was for blocked keys; it is held back now.
      const std::size_t waiting = combiner_.waiting();
      lock.unlock();
      observer_.queue_changed(options_.index, waiting);
      return true;
    }
    if (!parked_.empty()) {
      const auto first = std::min_element(parked_.begin(), parked_.end(), [](const Work& a, const Work& b) {
        return a.not_before < b.not_before;
      });
      wake_.wait_until(lock, first->not_before);
    } else if (!draining_) {
      wake_.wait(lock);
    } else {
      HOTROW_ASSERT(combiner_.waiting() == 0);
      return false;
    }
  }
}

/// Takes what is to be attempted before anything new. Tickets that a parked batch keeps waiting join that
/// batch, behind its own: a half of a split batch must not overtake the other half.
bool Lane::take_ready(Work& work) {
  while (!ready_.empty()) {
    work = std::move(ready_.front());
    ready_.pop_front();
    for (Work& parked : parked_) {
      const auto passes = [&parked](const auto& ticket) {
        return !intersects(ticket->hot_keys, parked.blocks);
      };
      const auto stays = std::stable_partition(work.tickets.begin(), work.tickets.end(), passes);
      if (stays != work.tickets.end()) parked.tries = std::max(parked.tries, work.tries);
      std::move(stays, work.tickets.end(), std::back_inserter(parked.tickets));
      work.tickets.erase(stays, work.tickets.end());
    }
    if (!work.tickets.empty()) return true;
  }
  return false;
}

/// Takes a parked batch whose pause is over. Called with mutex_ held.
bool Lane::take_parked(SteadyTime now, Work& work) {
  const auto due = std::find_if(parked_.begin(), parked_.end(),
                                [now](const Work& parked) { return parked.not_before <= now; });
  if (due == parked_.end()) return false;
  work = std::move(*due);
  parked_.erase(due);
  HOTROW_ASSERT(!work.tickets.empty());
  return true;
}

/// The keys of a batch that was parked stay blocked until it is known whether it is parked again: what waits
/// behind it stays where it is, out of the others' way.
void Lane::process(Work work) {
  const Keys blocked = std::exchange(work.blocks, {});
  attempt(std::move(work), blocked);
  if (blocked.empty()) return;
  const std::lock_guard lock(mutex_);
  combiner_.unblock(blocked);
}

void Lane::attempt(Work work, const Keys& blocked) {
  const SteadyTime now = steady_clock::now();
  set_lock_deadlines(work.tickets, now);
  refuse_expired(work.tickets, now);
  if (work.tickets.empty()) return;
  if (still_held(work)) {
    work.blocks = blocked;
    return park(std::move(work), lock_poll);
  }
  work.held_by_others.clear();
  const AttemptOptions attempt_options{
      .id = next_attempt_(), .lock_budget = options_.lock_wait, .isolation = options_.isolation};
  Attempt attempt = executor_.attempt(commands_of(work.tickets), attempt_options);
  settle(std::move(work), std::move(attempt));
}

/// Whether it is too soon to wait for the lock again: waiting would keep others from their own rows.
bool Lane::still_held(const Work& work) {
  if (work.held_by_others.empty()) return false;
  {
    const std::lock_guard lock(mutex_);
    if (combiner_.waiting() == 0 && ready_.empty()) return false;  // Nobody else to keep waiting.
  }
  const Result<Keys> held = transaction_->held_by_others(work.held_by_others);
  return held && !held->empty();
}

/// A command's patience with a lock starts when it came, or when the lock was first found held.
void Lane::set_lock_deadlines(const Tickets& tickets, SteadyTime now) {
  for (const auto& ticket : tickets) {
    if (ticket->lock_deadline) continue;
    SteadyTime from = now;
    for (const Key& key : ticket->hot_keys) {
      if (const auto held = held_since_.find(key); held != held_since_.end()) {
        from = std::min(from, std::max(ticket->arrived, held->second));
      }
    }
    ticket->lock_deadline = from + lock_budget(ticket->command);
  }
}

void Lane::settle(Work work, Attempt attempt) {
  if (attempt.result) return answer(std::move(work), std::move(attempt));
  const Error error = attempt.result.error();
  observer_.attempt_failed(error);
  switch (error.kind) {
    case ErrorKind::conflict:
      if (error.code == "lock_restarts" && work.tickets.size() > 1) return split(std::move(work), error);
      return retry(std::move(work), error);
    case ErrorKind::transient:
    case ErrorKind::overloaded: return retry(std::move(work), error);
    case ErrorKind::held: return settle_held(std::move(work), attempt);
    case ErrorKind::invalid: return split(std::move(work), error);
    case ErrorKind::in_doubt: return settle_in_doubt(std::move(work), std::move(attempt));
    case ErrorKind::fatal: return refuse(std::move(work.tickets), error);
  }
}

void Lane::answer(Work work, Attempt attempt) {
  HOTROW_ASSERT(attempt.replies.size() == work.tickets.size());
  const SteadyTime now = steady_clock::now();
  for (const Key& key : distinct_hot_keys(work.tickets)) {
    const Row* row = attempt.rows.peek(key);
    if (row == nullptr || !is_worth_remembering(*row)) continue;
    hot_rows_.publish(key, *row, pressure_on(*row, attempt.rows), attempt.now, now);
  }
  if (!held_since_.empty()) {
    for (const Key& key : attempt.locked) held_since_.erase(hot_form(key));
  }
  observer_.batch_answered(attempt.report);
  for (std::size_t i = 0; i < work.tickets.size(); ++i) {
    observer_.command_answered(command_kind(work.tickets[i]->command),
                               answer_result(attempt.replies[i].answer));
    work.tickets[i]->reply(std::move(attempt.replies[i]));
  }
}

/// Parks whoever needs a row that somebody holds, and lets the others go on.
void Lane::settle_held(Work work, const Attempt& attempt) {
  Result<Keys> held = transaction_->held_by_others(attempt.locked);
  if (!held) return retry(std::move(work), held.error());
  if (held->empty()) return park(std::move(work), lock_poll);  // Free again just now.
  HOTROW_ASSERT(std::is_sorted(attempt.locked.begin(), attempt.locked.end()));

  Work waiting{.tickets = {}, .tries = work.tries, .blocks = hot_forms(*held), .held_by_others = *held};
  Work free{.tickets = {}, .tries = work.tries};
  for (auto& ticket : work.tickets) {
    Keys needed;
    keys_needed(ticket->command, attempt.rows, needed);
    const bool waits = intersects(needed, *held);
    // Where a row led to the held one (a listing to its leader's wallet), whoever comes for that row waits
    // too.
    if (waits && !intersects(ticket->hot_keys, waiting.blocks)) {
      waiting.blocks.push_back(ticket->hot_keys.front());
    }
    (waits ? waiting : free).tickets.push_back(std::move(ticket));
  }
  for (const Key& key : waiting.blocks) held_since_.try_emplace(key, steady_clock::now());
  if (!free.tickets.empty()) ready_.push_front(std::move(free));
  if (!waiting.tickets.empty()) park(std::move(waiting), lock_poll);
}

void Lane::settle_in_doubt(Work work, Attempt attempt) {
  HOTROW_ASSERT(attempt.replies.size() == work.tickets.size());
  const Result<CommitFate> fate = store_.resolve(attempt.id, options_.resolve_budget);
  observer_.commit_in_doubt(attempt.id, fate);
  if (!fate) return refuse(std::move(work.tickets), attempt.result.error());
  if (*fate == CommitFate::committed) {
    attempt.result = {};
    return answer(std::move(work), std::move(attempt));
  }
  retry(std::move(work), {ErrorKind::transient, "not_committed", "the commit was lost"});
}

void Lane::split(Work work, const Error& error) {
  if (work.tickets.size() == 1) return refuse(std::move(work.tickets), error);
  HOTROW_ASSERT(work.tickets.size() > 1);
  const auto middle = work.tickets.begin() + std::ptrdiff_t(work.tickets.size() / 2);
  Work second{.tickets = {}, .tries = work.tries};
  std::move(middle, work.tickets.end(), std::back_inserter(second.tickets));
  work.tickets.erase(middle, work.tickets.end());
  ready_.push_front(std::move(second));
  ready_.push_front(std::move(work));
}

void Lane::retry(Work work, const Error& error) {
  if (++work.tries >= options_.tries_max) return refuse(std::move(work.tickets), given_up(error));
  const std::chrono::milliseconds pause = backoff(work.tries, chance_());
  if (pause.count() == 0) {
    ready_.push_front(std::move(work));
  } else {
    park(std::move(work), pause);
  }
}

void Lane::park(Work work, std::chrono::milliseconds pause) {
  work.not_before = steady_clock::now() + pause;
  if (work.held_by_others.empty()) work.blocks = distinct_hot_keys(work.tickets);
  HOTROW_ASSERT(!work.tickets.empty() && !work.blocks.empty());
  const std::lock_guard lock(mutex_);
  combiner_.block(work.blocks);
  parked_.push_back(std::move(work));
}

void Lane::refuse(Tickets tickets, const Error& error) {
  for (const auto& ticket : tickets) ticket->reply(failure(error));
}

/// Tells those who have waited too long that nothing was done for them.
void Lane::refuse_expired(Tickets& tickets, SteadyTime now) {
  for (auto& ticket : tickets) {
    const bool late = ticket->command.envelope.deadline <= now;
    const bool impatient = ticket->lock_deadline && *ticket->lock_deadline <= now;
    if (!late && !impatient) continue;
    ticket->reply(failure(late ? busy_by_deadline : busy_by_lock));
    ticket.reset();
  }
  std::erase_if(tickets, [](const auto& ticket) { return ticket == nullptr; });
}

}  // namespace hotrow
