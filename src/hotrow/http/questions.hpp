#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "hotrow/engine/readers.hpp"
#include "hotrow/http/exchange.hpp"

// The calls that read promotions, each answered from a reader's thread. Safe from all threads.
namespace hotrow::http {

/// Hands `answer` (from Queries& to Result<Response>) to a reader. Answers at once when none can take it.
template <class Answer>
std::optional<Response> ask(Readers& readers, Exchange& exchange, Answer answer) {
  const bool taken = readers.submit([&exchange, answer = std::move(answer)](Queries& queries) mutable {
    Result<Response> response = answer(queries);
    exchange.answer(response ? std::move(*response) : failure_response(response.error(), exchange.context()));
  });
  if (taken) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

/// The id in the path; nullopt when it is not one.
std::optional<std::string> path_id(const Exchange& exchange, std::size_t capture);

/// 400 for a path whose id is not one, 404 for a promotion that is not there.
Response invalid_path_response(const Exchange& exchange);
Response promotion_not_found_response(const Exchange& exchange, const std::string& promotion);

std::optional<Response> get_promotion(Readers& readers, Exchange& exchange);
std::optional<Response> list_promotions(Readers& readers, Exchange& exchange);
std::optional<Response> get_entry(Readers& readers, Exchange& exchange);
std::optional<Response> list_entries(Readers& readers, Exchange& exchange);
std::optional<Response> list_winners(Readers& readers, Exchange& exchange);

/// "Why that person?"
std::optional<Response> explain_winner(Readers& readers, Exchange& exchange, const std::string& instance);

/// Lets one at a time in. Safe from all threads.
class Turnstile {
 public:
  /// Keeps others out until the last copy is gone; nullptr when somebody is in.
  using Pass = std::shared_ptr<void>;
  Pass enter() {
    if (occupied_->exchange(true)) return nullptr;
    return {occupied_.get(), [occupied = occupied_](void*) { occupied->store(false); }};
  }

 private:
  std::shared_ptr<std::atomic<bool>> occupied_ = std::make_shared<std::atomic<bool>>(false);
};

std::optional<Response> audit_promotion(Readers& slow_readers, Turnstile& turnstile, Exchange& exchange);

struct ExportLimits {
  std::chrono::milliseconds patience;  ///< Without the client taking anything.
  std::chrono::milliseconds time_max;  ///< In all.
};

/// Streams in constant memory; a client beyond the limits is cut off.
std::optional<Response> export_entries(Readers& slow_readers, Turnstile& turnstile,
                                       const ExportLimits& limits, Exchange& exchange);

}  // namespace hotrow::http
