#include "hotrow/http/server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <vector>

#include "hotrow/http/api.hpp"
#include "hotrow/http/io_loop.hpp"

namespace hotrow::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds tick_interval = 100ms;
constexpr std::chrono::milliseconds accept_pause = 100ms;  ///< After EMFILE and its like.

tl::unexpected<Error> cannot_listen(const ServerOptions& options, const error_code& error) {
  return failure(
      ErrorKind::fatal, "LISTEN",
      "cannot listen on " + options.address + ":" + std::to_string(options.port) + ": " + error.message());
}

/// For a client that is one too many: it learns that it may come again.
std::string too_many_connections(const std::string& request_id) {
  const Response response = busy_response("Too many connections are open.", {.request_id = request_id});
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + std::string(response.content_type) +
         "\r\nX-Request-Id: " + request_id + "\r\n" + response.headers +
         "Connection: close\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n\r\n" +
         response.body;
}

}  // namespace

/// The loops with their threads, and what runs on the first one: accepting and the API's tick.
class Server::Threads {
 public:
  Threads(const ServerOptions& options, const ServerParts& parts)
      : options_(options), api_(std::make_shared<Api>(options, parts)) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options.io_threads); ++i) {
      loops_.push_back(std::make_shared<IoLoop>(options, api_, parts.observer, counts_));
    }
    acceptor_.emplace(first().context());
    accept_timer_.emplace(first().context());
    tick_timer_.emplace(first().context());
  }

  Result<void> start() {
    if (Result<void> listening = listen(); !listening) return listening;
    accept();
    tick();
    for (const auto& loop : loops_) {
      threads_.emplace_back([loop] { loop->run(); });
    }
    return {};
  }

  std::uint16_t port() const { return port_; }

  void begin_drain() {
    counts_->draining = true;
    api_->begin_drain();
  }

  void stop() {
    const std::lock_guard lock(stop_mutex_);
    if (threads_.empty()) return;
    begin_drain();
    std::promise<void> closed;
    asio::post(first().context(), [&] {
      error_code ignored;
      acceptor_->close(ignored);
      accept_timer_->cancel();
      closed.set_value();
    });
    closed.get_future().wait();
    api_->end_streams();
    const auto deadline = std::chrono::steady_clock::now() + options_.stop_budget;
    std::vector<std::future<void>> ends;
    for (const auto& loop : loops_) ends.push_back(loop->wind_down());
    for (auto& end : ends) end.wait_until(deadline);
    for (const auto& loop : loops_) loop->halt();
    threads_.clear();
    for (const auto& loop : loops_) loop->close_all();
  }

 private:
  IoLoop& first() { return *loops_.front(); }

  Result<void> listen() {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.address, error);
    if (error) return cannot_listen(options_, error);
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(tcp::acceptor::max_listen_connections, error);
    if (error) return cannot_listen(options_, error);
    port_ = acceptor_->local_endpoint(error).port();
    return {};
  }

  void accept() {
    IoLoop& loop = *loops_[next_loop_++ % loops_.size()];
    acceptor_->async_accept(loop.context(), [this, &loop](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      if (std::size_t(counts_->connections) < options_.limits.connections_max) {
        loop.adopt(std::move(socket));
      } else {
        turn_away(std::move(socket));
      }
      accept();
    });
  }

  void accept_later() {
    accept_timer_->expires_after(accept_pause);
    accept_timer_->async_wait([this](const error_code& error) {
      if (!error) accept();
    });
  }

  void turn_away(tcp::socket socket) {
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(too_many_connections(first().new_request_id())), ignored);
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  void tick() {
    api_->tick(std::chrono::steady_clock::now());
    tick_timer_->expires_after(tick_interval);
    tick_timer_->async_wait([this](const error_code& error) {
      if (!error) tick();
    });
  }

  const ServerOptions options_;
  const std::shared_ptr<ServerCounts> counts_ = std::make_shared<ServerCounts>();
  const std::shared_ptr<Api> api_;
  std::vector<std::shared_ptr<IoLoop>> loops_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> accept_timer_;
  std::optional<asio::steady_timer> tick_timer_;
  std::size_t next_loop_ = 0;
  std::uint16_t port_ = 0;
  std::mutex stop_mutex_;
  std::vector<std::jthread> threads_;
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, const ServerParts& parts) {
  auto threads = std::make_unique<Threads>(options, parts);
  if (Result<void> started = threads->start(); !started) return failure(std::move(started.error()));
  return std::unique_ptr<Server>(new Server(std::move(threads)));
}

Server::Server(std::unique_ptr<Threads> threads) : threads_(std::move(threads)) {}

Server::~Server() { threads_->stop(); }

std::uint16_t Server::port() const { return threads_->port(); }

void Server::begin_drain() { threads_->begin_drain(); }

void Server::stop() { threads_->stop(); }

}  // namespace hotrow::http
