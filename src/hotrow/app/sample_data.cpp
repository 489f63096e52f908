#include "hotrow/app/sample_data.hpp"

#include <future>

#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

constexpr const char* sample_id = "launch";
constexpr std::chrono::hours open_since{1};

PromotionSettings sample_settings(Timestamp now) {
  return {.title = "The 1000th entry wins 100,000 won",
          .rule = NthRule{{1000}},
          .starts_at = now - open_since,
          .prize = Prize{.amount = 100'000, .currency = "KRW", .description = "100,000 won"}};
}

}  // namespace

Result<void> create_sample_data(Engine& engine, Queries& queries, const std::string& server) {
  const auto present = queries.promotion(sample_id);
  if (!present) return failure(present.error());
  if (*present) return {};
  const Result<Timestamp> now = queries.now();
  if (!now) return failure(now.error());

  Command command{
      .envelope = {.actor = "hotrow",
                   .principal = "hotrow",
                   .request_id = "sample-data",
                   .server = server,
                   .arrived_at = wall_clock_now()},
      .body = PutPromotion{.promotion = sample_id,
                           .settings = std::make_shared<const PromotionSettings>(sample_settings(*now)),
                           .reason = "sample data"}};
  const auto told = std::make_shared<std::promise<Result<Reply>>>();
  engine.submit(std::move(command), [told](Result<Reply> reply) { told->set_value(std::move(reply)); });
  const Result<Reply> reply = told->get_future().get();
  if (!reply) return failure(reply.error());
  log(LogLevel::info, "sample promotion created", {{"promotion", sample_id}});
  return {};
}

}  // namespace hotrow
