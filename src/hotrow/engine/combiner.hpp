#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "hotrow/engine/ticket.hpp"

namespace hotrow {

/// Puts waiting commands together into batches.
///
/// This is the idea of the whole program in one small class. Requests for a hot row that arrive while a
/// transaction commits are not told to wait for their own turn at the row; they gather here, and the next
/// transaction takes them all. One lock, one flush, many answers. The batch grows by itself with the
/// pressure: a lonely command makes a batch of one and is not held back for company, and a thousand waiting
/// commands make a batch of a thousand, so that throughput rises exactly when it is needed.
///
/// Order: commands for the same hot key leave in the order in which they came. Keys can be blocked while an
/// earlier batch that needs them is parked (waiting to be tried again, or for a stranger's lock); commands
/// for those keys then stay, in order, and the others pass them: a stuck row hurts only those who need it.
///
/// Background commands take a quarter of a batch at most: of what is in it, not of what it could hold,
/// because everybody in a batch waits for all of it. With nobody else there they go a sixteenth of the
/// largest batch at a time: who comes meanwhile waits for little. So a backlog of housekeeping after a
/// restart does not delay people; and since one goes with every batch, people do not delay it for ever.
///
/// No thread, no clock, no lock: time and turns are the lane's business (engine/lane.hpp). A value used by
/// one thread at a time.
class Combiner {
 public:
  struct Limits {
    std::size_t batch_weight_max =
        4'096;  ///< Rows a batch may write, about. One command may exceed it alone.
    std::size_t queue_weight_max = 65'536;  ///< Rows that may wait.
  };

  explicit Combiner(const Limits& limits) : limits_(limits) {}

  /// Whether this command would still be taken. What is held back takes no room from the others, so that a
  /// stuck row cannot fill the queue; together they may be twice as many. One actor waits with no more than
  /// the room that is left: the first to crowd may fill half of the queue, the next a quarter, and whoever
  /// comes with little gets in.
  bool has_room(const Ticket& ticket) const;

  /// Takes a command in. The caller has asked has_room().
  void push(std::unique_ptr<Ticket> ticket);

  /// The next batch in order of arrival; empty when nothing can go.
  Tickets take();

  /// Holds back commands for these keys. Blocks are counted: a key is free when each block was undone.
  void block(const Keys& keys);
  void unblock(const Keys& keys);

  /// Commands waiting, held back ones included.
  std::size_t waiting() const { return interactive_.size() + background_.size() + held_.size(); }

  /// Whether take() may find something.
  bool ready() const { return !interactive_.empty() || !background_.empty(); }

 private:
  using Queue = std::deque<std::unique_ptr<Ticket>>;

  bool is_blocked(const Ticket& ticket) const;
  void left(const Ticket& ticket);
  std::size_t take_from(Queue& queue, std::size_t weight_max, Tickets& batch);

  Limits limits_;
  Queue interactive_;
  Queue background_;
  Queue held_;  ///< Met by take() while one of their keys was blocked; in order of arrival.
  std::unordered_map<Key, int, KeyHash> blocks_;
  std::size_t waiting_weight_ = 0;
  std::size_t held_weight_ = 0;                           ///< Of it, what is in held_.
  std::unordered_map<Key, std::size_t, KeyHash> actors_;  ///< Waiting weight of each share's actor.
  std::uint64_t next_sequence_ = 1;
};

}  // namespace hotrow
