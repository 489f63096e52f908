#include "hotrow/http/io_loop.hpp"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <ctime>

#include "hotrow/base/hash.hpp"
#include "hotrow/http/connection.hpp"

namespace hotrow::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t read_buffer_bytes = 64 * 1024;
constexpr std::size_t send_buffer_kept_bytes_max = 1024 * 1024;

/// Often enough to keep the shortest time-out within a quarter of itself.
std::chrono::milliseconds sweep_interval(const Limits& limits) {
  const auto shortest = std::min({limits.idle_timeout, limits.read_timeout, limits.send_timeout});
  return std::clamp<std::chrono::milliseconds>(shortest / 4, 10ms, 250ms);
}

std::string make_date_line(Timestamp now) {
  const std::time_t seconds = now.micros / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text;
  const std::size_t size =
      std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  return {text.data(), size};
}

}  // namespace

IoLoop::IoLoop(const ServerOptions& options, std::shared_ptr<Api> api, HttpObserver& observer,
               std::shared_ptr<ServerCounts> counts)
    : options_(options),
      api_(std::move(api)),
      observer_(observer),
      counts_(std::move(counts)),
      read_buffer_(read_buffer_bytes),
      coarse_now_(std::chrono::steady_clock::now()),
      sweep_interval_(sweep_interval(options.limits)),
      date_line_(make_date_line(wall_clock_now())),
      request_id_prefix_(random_hex(6) + "-"),
      random_(std::random_device()()) {}

void IoLoop::run() {
  arm_sweep();
  context_.run();
}

void IoLoop::halt() { context_.stop(); }

void IoLoop::close_all() {
  const std::vector<std::shared_ptr<Connection>> open = connections_;
  for (const auto& connection : open) connection->close();
}

void IoLoop::adopt(asio::ip::tcp::socket socket) {
  asio::dispatch(context_, [self = shared_from_this(), taken = std::move(socket)]() mutable {
    if (self->winding_down_) return;
    auto connection = std::make_shared<Connection>(self, std::move(taken));
    connection->slot = self->connections_.size();
    self->connections_.push_back(connection);
    self->observer_.connections_changed(++self->counts_->connections);
    connection->start();
  });
}

void IoLoop::remove(Connection& connection) {
  const std::size_t slot = connection.slot;
  std::swap(connections_[slot], connections_.back());
  connections_[slot]->slot = slot;
  connections_.pop_back();
  observer_.connections_changed(--counts_->connections);
  finish_winding_down();
}

std::future<void> IoLoop::wind_down() {
  std::future<void> done = wound_down_.get_future();
  asio::post(context_, [self = shared_from_this()] {
    self->winding_down_ = true;
    const std::vector<std::shared_ptr<Connection>> open = self->connections_;
    for (const auto& connection : open) connection->wind_down();
    if (open.empty()) self->finish_winding_down();
  });
  return done;
}

void IoLoop::finish_winding_down() {
  if (!winding_down_ || !connections_.empty() || pending_ > 0) return;
  winding_down_ = false;
  wound_down_.set_value();
}

void IoLoop::take_answered(Exchange& exchange) {
  const std::lock_guard lock(inbox_mutex_);
  answered_.push_back(&exchange);
  if (std::exchange(delivery_posted_, true)) return;
  asio::post(context_, [this] { deliver(); });
}

void IoLoop::wake(std::weak_ptr<Connection> connection) {
  const std::lock_guard lock(inbox_mutex_);
  woken_.push_back(std::move(connection));
  if (std::exchange(delivery_posted_, true)) return;
  asio::post(context_, [this] { deliver(); });
}

void IoLoop::deliver() {
  std::vector<Exchange*> answered;
  std::vector<std::weak_ptr<Connection>> woken;
  {
    const std::lock_guard lock(inbox_mutex_);
    answered.swap(answered_);
    woken.swap(woken_);
    delivery_posted_ = false;
  }
  std::vector<std::shared_ptr<Connection>> due;
  const auto note_due = [&due](std::shared_ptr<Connection> connection) {
    if (std::exchange(connection->advance_is_due, true)) return;
    due.push_back(std::move(connection));
  };
  for (Exchange* exchange : answered) {
    --pending_;
    std::shared_ptr<Connection> connection = std::move(exchange->holder_);
    connection->note_answer(*exchange);
    note_due(std::move(connection));
  }
  for (const auto& weak : woken) {
    if (auto connection = weak.lock()) note_due(std::move(connection));
  }
  for (const auto& connection : due) {
    connection->advance_is_due = false;
    connection->advance();
  }
  finish_winding_down();
}

std::unique_ptr<Exchange> IoLoop::new_exchange() {
  auto exchange = std::make_unique<Exchange>();
  exchange->sink_ = this;
  exchange->jitter = static_cast<std::uint32_t>(random_());
  return exchange;
}

std::string IoLoop::new_request_id() { return request_id_prefix_ + std::to_string(++request_number_); }

void IoLoop::arm_sweep() {
  sweep_timer_.expires_after(sweep_interval_);
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    sweep();
    arm_sweep();
  });
}

void IoLoop::sweep() {
  coarse_now_ = std::chrono::steady_clock::now();
  date_line_ = make_date_line(wall_clock_now());
  if (send_buffer_.capacity() > send_buffer_kept_bytes_max) std::string().swap(send_buffer_);
  for (std::size_t i = connections_.size(); i > 0; --i) {
    // Closing swaps the last one, already looked at, into the place.
    const std::shared_ptr<Connection> connection = connections_[i - 1];
    connection->check_deadline(coarse_now_);
  }
}

}  // namespace hotrow::http
