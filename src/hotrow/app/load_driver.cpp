#include "hotrow/app/load_driver.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <optional>
#include <random>

#include "hotrow/app/http_pipe.hpp"
#include "hotrow/app/latencies.hpp"

namespace hotrow {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds backoff_base{50};
constexpr milliseconds backoff_max{2000};
constexpr milliseconds progress_interval{200};

microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<microseconds>(Clock::now() - start);
}

/// What all connections of a run share. Everything happens on one thread.
struct Run {
  const StampedePlan& plan;
  const LoadOptions& options;
  asio::io_context loop{1};
  std::vector<PipeServer> servers;
  std::string first_line;  ///< Of every request.
  std::mt19937_64 chance;
  std::size_t next = 0;
  std::size_t finished = 0;
  std::size_t working = 0;  ///< Connections with something left to do.
  LoadReport report;
  Latencies latencies;
  std::optional<Error> error;
  Clock::time_point started = Clock::now();

  Run(const StampedePlan& the_plan, const LoadOptions& the_options)
      : plan(the_plan), options(the_options), chance(the_options.seed) {}

  void fail(Error why) {
    if (!error) error = std::move(why);
    loop.stop();
  }
};

std::string request_line(const LoadOptions& options) {
  return "POST /v1/promotions/" + percent_encoded(options.promotion) + "/entries HTTP/1.1\r\n";
}

template <class T>
T member(const json::object& object, std::string_view name, T otherwise) {
  const json::value* value = object.if_contains(json::string_view(name.data(), name.size()));
  if (value == nullptr) return otherwise;
  if constexpr (std::is_same_v<T, bool>) return value->is_bool() ? value->get_bool() : otherwise;
  if constexpr (std::is_same_v<T, std::int64_t>) return value->is_int64() ? value->get_int64() : otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return value->is_string() ? std::string(value->get_string()) : otherwise;
  }
}

/// What an answer asks of the client.
struct Verdict {
  enum class What : std::uint8_t { final, again, hopeless } what = What::final;
  EntryReceipt receipt;
};

Verdict judge(std::uint32_t user, int status, const std::string& body) {
  Verdict verdict;
  verdict.receipt.user = user;
  verdict.receipt.status = status;
  json::error_code error;
  const json::value parsed = json::parse(body, error);
  static const json::object nothing;
  const json::object& object = !error && parsed.is_object() ? parsed.get_object() : nothing;
  if (status == 200 || status == 201) {
    verdict.receipt.ordinal = member<std::int64_t>(object, "ordinal", 0);
    verdict.receipt.winner = member(object, "winner", false);
    verdict.receipt.already = member(object, "already", false);
    verdict.receipt.entered_at = member(object, "entered_at", std::string());
    return verdict;
  }
  verdict.receipt.code = member(object, "code", "http_" + std::to_string(status));
  if (status >= 500 || status == 429 || status == 408 || member(object, "retryable", false)) {
    verdict.what = Verdict::What::again;
  } else if (status != 409) {
    verdict.what = Verdict::What::hopeless;
  }
  return verdict;
}

/// One connection: takes a request, asks until there is an answer, takes the next.
class Connection {
 public:
  explicit Connection(Run& run) : run_(run), pipe_(run.loop, run.servers, 0), timer_(run.loop) {}

  void start() {
    ++run_.working;
    take_next();
  }

 private:
  void take_next() {
    if (run_.next == run_.plan.requests.size()) {
      --run_.working;
      return;
    }
    user_ = run_.plan.requests[run_.next++];
    tries_ = 0;
    give_up_at_ = Clock::now() + run_.options.patience;
    request_ = {.first_line = run_.first_line,
                .body = "{\"user_id\":" + json::serialize(json::string_view(run_.plan.users[user_])) + "}"};
    ask();
  }

  void ask() {
    sent_at_ = Clock::now();
    pipe_.ask(request_, [this](boost::system::error_code error, const HttpAnswer& answer) {
      if (error) return lost(error);
      answered(answer);
    });
  }

  void answered(const HttpAnswer& answer) {
    Verdict verdict = judge(user_, answer.status, answer.body);
    switch (verdict.what) {
      case Verdict::What::final: return finish(std::move(verdict.receipt));
      case Verdict::What::again: return again(std::move(verdict.receipt));
      case Verdict::What::hopeless:
        return run_.fail(Error{ErrorKind::invalid, verdict.receipt.code, answer.body});
    }
  }

