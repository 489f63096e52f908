#include "hotrow/app/sample_data.hpp"

#include <array>
#include <future>

#include "hotrow/core/listing.hpp"
#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

constexpr const char* sample_promotion = "launch";
constexpr const char* sample_listing = "silver-sword";
constexpr std::chrono::hours open_since{1};

struct SamplePlayer {
  const char* id;
  std::int64_t gold;
};
constexpr std::array<SamplePlayer, 3> sample_players{{{"anna", 1'000}, {"ben", 2'000}, {"cleo", 3'000}}};

Owner player(const char* id) { return {.kind = OwnerKind::player, .id = id}; }

PromotionSettings sample_settings(Timestamp now) {
  return {.title = "The 1000th entry wins 100,000 won",
          .rule = NthRule{{1000}},
          .starts_at = now - open_since,
          .prize = Prize{.amount = 100'000, .currency = "KRW", .description = "100,000 won"}};
}

std::vector<CommandBody> market_commands(const Rates& rates) {
  std::vector<CommandBody> commands;
  for (const SamplePlayer& sample : sample_players) {
    commands.emplace_back(MoveMoney{.owner = player(sample.id),
                                    .amount = sample.gold,
                                    .note = "sample data",
                                    .external_id = "sample-data"});
  }
  commands.emplace_back(
      CreateItem{.facts = {.id = "old-shield", .family = "shield"}, .owner = player("anna")});
  commands.emplace_back(CreateListing{.listing = "war-horse",
                                      .seller = "ben",
                                      .item = "horse-1",
                                      .facts = ItemFacts{.id = "horse-1", .family = "mount"},
                                      .start_price = 200,
                                      .min_increment = 10,
                                      .duration = listing_duration_max,
                                      .rates = rates});
  // The last: when it is there, so is everything.
  commands.emplace_back(CreateListing{.listing = sample_listing,
                                      .seller = "anna",
                                      .item = "sword-1",
                                      .facts = ItemFacts{.id = "sword-1", .family = "sword"},
                                      .start_price = 100,
                                      .buyout_price = 500,
                                      .min_increment = 5,
                                      .duration = listing_duration_max,
                                      .rates = rates});
  return commands;
}

/// A refusal is none of a failure: what is there already stays.
Result<void> run(Engine& engine, const std::string& server, CommandBody body) {
  Command command{.envelope = {.actor = "hotrow",
                               .principal = "hotrow",
                               .request_id = "sample-data",
                               .server = server,
                               .arrived_at = wall_clock_now()},
                  .body = std::move(body)};
  const auto told = std::make_shared<std::promise<Result<Reply>>>();
  engine.submit(std::move(command), [told](Result<Reply> reply) { told->set_value(std::move(reply)); });
  const Result<Reply> reply = told->get_future().get();
  if (!reply) return failure(reply.error());
  return {};
}

Result<void> create_promotion(Engine& engine, Queries& queries, const std::string& server) {
  const auto present = queries.promotion(sample_promotion);
  if (!present) return failure(present.error());
  if (*present) return {};
  const Result<Timestamp> now = queries.now();
  if (!now) return failure(now.error());
  PutPromotion put{.promotion = sample_promotion,
                   .settings = std::make_shared<const PromotionSettings>(sample_settings(*now)),
                   .reason = "sample data"};
  if (auto created = run(engine, server, std::move(put)); !created) return created;
  log(LogLevel::info, "sample promotion created", {{"promotion", sample_promotion}});
  return {};
}

Result<void> create_market(Engine& engine, Queries& queries, const SampleDataOptions& options) {
  const auto present = queries.listing(sample_listing);
  if (!present) return failure(present.error());
  if (*present) return {};
  for (CommandBody& body : market_commands(options.rates)) {
    if (auto done = run(engine, options.server, std::move(body)); !done) return done;
  }
  log(LogLevel::info, "sample listings created", {{"listing", sample_listing}});
  return {};
}

}  // namespace

Result<void> create_sample_data(Engine& engine, Queries& queries, const SampleDataOptions& options) {
  if (auto created = create_promotion(engine, queries, options.server); !created) return created;
  return create_market(engine, queries, options);
}

}  // namespace hotrow
