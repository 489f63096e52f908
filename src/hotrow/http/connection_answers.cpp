#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <charconv>

#include "hotrow/base/assert.hpp"
#include "hotrow/http/body_pipe.hpp"
#include "hotrow/http/connection.hpp"
#include "hotrow/http/header_values.hpp"
#include "hotrow/http/json_text.hpp"

// Writing: from answers to bytes.
namespace hotrow::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

void append_chunk(std::string& out, std::string_view text) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), text.size(), 16).ptr;
  out.append(digits.data(), end);
  out += "\r\n";
  out += text;
  out += "\r\n";
}

/// Whether the client has this very version already.
bool is_known(const Request& request, const Response& response) {
  if (response.version == 0 || !request.has(Header::if_none_match)) return false;
  const std::optional<VersionTags> known = if_none_match(request.value(Header::if_none_match));
  return known &&
         (known->any || std::ranges::find(known->versions, response.version) != known->versions.end());
}

/// What the body is and how it comes.
void write_body_lines(std::string& out, const Request& request, const Response& response) {
  out += "Content-Type: ";
  out += response.content_type;
  if (!response.pipe) {
    out += "\r\nContent-Length: ";
    append_integer(out, std::int64_t(response.body.size()));
  } else if (!request.is_http_1_0) {
    out += "\r\nTransfer-Encoding: chunked";
  }
  out += "\r\n";
}

}  // namespace

void Connection::note_answer(Exchange& exchange) {
  exchange.answered_ = true;
  if (phase_ != Phase::closed) return;
  // The client has left; what it asked for was done all the same.
  const Response response = take_response(exchange);
  if (response.pipe) response.pipe->abandon();
  report(exchange, response);
  std::erase_if(taken_, [&](const auto& taken) { return taken.get() == &exchange; });
}

void Connection::write_answers() {
  while (!taken_.empty() && taken_.front()->answered_) {
    if (!write_answer(*taken_.front())) return;
    taken_.erase(taken_.begin());
  }
  if (!taken_.empty()) return;
  if (last_taken_ && phase_ == Phase::serving) phase_ = Phase::ending;
  if (std::exchange(continue_is_due_, false)) *out_ += "HTTP/1.1 100 Continue\r\n\r\n";
}

/// True when the whole answer is written.
bool Connection::write_answer(Exchange& exchange) {
  if (exchange.head_sent_) return pump(exchange);
  Response response = take_response(exchange);
  if (is_known(exchange.request, response)) {
    response.status = 304;
    response.body.clear();
  }
  const bool is_last = taken_.size() == 1 && !parser_ && unparsed_.empty();
  if (response.closes || (loop_->draining() && is_last)) last_taken_ = true;
  if (response.pipe && exchange.request.is_http_1_0) last_taken_ = true;
  write_head(exchange, response);
  report(exchange, response);
  if (!exchange.request.is_head) *out_ += response.body;
  if (!response.pipe) return true;

  exchange.head_sent_ = true;
  exchange.pipe_ = response.pipe;
  loop_->stream_opened();
  response.pipe->on_ready([loop = loop_, self = weak_from_this()] { loop->wake(self); });
  return pump(exchange);
}

/// Moves what the pipe has into the send buffer, while that has room.
bool Connection::pump(Exchange& exchange) {
  pump_is_due_ = out_->size() > loop_->options().limits.send_buffer_bytes_max;
  if (pump_is_due_) return false;
  BodyPipe::Taken taken = exchange.pipe_->take();
  const bool has_chunks = !exchange.request.is_http_1_0;
  const bool is_shown = !exchange.request.is_head;
  if (is_shown && !taken.text.empty()) {
    has_chunks ? append_chunk(*out_, taken.text) : void(*out_ += taken.text);
  }
  if (taken.failed) {
    send();
    close();
    return false;
  }
  if (!taken.finished) return false;
  if (taken.closes) last_taken_ = true;
  if (is_shown && has_chunks) *out_ += "0\r\n\r\n";
  exchange.pipe_.reset();
  loop_->stream_closed();
  return true;
}

