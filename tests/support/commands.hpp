#pragma once

#include <string>
#include <vector>

#include "hotrow/core/command.hpp"
#include "hotrow/core/outcome.hpp"

namespace hotrow::test {

/// 2026-06-01T00:00:00Z, when the tests' promotions start.
inline constexpr Timestamp opening{1'780'272'000'000'000};

PromotionSettings nth_settings(std::vector<std::int64_t> targets);

/// In an envelope of the tests, without an idempotency key.
Command command_of(CommandBody body);

Command put_promotion(std::string promotion, PromotionSettings settings);
Command change_promotion(std::string promotion, PromotionAction action);
Command enter(std::string promotion, std::string user);
Command enter_batch(std::string promotion, std::vector<std::string> users);

/// The same command under an idempotency key; the fingerprint follows from `payload`.
Command with_key(Command command, std::string key, std::string payload = "payload");

/// The answer as text: equal texts are equal answers.
std::string text_of(const Answer& answer);

const EntryAnswer& entry_of(const Answer& answer);
RejectionCode code_of(const Answer& answer);

}  // namespace hotrow::test
