#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "hotrow/http/api.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/observer.hpp"
#include "hotrow/http/server.hpp"

namespace hotrow::http {

/// What all loops of one server count together.
struct ServerCounts {
  std::atomic<std::int64_t> connections = 0;
  std::atomic<bool> draining = false;
};

/// One io thread's world: its connections, the buffers they share, and the inbox through which lanes and
/// readers hand answers over, by the thousand and with one wake-up.
///
/// Members are for the loop's own thread unless said otherwise. A connection keeps its loop, so that an
/// answer that comes after everything else has ended still finds its place.
class IoLoop : public AnswerSink, public std::enable_shared_from_this<IoLoop> {
 public:
  IoLoop(const ServerOptions& options, std::shared_ptr<Api> api, HttpObserver& observer,
         std::shared_ptr<ServerCounts> counts);

  /// Runs until halt(). For the thread.
  void run();
  /// From any thread: ends run() whatever is open.
  void halt();
  /// After run() has ended: closes what is still open.
  void close_all();

  boost::asio::io_context& context() { return context_; }

  /// A new client. Any thread.
  void adopt(boost::asio::ip::tcp::socket socket);

  /// From any thread: no connection takes requests any more; the future is ready when the last is closed and
  /// the last answer has come.
  std::future<void> wind_down();

  /// From any thread.
  void take_answered(Exchange& exchange) override;
  /// From any thread: the connection's pipe has something.
  void wake(std::weak_ptr<Connection> connection);

  // What connections use.
  const ServerOptions& options() const { return options_; }
  Api& api() { return *api_; }
  bool draining() const { return counts_->draining.load(std::memory_order_relaxed); }
  std::span<char> read_buffer() { return read_buffer_; }
  std::string& send_buffer() { return send_buffer_; }
  /// The time of the latest sweep: within a quarter of a second, for time-outs.
  SteadyTime coarse_now() const { return coarse_now_; }
  /// "Date: ...", complete with CRLF.
  const std::string& date_line() const { return date_line_; }
  std::unique_ptr<Exchange> new_exchange();
  std::string new_request_id();
  void exchange_pending() { ++pending_; }
  void exchange_done() { --pending_; }
  void report(const RequestReport& report) { observer_.request_finished(report); }
  void stream_opened() { observer_.streams_changed(++streams_); }
  void stream_closed() { observer_.streams_changed(--streams_); }
  void remove(Connection& connection);

 private:
  void deliver();
  void arm_sweep();
  void sweep();
  void finish_winding_down();

  const ServerOptions options_;
  const std::shared_ptr<Api> api_;
  HttpObserver& observer_;
  const std::shared_ptr<ServerCounts> counts_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  boost::asio::steady_timer sweep_timer_{context_};

  std::mutex inbox_mutex_;
  std::vector<Exchange*> answered_;
  std::vector<std::weak_ptr<Connection>> woken_;
  bool delivery_posted_ = false;

  std::vector<std::shared_ptr<Connection>> connections_;
  std::size_t pending_ = 0;
  std::int64_t streams_ = 0;
  bool winding_down_ = false;
  std::promise<void> wound_down_;
  std::vector<char> read_buffer_;
  std::string send_buffer_;
  SteadyTime coarse_now_;
  std::chrono::milliseconds sweep_interval_;
  std::string date_line_;
  std::string request_id_prefix_;
  std::uint64_t request_number_ = 0;
  std::minstd_rand random_;
};

}  // namespace hotrow::http
