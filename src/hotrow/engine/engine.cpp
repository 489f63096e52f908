#include "hotrow/engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/hash.hpp"
#include "hotrow/engine/hot_rows.hpp"
#include "hotrow/engine/lane.hpp"
#include "hotrow/engine/twins.hpp"
#include "hotrow/engine/windows.hpp"

namespace hotrow {
namespace {

const Error busy_by_queue{ErrorKind::overloaded, "queue_full", "the queue is full or the server is stopping"};

const Error too_many_undecided{ErrorKind::overloaded, "too_many_undecided",
                               "too many of this actor's commands for this row wait for a decision"};

Error queue_max_reached(std::int64_t queue_max) {
  return {ErrorKind::overloaded, "queue_max",
          "at most " + std::to_string(queue_max) + " requests may wait for this row here"};
}

/// Counts the undecided commands of each share. Safe from all threads.
class Shares {
 public:
  /// False, and not counted, when the share has as many as it may have.
  bool enter(const std::shared_ptr<const Share>& share) {
    if (!share) return true;
    return undecided_.with([&](auto& undecided) {
      std::size_t& count = undecided[share->of];
      if (count >= share->undecided_max) return false;
      ++count;
      return true;
    });
  }

  void leave(const std::shared_ptr<const Share>& share) {
    if (!share) return;
    undecided_.with([&](auto& undecided) {
      const auto found = undecided.find(share->of);
      HOTROW_ASSERT(found != undecided.end() && found->second > 0);
      if (--found->second == 0) undecided.erase(found);
    });
  }

 private:
  Guarded<std::unordered_map<Key, std::size_t, KeyHash>> undecided_;
};

/// The lane that a key belongs to as long as nothing else speaks: the same in every build.
std::size_t home_lane(const Key& key, std::size_t lanes) { return routing_hash(key) % lanes; }

}  // namespace

/// The engine's inside: routes commands to lanes and answers to whoever waits.
class Engine::Lanes {
 public:
  Lanes(Observer& observer, std::string server) : observer_(observer), server_(std::move(server)) {}

  Result<void> open(Store& store, const EngineOptions& options) {
    gather_window_ = options.gather_window;
    const std::size_t count = std::clamp<std::size_t>(options.lanes, 1, std::size_t(store.writers_max()));
    for (std::size_t index = 0; index < count; ++index) {
      Result<std::unique_ptr<Transaction>> transaction = store.open_transaction();
      if (!transaction) return failure(std::move(transaction.error()));
      const Lane::Options lane_options{.index = index,
                                       .limits = {.batch_weight_max = options.batch_weight_max,
                                                  .queue_weight_max = options.queue_weight_max},
                                       .isolation = options.isolation,
                                       .tries_max = options.tries_max,
                                       .lock_wait = options.lock_wait,
                                       .resolve_budget = options.resolve_budget};
      lanes_.push_back(std::make_unique<Lane>(
          store, std::move(*transaction), lane_options, [this] { return next_attempt(); }, hot_rows_,
          observer_));
    }
    return {};
  }

  void submit(Command command, ReplyFunction reply) {
    HOTROW_ASSERT(reply != nullptr && !lanes_.empty());
    auto ticket = std::make_unique<Ticket>();
    ticket->command = std::move(command);
    ticket->reply = std::move(reply);
    ticket->hot_keys = hot_keys(ticket->command);
    if (std::optional<Share> share = share_of(ticket->command)) {
      ticket->share = std::make_shared<const Share>(std::move(*share));
    }
    ticket->weight = weight(ticket->command);
    ticket->arrived = std::chrono::steady_clock::now();
    HotRows::Reception known =
        hot_rows_.receive(ticket->command, ticket->hot_keys, ticket->arrived, gather_window_);
    if (known.early) {
      observer_.command_answered(command_kind(ticket->command), answer_result(*known.early));
      return ticket->reply(Reply{.answer = std::move(*known.early)});
    }
    ticket->gathers = known.gathers;
    if (is_of_the_crowd(ticket->command)) ticket->queue_max = known.queue_max;
    in_flight_.fetch_add(1, std::memory_order_relaxed);
    admit(std::move(ticket));
  }

  void drain() {
    windows_.drain();
    for (const auto& lane : lanes_) lane->drain();
  }

  std::size_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

 private:
  AttemptId next_attempt() { return {.server = server_, .number = attempts_.fetch_add(1) + 1}; }

