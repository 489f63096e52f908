#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hotrow/base/hash.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow {

/// Creates a promotion or changes its settings.
struct PutPromotion {
  std::string promotion;
  std::shared_ptr<const PromotionSettings> settings;
  std::optional<std::int64_t> if_version;  ///< From If-Match.
  std::string reason;
};

enum class PromotionAction : std::uint8_t {
  pause,
  resume,
  close,
  close_when_ended,  ///< What the due worker does: nothing before ends_at.
};

struct ChangePromotion {
  std::string promotion;
  PromotionAction action;
  std::optional<std::int64_t> if_version;
  std::string reason;
};

struct EnterPromotion {
  std::string promotion;
  std::string user;
};

/// Entries for many users in the order given. One command, one answer.
struct EnterPromotionBatch {
  std::string promotion;
  std::vector<std::string> users;
};

using CommandBody = std::variant<PutPromotion, ChangePromotion, EnterPromotion, EnterPromotionBatch>;

enum class CommandClass : std::uint8_t {
  interactive,
  background,  ///< The server's own housekeeping: takes at most a quarter of a batch.
};

/// Who asks, how to recognise the same request again, and how long it is worth an answer.
struct Envelope {
  std::string actor;            ///< Name of the API key, or "hotrow" for the server's own commands.
  std::string principal;        ///< Who acts; part of the idempotency scope.
  std::string idempotency_key;  ///< Empty: none.
  Sha256 fingerprint{};         ///< Of method, path and canonical body; only with a key.
  std::string request_id;
  std::string traceparent;  ///< W3C Trace Context; may be empty.
  std::string server;       ///< Name of the server that took the request.
  Timestamp arrived_at;     ///< This machine's clock when the request was complete. Display only.
  SteadyTime deadline = SteadyTime::max();
  CommandClass command_class = CommandClass::interactive;
};

struct Command {
  Envelope envelope;
  CommandBody body;
};

/// The keys that the command contends for, known without reading anything. They choose the lane.
Keys hot_keys(const Command& command);

/// Rows this command will write, about: what a batch is bounded by.
std::size_t weight(const Command& command);

/// "enter_promotion", ...: for metrics and logs.
std::string_view command_kind(const Command& command);

/// How long the command may wait for strangers' locks before it is told `busy`.
std::chrono::milliseconds lock_budget(const Command& command);

/// What the server's own worker does about a subject that Queries::due() named.
CommandBody due_command(const Key& subject);

/// The stored answer's key; nullopt when the command carries no idempotency key.
std::optional<Key> answer_key(const Envelope& envelope);

}  // namespace hotrow
