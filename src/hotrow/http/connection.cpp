#include "hotrow/http/connection.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include "hotrow/http/body_pipe.hpp"
#include "hotrow/http/header_values.hpp"

// Reading: from bytes to requests. The other half is connection_answers.cpp.
namespace hotrow::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

/// How long bytes that nobody wants are read, so that the client gets to see the last answer before a reset.
constexpr std::chrono::milliseconds linger_time = 1s;

/// Empty lines before a request line are skipped (RFC 9112, 2.2).
void skip_empty_lines(std::string_view& bytes) {
  while (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
}

}  // namespace

Connection::Connection(std::shared_ptr<IoLoop> loop, asio::ip::tcp::socket socket)
    : loop_(std::move(loop)), socket_(std::move(socket)), since_(loop_->coarse_now()) {}

Connection::~Connection() = default;

void Connection::start() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  wait_to_read();
}

void Connection::wait_to_read() {
  if (std::exchange(waiting_to_read_, true)) return;
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->waiting_to_read_ = false;
    if (!error && self->phase_ != Phase::closed) self->on_readable();
  });
}

void Connection::on_readable() {
  const std::span<char> buffer = loop_->read_buffer();
  error_code error;
  const std::size_t size = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), error);
  if (error == asio::error::would_block) return decide_what_to_wait_for();
  if (error == asio::error::eof) {
    client_finished_ = true;
    const bool streams = !taken_.empty() && taken_.front()->pipe_;
    return streams || phase_ == Phase::lingering ? close() : advance();
  }
  if (error) return close();
  if (phase_ != Phase::serving || last_taken_) return decide_what_to_wait_for();
  const std::string_view bytes(buffer.data(), size);
  if (bytes.find_first_not_of("\r\n") != std::string_view::npos) since_ = loop_->coarse_now();
  take_bytes(bytes);
}

void Connection::take_bytes(std::string_view bytes) {
  input_is_short_ = false;
  if (unparsed_.empty()) bytes.remove_prefix(parse(bytes));
  unparsed_ += bytes;
  advance();
}

void Connection::advance() {
  if (phase_ == Phase::closed) return;
  do {
    std::string& shared = loop_->send_buffer();
    shared.clear();
    out_ = unsent_.empty() ? &shared : &unsent_;
    while (parse_unparsed()) write_answers();
    write_answers();
    if (phase_ != Phase::closed) send();
    if (phase_ == Phase::closed) return;
    // What a full send buffer held up goes on once that is empty.
  } while (unsent_.empty() && (pump_is_due_ || has_input()));
  decide_what_to_wait_for();
}

/// Whether there are bytes that could become a request now.
bool Connection::has_input() const { return !unparsed_.empty() && !input_is_short_ && can_take(); }

/// Takes requests off the bytes that were kept; false when that changed nothing.
bool Connection::parse_unparsed() {
  if (last_taken_) std::string().swap(unparsed_);
  if (!has_input()) return false;
  const std::size_t used = parse(unparsed_);
  used == unparsed_.size() ? std::string().swap(unparsed_) : void(unparsed_.erase(0, used));
  return true;
}

bool Connection::can_take() const {
  const Limits& limits = loop_->options().limits;
  return phase_ == Phase::serving && !last_taken_ && taken_.size() < limits.pipeline_max &&
         unsent_.size() < limits.send_buffer_bytes_max;
}

std::size_t Connection::parse(std::string_view bytes) {
  const std::size_t given = bytes.size();
  while (can_take() && !bytes.empty() && parse_step(bytes)) {
  }
  return given - bytes.size();
}

/// Reads at most one request off `bytes`; false when it needs more of them or none will be read any more.
bool Connection::parse_step(std::string_view& bytes) {
  if (!parser_) {
    skip_empty_lines(bytes);
    input_is_short_ = bytes == "\r";
    if (bytes.empty() || input_is_short_) return false;
    begin_request();
  }
  RequestParser::Step step = parser_->parse(bytes);
  bytes.remove_prefix(step.used);
  if (step.state == ParseState::header_done) {
    admit_request();
    if (!parser_) return false;
    step = parser_->parse(bytes);
    bytes.remove_prefix(step.used);
  }
  if (step.state == ParseState::refused) {
    const RequestParser::Refusal refusal = parser_->problem();
    refuse_request(refusal.code, refusal.detail);
  }
  input_is_short_ = step.state == ParseState::needs_more;
  if (step.state == ParseState::complete) take_request();
  return step.state == ParseState::complete;
}

void Connection::begin_request() {
  reading_ = loop_->new_exchange();
  reading_->taken_at = loop_->coarse_now();
  parser_.emplace(reading_->request, loop_->options().limits.header_bytes_max);
}

/// The header is there: what the request may be, before its body is read.
void Connection::admit_request() {
  Request& request = reading_->request;
  const std::string& id = request.value(Header::request_id);
  reading_->request_id = is_request_id(id) ? id : loop_->new_request_id();
  Api::Admission admission = loop_->api().admit(*reading_);
  parser_->admit_body(admission.body_bytes_max);
  if (parser_->body_too_large()) {
    return refuse_request("payload_too_large", "The body is larger than this call admits.");
  }
  refusal_ = std::move(admission.refusal);
  if (!request.has(Header::expect) || request.is_http_1_0) return;
  if (request.value(Header::expect) != "100-continue") {
    return refuse_request("expectation_failed", "Only 100-continue can be expected.");
  }
  if (refusal_) {  // The body need not come at all.
    refusal_->closes = true;
    return take_request();
  }
  continue_is_due_ = request.has_body;
}

/// The request is complete: it gets its place in the order and goes to the API.
void Connection::take_request() {
  continue_is_due_ = false;
  parser_.reset();
  Exchange& exchange = *taken_.emplace_back(std::move(reading_));
  exchange.taken_at = std::chrono::steady_clock::now();
  if (!exchange.request.keeps_alive) last_taken_ = true;
  std::optional<Response> response = std::exchange(refusal_, std::nullopt);
  if (!response) {
    exchange.holder_ = shared_from_this();
    loop_->exchange_pending();
    response = loop_->api().take(exchange);
    if (!response) return;
    exchange.holder_.reset();
    loop_->exchange_done();
  }
  if (response->closes) last_taken_ = true;
  exchange.answer_ = std::move(*response);
  exchange.answered_ = true;
}

/// A request that cannot be read to its end. Where the next one begins is not certain, so there is none.
void Connection::refuse_request(std::string_view code, std::string_view detail) {
  if (reading_->request_id.empty()) reading_->request_id = loop_->new_request_id();
  refusal_ = problem_response({.code = code, .detail = std::string(detail)}, reading_->context());
  refusal_->closes = true;
  take_request();
}

void Connection::check_deadline(SteadyTime now) {
  const Limits& limits = loop_->options().limits;
  const auto waited = now - since_;
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::lingering) {
    if (waited > linger_time) close();
    return;
  }
  if (!unsent_.empty()) {
    if (waited > limits.send_timeout) close();
    return;
  }
  if (parser_) {
    if (now - reading_->taken_at <= limits.read_timeout) return;
    refuse_request("request_timeout", "The request was not complete in time.");
    return advance();
  }
  if (taken_.empty() && waited > limits.idle_timeout) close();
}

void Connection::wind_down() {
  if (phase_ != Phase::serving) return;
  parser_.reset();
  reading_.reset();
  refusal_.reset();
  last_taken_ = true;
  phase_ = Phase::ending;
  advance();
}

}  // namespace hotrow::http