  /// Lets the ticket in, behind its twin if one is under way.
  void admit(std::unique_ptr<Ticket> ticket) {
    const std::optional<Key> key = answer_key(ticket->command.envelope);
    if (key && twins_.join(*key, ticket) == Twins::Role::waiting) return;
    ReplyFunction answer = std::move(ticket->reply);
    const Sha256 fingerprint = ticket->command.envelope.fingerprint;
    const bool in_time = shares_.enter(ticket->share);
    ticket->reply = [this, key, fingerprint, keys = ticket->hot_keys, share = ticket->share, in_time,
                     answer = std::move(answer)](Result<Reply> reply) {
      left(keys);
      if (in_time) shares_.leave(share);
      if (!key) return answer(std::move(reply));
      Tickets twins = twins_.take(*key);
      const Result<Reply> told = reply;
      answer(std::move(reply));
      tell_twins(std::move(twins), fingerprint, told);
    };
    const Place place = entered(ticket->hot_keys);
    if (!in_time) return ticket->reply(failure(too_many_undecided));
    if (ticket->queue_max && std::int64_t(place.before) >= *ticket->queue_max) {
      return ticket->reply(failure(queue_max_reached(*ticket->queue_max)));
    }
    if (ticket->gathers.count() > 0) return windows_.hold(std::move(ticket));
    push(place.lane, std::move(ticket));
  }

  void push(std::size_t lane, std::unique_ptr<Ticket> ticket) {
    if (!lanes_[lane]->push(ticket)) ticket->reply(failure(busy_by_queue));
  }

  /// One window's tickets, in order: all to one lane, so that they stay in it.
  void release(Tickets tickets) {
    for (auto& ticket : tickets) {
      const std::size_t lane = home_lane(ticket->hot_keys.front(), lanes_.size());
      push(lane, std::move(ticket));
    }
  }

  void tell_twins(Tickets twins, const Sha256& fingerprint, Result<Reply> told) {
    if (told && is_stored(told->answer)) told->replayed = true;
    for (auto& twin : twins) {
      if (twin->command.envelope.fingerprint == fingerprint) {
        in_flight_.fetch_sub(1, std::memory_order_relaxed);
        twin->reply(told);
      } else {
        admit(std::move(twin));
      }
    }
  }

  struct Place {
    std::size_t lane = 0;
    std::size_t before = 0;  ///< Commands under way here for the key that orders it first.
  };

  /// Counts a command in and chooses its lane: that of its hot key with the most commands under way here, so
  /// that the hottest row is always combined.
  Place entered(const Keys& keys) {
    HOTROW_ASSERT(!keys.empty());
    return under_way_.with([&](auto& under_way) {
      const Key* hottest = &keys.front();
      std::size_t most = 0;
      Place place;
      for (const Key& key : keys) {
        const std::size_t count = ++under_way[key];
        if (&key == &keys.front()) place.before = count - 1;
        if (count > most) {
          most = count;
          hottest = &key;
        }
      }
      place.lane = home_lane(*hottest, lanes_.size());
      return place;
    });
  }

  /// Counts a command out.
  void left(const Keys& keys) {
    under_way_.with([&](auto& under_way) {
      for (const Key& key : keys) {
        const auto found = under_way.find(key);
        HOTROW_ASSERT(found != under_way.end() && found->second > 0);
        if (--found->second == 0) under_way.erase(found);
      }
    });
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
  }

  Observer& observer_;
  std::string server_;
  std::chrono::milliseconds gather_window_{0};
  HotRows hot_rows_;
  Twins twins_;
  Shares shares_;
  Guarded<std::unordered_map<Key, std::size_t, KeyHash>> under_way_;
  std::atomic<std::size_t> in_flight_ = 0;
  std::atomic<std::int64_t> attempts_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< Their threads use everything above.
  Windows windows_{[this](Tickets tickets) { release(std::move(tickets)); }};  ///< Feeds the lanes.
};

Engine::Engine(std::unique_ptr<Lanes> lanes) : lanes_(std::move(lanes)) {}

Engine::~Engine() { drain(); }

Result<std::unique_ptr<Engine>> Engine::start(Store& store, const EngineOptions& options,
                                              Observer& observer) {
  auto lanes = std::make_unique<Lanes>(observer, random_hex(16));
  if (Result<void> opened = lanes->open(store, options); !opened) return failure(std::move(opened.error()));
  return std::unique_ptr<Engine>(new Engine(std::move(lanes)));
}

void Engine::submit(Command command, ReplyFunction reply) {
  lanes_->submit(std::move(command), std::move(reply));
}

void Engine::drain() { lanes_->drain(); }

std::size_t Engine::in_flight() const { return lanes_->in_flight(); }

}  // namespace hotrow
