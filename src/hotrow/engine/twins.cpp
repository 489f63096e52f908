#include "hotrow/engine/twins.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow {

Twins::Role Twins::join(const Key& key, std::unique_ptr<Ticket>& ticket) {
  HOTROW_ASSERT(ticket != nullptr && key.kind == KeyKind::answer);
  return waiting_.with([&](auto& waiting) {
    const auto [found, is_first] = waiting.try_emplace(key);
    if (is_first) return Role::first;
    found->second.push_back(std::move(ticket));
    return Role::waiting;
  });
}

Tickets Twins::take(const Key& key) {
  return waiting_.with([&](auto& waiting) {
    const auto found = waiting.find(key);
    HOTROW_ASSERT(found != waiting.end());
    Tickets tickets = std::move(found->second);
    waiting.erase(found);
    return tickets;
  });
}

}  // namespace hotrow
