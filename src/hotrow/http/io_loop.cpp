#include "hotrow/http/io_loop.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "hotrow/base/assert.hpp"
#include "hotrow/base/hash.hpp"
#include "hotrow/http/connection.hpp"

namespace hotrow::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t read_buffer_bytes = 64 * 1024;
constexpr std::size_t send_buffer_kept_bytes_max = 1024 * 1024;

/// Often enough to keep the shortest time-out within a quarter of itself.
std::chrono::milliseconds sweep_interval(const Limits& limits) {
  const auto shortest = std::min({limits.idle_timeout, limits.read_timeout, limits.send_timeout});
  return std::clamp<std::chrono::milliseconds>(shortest / 4, 10ms, 100ms);
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

Doorbell::Doorbell(Poller& poller) : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  HOTROW_ASSERT(descriptor_ >= 0 && poller.add(descriptor_, *this, {.read = true}));
}

Doorbell::~Doorbell() { close(descriptor_); }

void Doorbell::ring() {
  const std::uint64_t one = 1;
  // It only fails when it has rung 2^64 - 2 times unheard.
  static_cast<void>(!write(descriptor_, &one, sizeof(one)));
}

void Doorbell::on_ready(bool, bool) {
  std::uint64_t times = 0;
  static_cast<void>(!read(descriptor_, &times, sizeof(times)));
}

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

void IoLoop::run(const std::function<void(SteadyTime)>& every_sweep) {
  thread_ = std::this_thread::get_id();
  while (!halted_) {
    const SteadyTime next_sweep = coarse_now_ + sweep_interval_;
    const auto patience =
        std::chrono::ceil<std::chrono::milliseconds>(next_sweep - std::chrono::steady_clock::now());
    poller_.wait(std::max(patience, 0ms));
    empty_inbox();
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < next_sweep) continue;
    sweep(now);
    if (every_sweep) every_sweep(now);
  }
}

void IoLoop::halt() {
  halted_ = true;
  doorbell_.ring();
}

void IoLoop::close_all() {
  const std::vector<std::shared_ptr<Connection>> open = connections_;
  for (const auto& connection : open) connection->close();
}

/// Rings only when the loop may be waiting: nothing is in the inbox yet, and this is another thread. The
/// loop itself always looks before it waits.
template <class Put>
void IoLoop::put_into_inbox(Put&& put) {
  const std::lock_guard lock(inbox_mutex_);
  put(inbox_);
  if (std::exchange(has_mail_, true)) return;
  if (thread_.load(std::memory_order_relaxed) != std::this_thread::get_id()) doorbell_.ring();
}

void IoLoop::post(Task task) {
  put_into_inbox([&](Inbox& inbox) { inbox.tasks.push_back(std::move(task)); });
}

void IoLoop::take_answered(Exchange& exchange) {
  put_into_inbox([&](Inbox& inbox) { inbox.answered.push_back(&exchange); });
}

void IoLoop::wake(std::weak_ptr<Connection> connection) {
  put_into_inbox([&](Inbox& inbox) { inbox.woken.push_back(std::move(connection)); });
}

void IoLoop::empty_inbox() {
  for (;;) {
    Inbox inbox;
    {
      const std::lock_guard lock(inbox_mutex_);
      if (!has_mail_) return;
      std::swap(inbox, inbox_);
      has_mail_ = false;
    }
    deliver(inbox);
  }
}

void IoLoop::deliver(Inbox& inbox) {
  std::vector<std::shared_ptr<Connection>> due;
  const auto note_due = [&due](std::shared_ptr<Connection> connection) {
    if (std::exchange(connection->advance_is_due, true)) return;
    due.push_back(std::move(connection));
  };
  for (Exchange* exchange : inbox.answered) {
    --pending_;
    std::shared_ptr<Connection> connection = std::move(exchange->holder_);
    connection->note_answer(*exchange);
    note_due(std::move(connection));
  }
  for (const auto& weak : inbox.woken) {
    if (auto connection = weak.lock()) note_due(std::move(connection));
  }
  for (const auto& connection : due) {
    connection->advance_is_due = false;
    connection->advance();
  }
  for (const Task& task : inbox.tasks) task();
  finish_winding_down();
}

void IoLoop::adopt(Socket socket) {
  post([this, taken = std::make_shared<Socket>(std::move(socket))] { open_connection(std::move(*taken)); });
}

void IoLoop::open_connection(Socket socket) {
  if (winding_down_) return;
  auto connection = std::make_shared<Connection>(shared_from_this(), std::move(socket));
  connection->slot = connections_.size();
  connections_.push_back(connection);
  observer_.connections_changed(++counts_->connections);
  connection->start();
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
  post([this] {
    winding_down_ = true;
    const std::vector<std::shared_ptr<Connection>> open = connections_;
    for (const auto& connection : open) connection->wind_down();
  });
  return done;
}

void IoLoop::finish_winding_down() {
  if (!winding_down_ || !connections_.empty() || pending_ > 0) return;
  winding_down_ = false;
  wound_down_.set_value();
}

std::unique_ptr<Exchange> IoLoop::new_exchange() {
  auto exchange = std::make_unique<Exchange>();
  exchange->sink_ = this;
  exchange->jitter = static_cast<std::uint32_t>(random_());
  return exchange;
}

std::string IoLoop::new_request_id() { return request_id_prefix_ + std::to_string(++request_number_); }

void IoLoop::sweep(SteadyTime now) {
  coarse_now_ = now;
  date_line_ = make_date_line(wall_clock_now());
  if (send_buffer_.capacity() > send_buffer_kept_bytes_max) std::string().swap(send_buffer_);
  for (std::size_t i = connections_.size(); i > 0; --i) {
    // Closing swaps the last one, already looked at, into the place.
    const std::shared_ptr<Connection> connection = connections_[i - 1];
    connection->check_deadline(now);
  }
}

}  // namespace hotrow::http
