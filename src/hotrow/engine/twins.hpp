#pragma once

#include <unordered_map>
#include <vector>

#include "hotrow/base/guarded.hpp"
#include "hotrow/engine/ticket.hpp"

namespace hotrow {

/// Requests under one idempotency key that are under way at the same time. The first is decided; its twins
/// (same fingerprint) are told its answer, so that they cost nothing and can never be told two things.
/// Another request under the same key waits until the first is answered and is then judged by the stored
/// answer. Process-wide, in front of the lanes. Safe from all threads.
class Twins {
 public:
  /// What is to be done with a ticket that carries `key`.
  enum class Role { first, waiting };

  /// `waiting`: the ticket was kept. `first`: it stays with the caller, who must call take() once it is
  /// answered.
  Role join(const Key& key, std::unique_ptr<Ticket>& ticket);

  /// Ends the turn of the key's first ticket and returns all that waited behind it, in order.
  Tickets take(const Key& key);

 private:
  Guarded<std::unordered_map<Key, Tickets, KeyHash>> waiting_;
};

}  // namespace hotrow
