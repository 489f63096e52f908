#include "hotrow/http/body_pipe.hpp"

#include <utility>

namespace hotrow::http {

bool BodyPipe::write(std::string_view text, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const bool has_room =
      room_.wait_for(lock, patience, [this] { return text_.size() < bytes_max_ || end_ != End::none; });
  if (!has_room) end_ = End::failed;
  if (end_ == End::none) text_ += text;
  const bool open = end_ == End::none;
  notify(lock);
  return open;
}

bool BodyPipe::offer(std::string_view text) {
  std::unique_lock lock(mutex_);
  if (end_ != End::none) return false;
  const bool fits = text_.size() + text.size() <= bytes_max_;
  if (fits) {
    text_ += text;
  } else {
    end_ = End::failed;
  }
  notify(lock);
  return fits;
}

void BodyPipe::finish() { end(End::finished); }

void BodyPipe::finish_and_close() { end(End::finished_and_closed); }

void BodyPipe::fail() { end(End::failed); }

void BodyPipe::abandon() { end(End::abandoned); }

BodyPipe::Taken BodyPipe::take() {
  const std::lock_guard lock(mutex_);
  const bool closes = end_ == End::finished_and_closed;
  Taken taken{.finished = closes || end_ == End::finished, .failed = end_ == End::failed, .closes = closes};
  taken.text.swap(text_);
  notified_ = false;
  room_.notify_all();
  return taken;
}

void BodyPipe::on_ready(std::function<void()> ready) {
  const std::lock_guard lock(mutex_);
  ready_ = std::move(ready);
}

void BodyPipe::end(End how) {
  std::unique_lock lock(mutex_);
  if (end_ != End::none) return;
  end_ = how;
  room_.notify_all();
  if (how != End::abandoned) notify(lock);
}

void BodyPipe::notify(std::unique_lock<std::mutex>& lock) {
  if (notified_ || !ready_) return;
  notified_ = true;
  const std::function<void()> ready = ready_;
  lock.unlock();
  ready();
}

}  // namespace hotrow::http
