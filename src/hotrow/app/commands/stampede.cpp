#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdio>
#include <random>

#include "hotrow/app/load_driver.hpp"
#include "hotrow/app/remote.hpp"
#include "hotrow/app/stampede_check.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::size_t contradictions_shown_max = 50;
constexpr std::size_t winners_shown_max = 20;

double milliseconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string progress_line(const LoadProgress& progress) {
  return fmt::format("{} answered  {:.0f}/s  place {}  p50 {:.1f} ms  p99 {:.1f} ms  {} refused  {} retried",
                     progress.answered, progress.rate, progress.latest_ordinal, milliseconds(progress.p50),
                     milliseconds(progress.p99), progress.refused, progress.retried);
}

/// Only for a person who watches: a log has no use for it.
void show_progress(const LoadProgress& progress) {
  std::fprintf(stderr, "\r\033[K%s", progress_line(progress).c_str());
}

std::string in_english(std::int64_t ordinal) {
  const std::int64_t tens = ordinal % 100;
  const bool teen = tens >= 11 && tens <= 13;
  const std::int64_t digit = teen ? 0 : ordinal % 10;
  return std::to_string(ordinal) + (digit == 1 ? "st" : digit == 2 ? "nd" : digit == 3 ? "rd" : "th");
}

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

/// Winners with their entries, from the list itself.
std::vector<ListedEntry> winners_of(const PromotionListing& listing) {
  std::vector<ListedEntry> winners;
  for (const ListedEntry& entry : listing.list) {
    if (entry.winner) winners.push_back(entry);
  }
  return winners;
}

void print_text(const StampedeOptions& options, const LoadReport& report, const PromotionListing& listing,
                const std::vector<std::string>& found) {
  fmt::print("{}: {}\n", options.promotion, listing.title);
  fmt::print("{} requests in {:.2f} s: {}\n", report.receipts.size(),
             milliseconds(report.total.elapsed) / 1000, progress_line(report.total));
  if (report.total.unanswered > 0)
    fmt::print("{} were given up without an answer\n", report.total.unanswered);
  const std::vector<ListedEntry> winners = winners_of(listing);
  for (std::size_t i = 0; i < std::min(winners.size(), winners_shown_max); ++i) {
    fmt::print("the {} entrant: {}\n", in_english(winners[i].ordinal), winners[i].user);
  }
  if (winners.size() > winners_shown_max)
    fmt::print("and {} more winners\n", winners.size() - winners_shown_max);
  if (winners.empty()) fmt::print("no target was reached; the promotion has {} entries\n", listing.entries);
  if (found.empty()) {
    fmt::print("checked {} entries: places 1 to {} without a gap or a repeat, every answer holds\n",
               listing.list.size(), listing.entries);
    return;
  }
  fmt::print("{} contradictions:\n", found.size());
  for (std::size_t i = 0; i < std::min(found.size(), contradictions_shown_max); ++i) {
    fmt::print("  {}\n", found[i]);
  }
}

void print_json(const StampedeOptions& options, std::uint64_t seed, const LoadReport& report,
                const PromotionListing& listing, const std::vector<std::string>& found) {
  const LoadProgress& total = report.total;
  json::array winners;
  for (const ListedEntry& winner : winners_of(listing)) {
    winners.push_back(
        {{"ordinal", winner.ordinal}, {"user_id", winner.user}, {"entered_at", winner.entered_at}});
  }
  const json::object result{{"ok", found.empty()},
                            {"promotion_id", options.promotion},
                            {"seed", seed},
                            {"requests", report.receipts.size()},
                            {"answered", total.answered},
                            {"refused", total.refused},
                            {"retried", total.retried},
                            {"unanswered", total.unanswered},
                            {"seconds", milliseconds(total.elapsed) / 1000},
                            {"per_second", total.rate},
                            {"p50_ms", milliseconds(total.p50)},
                            {"p99_ms", milliseconds(total.p99)},
                            {"entries", listing.entries},
                            {"winners", std::move(winners)},
                            {"contradictions", json::array(found.begin(), found.end())}};
  fmt::print("{}\n", pretty(result));
}

int explain(const StampedeOptions& options, const Error& error) {
  if (error.code == "promotion_not_found") {
    fmt::print(stderr,
               "hotrow: there is no promotion {0}. Create it first, for example:\n"
               "  hotrow promotion create {0} --title \"1000th entry wins\" --nth 1000\n",
               options.promotion);
  } else {
    fmt::print(stderr, "hotrow: {} ({})\n", error.detail, error.code);
  }
  return exit_usage;
}

}  // namespace

int stampede_command(const RemoteOptions& remote, const StampedeOptions& options) {
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  if (const auto promotion = fetch_promotion(*client, options.promotion); !promotion) {
    return explain(options, promotion.error());
  }
  const std::uint64_t seed = options.seed.value_or(random_seed());
  const StampedePlan plan =
      plan_stampede({.users = options.users, .repeat_share = options.repeat_share, .seed = seed});
  LoadOptions load{.url = *parse_http_url(remote.url),
                   .promotion = options.promotion,
                   .api_key = remote.api_key,
                   .connections = options.connections,
                   .seed = seed};
  if (isatty(STDERR_FILENO) != 0) load.progress = show_progress;
  const Result<LoadReport> report = drive_load(plan, load);
  if (load.progress) std::fputs("\r\033[K", stderr);
  if (!report) return explain(options, report.error());

  const Result<PromotionListing> listing = fetch_listing(*client, options.promotion);
  if (!listing) return explain(options, listing.error());
  const std::vector<std::string> found = contradictions(plan, report->receipts, *listing);
  if (options.json) {
    print_json(options, seed, *report, *listing, found);
  } else {
    print_text(options, *report, *listing, found);
  }
  return found.empty() ? exit_ok : exit_no;
}

}  // namespace hotrow