  void finish(EntryReceipt receipt) {
    LoadProgress& total = run_.report.total;
    run_.latencies.add(since(sent_at_));
    ++total.answered;
    total.refused += receipt.ordinal == 0 ? 1 : 0;
    total.latest_ordinal = std::max(total.latest_ordinal, receipt.ordinal);
    run_.report.receipts.push_back(std::move(receipt));
    take_next();
  }

  /// A lost connection may have cost the answer, not the place: the same person asks again.
  void lost(boost::system::error_code error) {
    if (run_.latencies.size() == 0 && error == asio::error::connection_refused) {
      return run_.fail(Error{ErrorKind::transient, "http_unreachable",
                             "http://" + run_.options.url.authority + ": " + error.message()});
    }
    again(EntryReceipt{.user = user_, .code = "connection_lost"});
  }

  void again(EntryReceipt receipt) {
    if (Clock::now() >= give_up_at_) return give_up(std::move(receipt));
    ++run_.report.total.retried;
    const milliseconds ceiling = std::min(backoff_max, backoff_base * (1 << std::min(tries_++, 6)));
    const auto jitter =
        static_cast<std::int64_t>(run_.chance() % static_cast<std::uint64_t>(ceiling.count()));
    timer_.expires_after(ceiling / 2 + milliseconds(jitter));
    timer_.async_wait([this](boost::system::error_code) { ask(); });
  }

  void give_up(EntryReceipt receipt) {
    ++run_.report.total.unanswered;
    receipt.status = 0;
    run_.report.receipts.push_back(std::move(receipt));
    take_next();
  }

  Run& run_;
  HttpPipe pipe_;
  asio::steady_timer timer_;
  HttpPipe::Request request_;
  std::uint32_t user_ = 0;
  int tries_ = 0;
  Clock::time_point sent_at_;
  Clock::time_point give_up_at_;
};

/// Tells the progress until no connection works any more.
class Ticker {
 public:
  explicit Ticker(Run& run) : run_(run), timer_(run.loop) {}

  void start() {
    timer_.expires_after(progress_interval);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error || run_.working == 0) return;
      tell();
      start();
    });
  }

 private:
  void tell() {
    LoadProgress progress = run_.report.total;
    progress.elapsed = since(run_.started);
    progress.rate = static_cast<double>(progress.answered - answered_before_) * 1e6 /
                    static_cast<double>((progress.elapsed - elapsed_before_).count());
    progress.p50 = run_.latencies.quantile(0.5, latencies_before_);
    progress.p99 = run_.latencies.quantile(0.99, latencies_before_);
    answered_before_ = progress.answered;
    elapsed_before_ = progress.elapsed;
    latencies_before_ = run_.latencies.size();
    run_.options.progress(progress);
  }

  Run& run_;
  asio::steady_timer timer_;
  std::size_t answered_before_ = 0;
  std::size_t latencies_before_ = 0;
  microseconds elapsed_before_{};
};

void sum_up(Run& run) {
  LoadProgress& total = run.report.total;
  total.elapsed = since(run.started);
  total.rate = static_cast<double>(total.answered) * 1e6 /
               static_cast<double>(std::max<std::int64_t>(total.elapsed.count(), 1));
  total.p50 = run.latencies.quantile(0.5, 0);
  total.p99 = run.latencies.quantile(0.99, 0);
}

}  // namespace

Result<LoadReport> drive_load(const StampedePlan& plan, const LoadOptions& options) {
  Run run(plan, options);
  Result<PipeServer> server = find_server(run.loop, options.url, options.api_key);
  if (!server) return failure(std::move(server.error()));
  run.servers.push_back(std::move(*server));
  run.first_line = request_line(options);
  std::deque<Connection> connections;  // The run's: they stay where they are.
  for (std::size_t i = 0; i < std::min(options.connections, plan.requests.size()); ++i) {
    connections.emplace_back(run).start();
  }
  Ticker ticker(run);
  if (options.progress) ticker.start();
  run.loop.run();
  if (run.error) return failure(std::move(*run.error));
  sum_up(run);
  return std::move(run.report);
}

}  // namespace hotrow
