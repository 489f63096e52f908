#include "hotrow/engine/combiner.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"

namespace hotrow {

bool Combiner::has_room(const Ticket& ticket) const {
  const std::size_t before = is_blocked(ticket) ? waiting_weight_ : waiting_weight_ - held_weight_;
  if (before + ticket.weight > limits_.queue_weight_max) return false;
  if (waiting_weight_ + ticket.weight > 2 * limits_.queue_weight_max) return false;
  if (!ticket.share) return true;
  const auto found = actors_.find(ticket.share->actor);
  const std::size_t waiting = found != actors_.end() ? found->second : 0;
  return waiting + ticket.weight <= limits_.queue_weight_max - before;
}

void Combiner::push(std::unique_ptr<Ticket> ticket) {
  HOTROW_ASSERT(has_room(*ticket));
  waiting_weight_ += ticket->weight;
  if (ticket->share) actors_[ticket->share->actor] += ticket->weight;
  ticket->sequence = next_sequence_++;
  const bool background = ticket->command.envelope.command_class == CommandClass::background;
  (background ? background_ : interactive_).push_back(std::move(ticket));
}

Tickets Combiner::take() {
  const std::size_t quarter = limits_.batch_weight_max / 4;
  Tickets batch;
  const std::size_t people =
      take_from(interactive_, limits_.batch_weight_max - (background_.empty() ? 0 : quarter), batch);
  take_from(background_, batch.empty() ? quarter / 4 : std::min(quarter, people / 3), batch);
  std::sort(batch.begin(), batch.end(),
            [](const auto& a, const auto& b) { return a->sequence < b->sequence; });
  return batch;
}

/// Moves commands into the batch: one, and what then fits into `weight_max`. Returns their weight.
std::size_t Combiner::take_from(Queue& queue, std::size_t weight_max, Tickets& batch) {
  std::size_t weight = 0;
  while (!queue.empty()) {
    Ticket& next = *queue.front();
    if (!is_blocked(next)) {
      const bool fits = weight == 0 || weight + next.weight <= weight_max;
      if (!fits) return weight;
      weight += next.weight;
      left(next);
      batch.push_back(std::move(queue.front()));
    } else {
      held_weight_ += next.weight;
      held_.push_back(std::move(queue.front()));
    }
    queue.pop_front();
  }
  return weight;
}

void Combiner::left(const Ticket& ticket) {
  HOTROW_ASSERT(waiting_weight_ >= ticket.weight);
  waiting_weight_ -= ticket.weight;
  if (!ticket.share) return;
  const auto actor = actors_.find(ticket.share->actor);
  HOTROW_ASSERT(actor != actors_.end() && actor->second >= ticket.weight);
  actor->second -= ticket.weight;
  if (actor->second == 0) actors_.erase(actor);
}

bool Combiner::is_blocked(const Ticket& ticket) const {
  if (blocks_.empty()) return false;
  return std::any_of(ticket.hot_keys.begin(), ticket.hot_keys.end(),
                     [this](const Key& key) { return blocks_.contains(key); });
}

void Combiner::block(const Keys& keys) {
  for (const Key& key : keys) ++blocks_[key];
}

void Combiner::unblock(const Keys& keys) {
  bool any_free = false;
  for (const Key& key : keys) {
    const auto found = blocks_.find(key);
    HOTROW_ASSERT(found != blocks_.end());
    if (--found->second > 0) continue;
    blocks_.erase(found);
    any_free = true;
  }
  if (!any_free) return;
  // Held commands came before everything that still waits in their queue; those that are still blocked are
  // met and held again by the next take(), in the same order.
  while (!held_.empty()) {
    const bool background = held_.back()->command.envelope.command_class == CommandClass::background;
    (background ? background_ : interactive_).push_front(std::move(held_.back()));
    held_.pop_back();
  }
  held_weight_ = 0;
}

}  // namespace hotrow