void Connection::write_head(Exchange& exchange, const Response& response) {
  std::string& out = *out_;
  out += "HTTP/1.1 ";
  append_integer(out, response.status);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  out += loop_->date_line();
  if (response.status != 304) write_body_lines(out, exchange.request, response);
  out += "X-Request-Id: ";
  out += exchange.request_id;
  out += "\r\n";
  out += response.headers;
  const bool is_last = last_taken_ && taken_.size() == 1;
  if (is_last) {
    out += "Connection: close\r\n";
  } else if (exchange.request.is_http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

Response Connection::take_response(Exchange& exchange) {
  if (auto* reply = std::get_if<Result<Reply>>(&exchange.answer_)) {
    return command_response(*reply, exchange.context());
  }
  HOTROW_ASSERT(std::holds_alternative<Response>(exchange.answer_));
  return std::move(std::get<Response>(exchange.answer_));
}

void Connection::report(const Exchange& exchange, const Response& response) {
  const Request& request = exchange.request;
  const auto duration = std::chrono::steady_clock::now() - exchange.taken_at;
  loop_->report({.route = exchange.match.route != nullptr ? exchange.match.route->path : "",
                 .method = request.is_head ? "HEAD" : to_string(request.method),
                 .status = response.status,
                 .code = response.code,
                 .duration = std::chrono::duration_cast<std::chrono::microseconds>(duration),
                 .request_id = exchange.request_id,
                 .traceparent = exchange.traceparent,
                 .api_key = exchange.key ? std::string_view(exchange.key->name) : ""});
}

void Connection::send() {
  std::string& out = *out_;
  if (out.empty() || waiting_to_send_) return;
  error_code error;
  std::size_t sent = socket_.write_some(asio::buffer(out), error);
  if (error == asio::error::would_block) sent = 0;
  if (error && error != asio::error::would_block) return close();
  if (sent > 0) since_ = loop_->coarse_now();
  if (&out == &unsent_) {
    sent == out.size() ? std::string().swap(unsent_) : void(unsent_.erase(0, sent));
  } else {
    unsent_.assign(out, sent);
  }
  if (!unsent_.empty()) wait_to_send();
}

void Connection::wait_to_send() {
  waiting_to_send_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_write, [self = shared_from_this()](const error_code& error) {
    self->waiting_to_send_ = false;
    if (!error) self->advance();
  });
}

void Connection::decide_what_to_wait_for() {
  const bool all_sent = taken_.empty() && unsent_.empty();
  if (all_sent && client_finished_) return close();
  if (all_sent && phase_ == Phase::ending) return linger();
  // Bytes behind the last request are thrown away, and read only to learn that a stream's client has left.
  const bool watches = last_taken_ && !taken_.empty() && taken_.front()->pipe_;
  const bool wants_bytes = phase_ == Phase::lingering || can_take() || watches;
  if (wants_bytes && !client_finished_) wait_to_read();
}

/// Tells the end and waits for the client's, throwing away what it still sends: closing at once would reset
/// the connection, and the client might never see the last answer.
void Connection::linger() {
  phase_ = Phase::lingering;
  since_ = loop_->coarse_now();
  error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error) return close();
  wait_to_read();
}

void Connection::close() {
  if (std::exchange(phase_, Phase::closed) == Phase::closed) return;
  error_code ignored;
  socket_.close(ignored);
  for (const auto& exchange : taken_) {
    if (!exchange->pipe_) continue;
    exchange->pipe_->abandon();
    loop_->stream_closed();
  }
  // Those without an answer stay until it comes.
  std::erase_if(taken_, [](const auto& exchange) { return exchange->answered_; });
  parser_.reset();
  reading_.reset();
  std::string().swap(unparsed_);
  std::string().swap(unsent_);
  loop_->remove(*this);
}

}  // namespace hotrow::http
