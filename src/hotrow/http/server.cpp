#include "hotrow/http/server.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hotrow/http/api.hpp"
#include "hotrow/http/io_loop.hpp"
#include "hotrow/http/listener.hpp"

namespace hotrow::http {
namespace {

/// For a client that is one too many: it learns that it may come again.
std::string too_many_connections() {
  const Response response = busy_response("Too many connections are open.", {.request_id = "none"});
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + std::string(response.content_type) + "\r\n" +
         response.headers + "Connection: close\r\nContent-Length: " + std::to_string(response.body.size()) +
         "\r\n\r\n" + response.body;
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
  }

  Result<void> start() {
    Result<Socket> socket = listen_on(options_.address, options_.port);
    if (!socket) return failure(std::move(socket.error()));
    port_ = port_of(*socket);
    listener_.emplace(std::move(*socket), first().poller(),
                      [this](Socket client) { take(std::move(client)); });
    for (const auto& loop : loops_) {
      threads_.emplace_back([this, loop] { loop->run(loop == loops_.front() ? tick() : nullptr); });
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
    first().post([&] {
      listener_->close();
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

  std::function<void(SteadyTime)> tick() {
    return [this](SteadyTime now) {
      api_->tick(now);
      listener_->resume();
    };
  }

  void take(Socket client) {
    if (std::size_t(counts_->connections) >= options_.limits.connections_max) {
      // Best effort: a fresh socket's buffer takes it, and then it is closed.
      static_cast<void>(client.send(too_many_connections()));
      static_cast<void>(client.finish_sending());
      return;
    }
    loops_[next_loop_++ % loops_.size()]->adopt(std::move(client));
  }

  const ServerOptions options_;
  const std::shared_ptr<ServerCounts> counts_ = std::make_shared<ServerCounts>();
  const std::shared_ptr<Api> api_;
  std::vector<std::shared_ptr<IoLoop>> loops_;
  std::optional<Listener> listener_;
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
