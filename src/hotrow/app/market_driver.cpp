#include "hotrow/app/market_driver.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <random>

#include "hotrow/app/http_pipe.hpp"
#include "hotrow/app/latencies.hpp"
#include "hotrow/base/hash.hpp"

namespace hotrow {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using Act = MarketCall::Act;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds idle_pause{5};
constexpr milliseconds backoff_base{20};
constexpr milliseconds backoff_max{1000};
constexpr milliseconds repeat_max{1000};  ///< After this at the latest somebody asks again.
constexpr milliseconds progress_interval{200};
constexpr double twin_share = 0.04;
constexpr double later_share = 0.03;
constexpr double leave_share = 0.03;

microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<microseconds>(Clock::now() - start);
}

/// A call with all its requests: under one key they are one.
struct Asked {
  MarketCall call;
  std::string key;
  HttpPipe::Request request;
  bool keyed = false;
  Clock::time_point give_up_at;
  int tries = 0;
  bool settled = false;  ///< The crowd was told.
  bool given_up = false;
  int fresh = 0;                        ///< Answers that were not replayed.
  std::optional<std::uint64_t> stored;  ///< Of the first stored answer: status and body, hashed.
};

/// One request to be sent.
struct Sending {
  std::shared_ptr<Asked> asked;
  bool leaves = false;  ///< Hangs up before the answer.
};

/// What all connections of a run share. Everything happens on one thread.
class MarketRun {
 public:
  explicit MarketRun(const MarketOptions& options)
      : options_(options), crowd_(options.plan), chance_(options.plan.seed + 1) {}

  asio::io_context& loop() { return loop_; }
  const std::vector<PipeServer>& servers() const { return servers_; }
  MarketProgress& total() { return total_; }
  Latencies& latencies() { return latencies_; }
  bool over() const { return over_; }

  Result<void> find_servers() {
    for (const HttpUrl& url : options_.urls) {
      Result<PipeServer> server = find_server(loop_, url, options_.api_key);
      if (!server) return failure(std::move(server.error()));
      servers_.push_back(std::move(*server));
    }
    return {};
  }

  std::optional<Sending> take() {
    const Clock::time_point now = Clock::now();
    if (!closed_ && now >= started_ + options_.duration) {
      closed_ = true;
      crowd_.close(now);
    }
    if (!waiting_.empty() && waiting_.begin()->first <= now) {
      Sending sending = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      return sending;
    }
    if (std::optional<MarketCall> call = crowd_.next(now)) return begin(*call, now);
    if (closed_ && open_ == 0 && waiting_.empty()) finish();
    return std::nullopt;
  }

  void answered(const Sending& sending, const HttpAnswer& answer, Clock::time_point sent_at) {
    const TradeAnswer told = read_trade_answer(answer);
    switch (told.what) {
      case TradeAnswer::What::again: return again(sending);
      case TradeAnswer::What::hopeless: return fail(Error{ErrorKind::invalid, told.code, answer.body});
      default: break;
    }
    latencies_.add(since(sent_at));
    Asked& asked = *sending.asked;
    if (asked.keyed && told.stored) compare(asked, answer);
    if (!asked.settled) settle(asked, told);
    --open_;
  }

  void lost(Sending sending) {
    ++total_.lost;
    sending.leaves = false;
    again(sending);
  }

  void fail(Error why) {
    if (!error_) error_ = std::move(why);
    loop_.stop();
  }

  Result<MarketReport> report() {
    if (error_) return failure(std::move(*error_));
    total_.elapsed = since(started_);
    total_.live = crowd_.live();
    total_.rate = static_cast<double>(total_.answered) * 1e6 /
                  static_cast<double>(std::max<std::int64_t>(total_.elapsed.count(), 1));
    total_.p50 = latencies_.quantile(0.5, 0);
    total_.p99 = latencies_.quantile(0.99, 0);
    return MarketReport{.books = crowd_.books(), .total = total_};
  }

  MarketProgress progress() const {
    MarketProgress now = total_;
    now.elapsed = since(started_);
    now.live = crowd_.live();
    return now;
  }

 private:
  bool happens(double share) { return std::uniform_real_distribution<double>(0, 1)(chance_) < share; }

  milliseconds some(milliseconds most) {
    return milliseconds(chance_() % static_cast<std::uint64_t>(most.count() + 1));
  }

  void send_at(Clock::time_point at, Sending sending) { waiting_.emplace(at, std::move(sending)); }

  Sending begin(const MarketCall& call, Clock::time_point now) {
    MarketRequest wanted = request_of(call, crowd_.books());
    auto asked = std::make_shared<Asked>();
    asked->call = call;
    asked->keyed = wanted.keyed;
    asked->give_up_at = now + options_.patience;
    asked->request = {.first_line = wanted.method + " " + wanted.target + " HTTP/1.1\r\n",
                      .body = std::move(wanted.body)};
    ++open_;
    if (!asked->keyed) return {.asked = std::move(asked)};
    asked->key = options_.plan.prefix + "-" + std::to_string(++keys_);
    asked->request.fields = "Idempotency-Key: " + asked->key + "\r\n";
    if (happens(twin_share)) repeat(asked, now);
    if (happens(later_share)) repeat(asked, now + some(repeat_max));
    return {.asked = asked, .leaves = happens(leave_share)};
  }

  void repeat(const std::shared_ptr<Asked>& asked, Clock::time_point at) {
    ++open_;
    ++total_.repeated;
    send_at(at, {.asked = asked});
  }

