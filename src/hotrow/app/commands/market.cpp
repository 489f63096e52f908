#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdio>
#include <functional>

#include "hotrow/app/market_driver.hpp"
#include "hotrow/app/market_reader.hpp"
#include "hotrow/app/remote.hpp"
#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::size_t differences_shown_max = 50;

double milliseconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000; }

/// Only for a person who watches: a log has no use for it.
void show_line(const std::string& line) { std::fprintf(stderr, "\r\033[K%s", line.c_str()); }

std::size_t refused(const MarketProgress& progress) { return progress.answered - progress.accepted; }

/// "bid_too_low 120, listing_closed 40", the most frequent first.
std::string refusals(const MarketProgress& progress, std::size_t shown_max) {
  std::vector<std::pair<std::size_t, std::string>> codes;
  for (const auto& [code, count] : progress.refusals) codes.emplace_back(count, code);
  std::ranges::sort(codes, std::greater());
  std::string text;
  for (std::size_t i = 0; i < std::min(codes.size(), shown_max); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", codes[i].second, codes[i].first);
  }
  return text;
}

void show_trading(const MarketProgress& progress) {
  show_line(fmt::format(
      "{:.0f} s  {:.0f}/s  {} accepted  {} refused ({})  {} live  p50 {:.1f} ms  p99 {:.1f} ms",
      milliseconds(progress.elapsed) / 1000, progress.rate, progress.accepted, refused(progress),
      refusals(progress, 2), progress.live, milliseconds(progress.p50), milliseconds(progress.p99)));
}

void show_reading(std::size_t done, std::size_t of) {
  if (done % 50 == 0 || done == of) show_line(fmt::format("comparing with the books: {} of {}", done, of));
}

std::size_t made(const MarketBooks& books) {
  return static_cast<std::size_t>(std::ranges::count(books.listings, true, &MarketListing::made));
}

void print_text(const MarketReport& report, const std::vector<std::string>& found) {
  const MarketProgress& total = report.total;
  fmt::print("{} players, {} listings, {:.1f} s: {:.0f} calls a second, p50 {:.1f} ms, p99 {:.1f} ms\n",
             report.books.players.size(), made(report.books), milliseconds(total.elapsed) / 1000, total.rate,
             milliseconds(total.p50), milliseconds(total.p99));
  fmt::print("{:<12} {:>10} {:>10}\n", "", "accepted", "refused");
  for (std::size_t act = 0; act < total.calls.size(); ++act) {
    fmt::print("{:<12} {:>10} {:>10}\n", to_string(MarketCall::Act(act)), total.calls[act].accepted,
               total.calls[act].refused);
  }
  fmt::print("{} repeated at once or later, {} answers lost, {} sent again, {} never answered\n",
             total.repeated, total.lost, total.retried, total.unanswered);
  if (!total.refusals.empty()) fmt::print("refused: {}\n", refusals(total, total.refusals.size()));
  if (found.empty()) {
    fmt::print("checked {} wallets, {} items, {} listings: the books and the server agree\n",
               report.books.players.size(), report.books.items.size(), made(report.books));
    return;
  }
  fmt::print("{} differences:\n", found.size());
  for (std::size_t i = 0; i < std::min(found.size(), differences_shown_max); ++i) {
    fmt::print("  {}\n", found[i]);
  }
}

void print_json(const MarketOptions& options, const MarketReport& report,
                const std::vector<std::string>& found) {
  const MarketProgress& total = report.total;
  json::object calls;
  for (std::size_t act = 0; act < total.calls.size(); ++act) {
    calls[to_string(MarketCall::Act(act))] = {{"accepted", total.calls[act].accepted},
                                              {"refused", total.calls[act].refused}};
  }
  json::object codes;
  for (const auto& [code, count] : total.refusals) codes[code] = count;
  const json::object result{{"ok", found.empty()},
                            {"prefix", options.plan.prefix},
                            {"seed", options.plan.seed},
                            {"players", report.books.players.size()},
                            {"items", report.books.items.size()},
                            {"listings", made(report.books)},
                            {"seconds", milliseconds(total.elapsed) / 1000},
                            {"answered", total.answered},
                            {"accepted", total.accepted},
                            {"refused", refused(total)},
                            {"calls", std::move(calls)},
                            {"refusals", std::move(codes)},
                            {"repeated", total.repeated},
                            {"lost", total.lost},
                            {"retried", total.retried},
                            {"unanswered", total.unanswered},
                            {"per_second", total.rate},
                            {"p50_ms", milliseconds(total.p50)},
                            {"p99_ms", milliseconds(total.p99)},
                            {"differences", json::array(found.begin(), found.end())}};
  fmt::print("{}\n", pretty(result));
}

int fail(const Error& error) {
  fmt::print(stderr, "hotrow: {} ({})\n", error.detail, error.code);
  return exit_usage;
}

/// nullopt, with the reason on standard error, when a URL is none or nobody answers.
std::optional<std::vector<HttpUrl>> find_servers(const MarketCommandOptions& options) {
  std::vector<HttpUrl> urls;
  std::optional<Error> silent;
  for (const std::string& text : options.urls) {
    std::optional<HttpClient> client = open_remote({.url = text, .api_key = options.api_key});
    if (!client) return std::nullopt;
    urls.push_back(*parse_http_url(text));
    if (const auto answer = client->get("/healthz"); !answer) silent = answer.error();
  }
  if (!silent) return urls;
  fail(*silent);
  return std::nullopt;
}

}  // namespace

int market_command(const MarketCommandOptions& given) {
  const std::optional<std::vector<HttpUrl>> urls = find_servers(given);
  if (!urls) return exit_usage;
  const bool watched = isatty(STDERR_FILENO) != 0;
  MarketOptions options{.urls = *urls,
                        .api_key = given.api_key,
                        .plan = {.players = given.players,
                                 .listings = given.listings,
                                 .seed = given.seed.value_or(random_seed() >> 1U),
                                 .prefix = "m" + random_hex(4)},
                        .duration = std::chrono::seconds(given.seconds),
                        .connections = given.connections};
  if (watched) options.progress = show_trading;
  const Result<MarketReport> report = drive_market(options);
  if (watched) show_line("");
  if (!report) return fail(report.error());

  MarketReader::Options reading{.urls = *urls, .api_key = given.api_key};
  if (watched) reading.progress = show_reading;
  const Result<MarketState> state = MarketReader(std::move(reading)).read(report->books);
  if (watched) show_line("");
  if (!state) {
    fail(state.error());
    return exit_no;
  }
  const std::vector<std::string> found = differences(report->books, *state);
  if (given.json) {
    print_json(options, *report, found);
  } else {
    print_text(*report, found);
  }
  return found.empty() ? exit_ok : exit_no;
}

}  // namespace hotrow
