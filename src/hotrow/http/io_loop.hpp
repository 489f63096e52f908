#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hotrow/http/api.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/observer.hpp"
#include "hotrow/http/poller.hpp"
#include "hotrow/http/server.hpp"
#include "hotrow/http/socket.hpp"

namespace hotrow::http {

/// What all loops of one server count together.
struct ServerCounts {
  std::atomic<std::int64_t> connections = 0;
  std::atomic<bool> draining = false;
};

/// Wakes a loop that waits for its descriptors (eventfd). ring() comes from any thread.
class Doorbell : public Watched {
 public:
  explicit Doorbell(Poller& poller);
  ~Doorbell() override;
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  void ring();
  void on_ready(bool readable, bool writable) override;

 private:
  int descriptor_;
};

/// One io thread's world: its connections, the buffers they share, and the inbox through which lanes and
/// readers hand answers over, by the thousand and with one wake-up.
///
/// A loop of its own around epoll and not an Asio one, because a level-triggered socket is entered once:
/// under load a request costs one receive and one send, where Asio adds a system call to wait for the next.
///
/// Members are for the loop's own thread unless said otherwise. A connection keeps its loop, so that an
/// answer that comes after everything else has ended still finds its place.
class IoLoop : public AnswerSink, public std::enable_shared_from_this<IoLoop> {
 public:
  /// Something to be done on the loop's thread. Must not throw.
  using Task = std::function<void()>;

  IoLoop(const ServerOptions& options, std::shared_ptr<Api> api, HttpObserver& observer,
         std::shared_ptr<ServerCounts> counts);

  /// Runs until halt(). For the thread. `every_sweep` is called about ten times a second.
  void run(const std::function<void(SteadyTime)>& every_sweep);
  /// From any thread: ends run() whatever is open.
  void halt();
  /// After run() has ended: closes what is still open.
  void close_all();

  /// Does the task after the events at hand. Any thread.
  void post(Task task);

  /// A new client. Any thread.
  void adopt(Socket socket);

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
  Poller& poller() { return poller_; }
  bool draining() const { return counts_->draining.load(std::memory_order_relaxed); }
  std::span<char> read_buffer() { return read_buffer_; }
  std::string& send_buffer() { return send_buffer_; }
  /// The time of the latest sweep: within a tenth of a second, for time-outs.
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
  struct Inbox {
    std::vector<Exchange*> answered;
    std::vector<std::weak_ptr<Connection>> woken;
    std::vector<Task> tasks;
  };

  template <class Put>
  void put_into_inbox(Put&& put);
  void empty_inbox();
  void deliver(Inbox& inbox);
  void open_connection(Socket socket);
  void sweep(SteadyTime now);
  void finish_winding_down();

  const ServerOptions options_;
  const std::shared_ptr<Api> api_;
  HttpObserver& observer_;
  const std::shared_ptr<ServerCounts> counts_;
  Poller poller_;
  Doorbell doorbell_{poller_};
  std::atomic<bool> halted_ = false;
  std::atomic<std::thread::id> thread_;

  std::mutex inbox_mutex_;
  Inbox inbox_;
  bool has_mail_ = false;  ///< Under the mutex: the loop knows that it is to look.

  std::vector<std::shared_ptr<Connection>> connections_;
  std::size_t pending_ = 0;
  std::int64_t streams_ = 0;
  bool winding_down_ = false;
  std::promise<void> wound_down_;
  std::vector<char> read_buffer_;
  std::string send_buffer_;
  SteadyTime coarse_now_;
  const std::chrono::milliseconds sweep_interval_;
  std::string date_line_;
  const std::string request_id_prefix_;
  std::uint64_t request_number_ = 0;
  std::minstd_rand random_;
};

}  // namespace hotrow::http