  /// Every stored answer under one key is the first one, and only the first may be fresh.
  void compare(Asked& asked, const HttpAnswer& answer) {
    const std::uint64_t hash = frozen_hash(answer.body, static_cast<std::uint64_t>(answer.status));
    if (asked.stored && *asked.stored != hash) {
      contradict(asked,
                 "was answered otherwise when asked again under key " + asked.key + ": " + answer.body);
    }
    if (!asked.stored) asked.stored = hash;
    asked.fresh += answer.replayed ? 0 : 1;
    if (!answer.replayed && asked.fresh == 2) {
      contradict(asked, "was carried out twice under key " + asked.key);
    }
  }

  void settle(Asked& asked, const TradeAnswer& told) {
    asked.settled = true;
    const bool accepted = told.what == TradeAnswer::What::accepted;
    MarketProgress::Tally& tally = total_.calls.at(static_cast<std::size_t>(asked.call.act));
    ++(accepted ? tally.accepted : tally.refused);
    if (!accepted) ++total_.refusals[told.code];
    total_.accepted += accepted ? 1 : 0;
    ++total_.answered;
    crowd_.told(asked.call, told, Clock::now());
  }

  /// Nobody gives up a call whose outcome is open before the patience is over; what is settled need not be
  /// asked again for ever.
  void again(const Sending& sending) {
    Asked& asked = *sending.asked;
    if (asked.settled || Clock::now() >= asked.give_up_at) {
      --open_;
      if (!asked.settled) give_up(asked);
      return;
    }
    ++total_.retried;
    const milliseconds ceiling = std::min(backoff_max, backoff_base * (1 << std::min(asked.tries++, 6)));
    send_at(Clock::now() + ceiling / 2 + some(ceiling), sending);
  }

  void give_up(Asked& asked) {
    if (asked.given_up) return;
    asked.given_up = true;
    ++total_.unanswered;
    contradict(asked, "was never answered");
  }

  void contradict(const Asked& asked, const std::string& what) {
    crowd_.contradict(describe(asked.call, crowd_.books()) + " " + what);
  }

  void finish() {
    over_ = true;
    loop_.stop();
  }

  const MarketOptions& options_;
  asio::io_context loop_{1};
  std::vector<PipeServer> servers_;
  MarketCrowd crowd_;
  std::mt19937_64 chance_;
  std::multimap<Clock::time_point, Sending> waiting_;
  std::size_t open_ = 0;  ///< Requests under way or waiting.
  std::uint64_t keys_ = 0;
  bool closed_ = false;
  bool over_ = false;
  MarketProgress total_;
  Latencies latencies_;
  std::optional<Error> error_;
  Clock::time_point started_ = Clock::now();
};

/// One connection: does what is due, and looks again shortly when nothing is.
class Trader {
 public:
  Trader(MarketRun& run, std::size_t number)
      : run_(run), pipe_(run.loop(), run.servers(), number), timer_(run.loop()) {}

  void take_next() {
    std::optional<Sending> sending = run_.take();
    if (!sending) return wait();
    sending_ = std::move(*sending);
    sent_at_ = Clock::now();
    const auto done = [this](boost::system::error_code error, const HttpAnswer& answer) {
      if (error) {
        run_.lost(sending_);
      } else {
        run_.answered(sending_, answer, sent_at_);
      }
      take_next();
    };
    if (sending_.leaves) return pipe_.ask_and_leave(sending_.asked->request, done);
    pipe_.ask(sending_.asked->request, done);
  }

 private:
  void wait() {
    if (run_.over()) return;
    timer_.expires_after(idle_pause);
    timer_.async_wait([this](boost::system::error_code) { take_next(); });
  }

  MarketRun& run_;
  HttpPipe pipe_;
  asio::steady_timer timer_;
  Sending sending_;
  Clock::time_point sent_at_;
};

/// Tells the progress until the loop stops.
class Ticker {
 public:
  Ticker(MarketRun& run, const MarketOptions& options) : run_(run), options_(options), timer_(run.loop()) {}

  void start() {
    timer_.expires_after(progress_interval);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      tell();
      start();
    });
  }

 private:
  void tell() {
    MarketProgress progress = run_.progress();
    progress.rate = static_cast<double>(progress.answered - answered_before_) * 1e6 /
                    static_cast<double>((progress.elapsed - elapsed_before_).count());
    progress.p50 = run_.latencies().quantile(0.5, latencies_before_);
    progress.p99 = run_.latencies().quantile(0.99, latencies_before_);
    answered_before_ = progress.answered;
    elapsed_before_ = progress.elapsed;
    latencies_before_ = run_.latencies().size();
    options_.progress(progress);
  }

  MarketRun& run_;
  const MarketOptions& options_;
  asio::steady_timer timer_;
  std::size_t answered_before_ = 0;
  std::size_t latencies_before_ = 0;
  microseconds elapsed_before_{};
};

}  // namespace

Result<MarketReport> drive_market(const MarketOptions& options) {
  MarketRun run(options);
  if (auto found = run.find_servers(); !found) return failure(std::move(found.error()));
  std::deque<Trader> traders;  // The loop's: they stay where they are.
  for (std::size_t i = 0; i < options.connections; ++i) traders.emplace_back(run, i).take_next();
  Ticker ticker(run, options);
  if (options.progress) ticker.start();
  run.loop().run();
  return run.report();
}

}  // namespace hotrow
